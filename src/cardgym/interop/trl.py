"""Games as the environment of trl's GRPOTrainer: `environment_factory=partial(CardGame, "KuhnPoker-v0")`.

trl (https://huggingface.co/docs/trl/openenv) makes an environment for each rollout, offers its methods to the model as
tools, and takes the reward from it. This module needs no package of trl.
"""

from __future__ import annotations

from typing import Any

from cardgym.interop.text_game import TextGame


class CardGame:
    """A card game that a language model plays by calls of a tool."""

    def __init__(self, env_id: str, **arguments: Any) -> None:
        """Make the env `env_id` with `arguments` as of `gymnasium.make`; see `TextGame`."""
        self._game = TextGame(env_id, by_tool=True, **arguments)

    def reset(self, seed: int | None = None, **row: Any) -> str:
        """Begin the game of a `row` of the data set, by its column `seed`; return what is appended to the prompt."""
        rules, question = self._game.reset(seed)
        return f"{rules}\n\n{question}\n\nPlay by calling the tool `play` until the game is over."

    def play(self, move: str) -> str:
        """Play a move of the card game and see what happens until your next move.

        Args:
            move: The ID of a legal move, or its words.

        Returns:
            What happened, what you see, and your legal moves; or why the move is not legal.
        """
        text = self._game.play(move)
        return f"{text}\n\nThe game is over." if self._game.over else text

    def get_reward(self) -> float:
        """Return what the seat was paid; a game that the model left is lost."""
        return self._game.leave()

"""A game that a language model plays in words, for the environments of libraries that train language models."""

from __future__ import annotations

import warnings
from typing import Any

from cardgym.engine.text import TextView
from cardgym.envs.single import CardEnv
from cardgym.errors import of_kind
from cardgym.players.llm.player import read_answer, read_move, request
from cardgym.players.llm.settings import Settings, read_prompt


class TextGame:
    """An env whose seat a language model plays, with the prompts of `llm:` players, or by calls of a tool.

    Attributes:
        view: what the model knows, in the words that it is shown.
        over: whether the game is over.
        reward: what the seat was paid in this game so far.
        problems: how many answers named no legal move.
    """

    view: TextView

    def __init__(self, env_id: str, settings: str = "", by_tool: bool = False, **arguments: Any) -> None:
        """Make the env.

        Args:
            env_id: the game's id.
            settings: those of `Settings` that shape prompts, and `rethinks`, such as `names=neutral,rethinks=0`.
            by_tool: whether the model calls a tool with its move; it otherwise answers with a last line `ANSWER: ID`.
            **arguments: of the env, such as `opponent`, `seat` and the game's options. After the last rethink the seat
                forfeits, or with `illegal_action="random"` plays a random move.

        Raises:
            CardgymError: for an unknown game, setting or argument.
        """
        of_kind("settings", settings, str, "texts such as 'names=neutral,rethinks=0'")
        of_kind("by_tool", by_tool, bool, "True and False")
        self.settings = Settings.parse(f"model,{settings}" if settings else "model")
        self._env = CardEnv(env_id, text=True, **arguments)
        self._by_tool = by_tool
        self.over, self.reward, self.problems, self._rethinks = True, 0.0, 0, 0

    def reset(self, seed: int | None = None) -> tuple[str, str]:
        """Begin the next game, with a seed the first one of that seed; returns the rules and the first question."""
        _, info = self._env.reset(seed=seed)
        self.over, self.reward, self.problems = False, 0.0, 0
        self._show(info)
        rules = self.view.rules if self._by_tool else request(self.view, self.settings)[0]["content"]
        return rules, self._question()

    def play(self, answer: str) -> str:
        """Play the move that an answer names; returns what to tell the model next, at the end what it sees then.

        An answer that names no legal move is asked for again, with the reason; after the last rethink the env settles
        it. After the end of a game, nothing happens until `reset`.
        """
        of_kind("answer", answer, str, "texts")
        if self.over:
            return str(self.view)
        reading = (read_move if self._by_tool else read_answer)(answer, self.view)
        if reading.action is None:
            self.problems += 1
            self._rethinks += 1
            if self._rethinks <= self.settings.rethinks:
                again = read_prompt().fill("again", reason=reading.reason)
                return f"That is no move: {reading.reason}." if self._by_tool else again
        self._step(-1 if reading.action is None else reading.action)
        return self._question()

    def leave(self) -> float:
        """End a game that the model does not play to its end, as a loss or with random moves; returns the reward."""
        while not self.over:
            self._step(-1)
        return self.reward

    def _step(self, action: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # Of illegal actions, which are counted here.
            _, reward, self.over, _, info = self._env.step(action)
        self.reward += float(reward)
        self._show(info)

    def _question(self) -> str:
        return str(self.view) if self.over or self._by_tool else request(self.view, self.settings)[1]["content"]

    def _show(self, info: dict[str, Any]) -> None:
        self._rethinks = 0
        view = info["text"]
        self.view = view.neutral() if self.settings.names == "neutral" else view

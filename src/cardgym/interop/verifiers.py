"""Games as an environment of Prime Intellect's verifiers: `vf-eval MODULE`, see docs/interop/language_models.md.

The game plays the user of a conversation: it shows what the seat knows, and the model answers with its move in a last
line `ANSWER: ID`. The reward is what the seat was paid. It needs verifiers 0.4 (https://docs.primeintellect.ai/verifiers).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from cardgym.errors import CardgymError
from cardgym.interop.text_game import TextGame

__all__ = ["WordsEnv", "WordsTaskset"]


class WordsConfig(vf.TasksetConfig):
    """Which game; see `TextGame`."""

    env_id: str = ""  # verifiers also makes configs before it reads this.
    """The game's id."""
    settings: str = ""
    """Settings of the prompts, such as `names=neutral,rethinks=0`."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Arguments of the env, such as `opponent` and the game's options."""

    def game(self) -> TextGame:
        """Make the game."""
        if not self.env_id:
            raise CardgymError("give a game's id, as `cardgym games` lists them: --env.taskset.env-id")
        return TextGame(self.env_id, settings=self.settings, **self.arguments)


class WordsData(vf.TaskData):
    """The first game of a seed, with its rules and first position as the prompt."""

    seed: int
    game: WordsConfig


class WordsTask(vf.Task[WordsData]):
    """One game."""


class WordsEnvConfig(vf.EnvConfig):
    """Who plays."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class WordsEnv(vf.Env[WordsEnvConfig]):
    """A conversation between a game and a model."""

    async def run(self, task: WordsTask, agents: Any) -> None:
        """Play a game; record its reward, and as a metric how many answers named no legal move."""
        game = task.data.game.game()
        game.reset(task.data.seed)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                text = game.play(segment.last_reply)
                if game.over:
                    break
                segment = await interaction.turn(text)
        interaction.trace.record_reward("paid", game.leave(), 1.0)
        interaction.trace.record_metric("problems", float(game.problems))


class WordsTaskset(vf.Taskset[WordsTask, WordsConfig]):
    """A game for each seed, from 0 on."""

    INFINITE = True

    def load(self) -> Iterator[WordsTask]:
        """Make the tasks, one after the other."""
        game = self.config.game()
        for seed in itertools.count():
            rules, question = game.reset(seed)
            yield WordsTask(
                WordsData(
                    name=f"{self.config.env_id}#{seed}",
                    system_prompt=rules,
                    prompt=question,
                    seed=seed,
                    game=self.config,
                ),
                self.config.task,
            )

"""Games as an OpenEnv environment server: `uvicorn --factory cardgym.interop.openenv:app`, or `make_app`.

OpenEnv (https://github.com/huggingface/OpenEnv) gives each client a game of its own; its clients and trainers play it.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any
from uuid import uuid4

from fastapi import FastAPI
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from cardgym.errors import CardgymError
from cardgym.interop.text_game import TextGame


class Answer(Action):
    """A model's whole answer; its last line `ANSWER: ID`, or the words of a move, is read."""

    answer: str


class Words(Observation):
    """What the seat knows, in words; `reward` is what the last move paid it.

    Attributes:
        rules: the system prompt with the rules, in the first observation of a game.
        text: the question for the next move, or why the last answer named none; at the end, what happened since.
        legal_moves: the legal moves' words by ID.
    """

    rules: str = ""
    text: str = ""
    legal_moves: dict[int, str] = Field(default_factory=dict)


class Game(Environment[Answer, Words, State]):
    """A game against the env's opponent."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env_id: str, **arguments: Any) -> None:
        """Make the env; see `TextGame`."""
        super().__init__()
        self._game = TextGame(env_id, **arguments)
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> Words:
        """Begin the next game, with a seed the first one of that seed."""
        rules, question = self._game.reset(seed)
        self._state = State(episode_id=episode_id or str(uuid4()))
        return self._words(question, rules)

    def step(self, action: Answer, timeout_s: float | None = None, **kwargs: Any) -> Words:
        """Play the move of an answer; after the end of a game nothing happens until `reset`."""
        before = self._game.reward
        self._state.step_count += not self._game.over
        text = self._game.play(action.answer)
        return self._words(text, reward=self._game.reward - before)

    @property
    def state(self) -> State:
        """The episode's id and its number of answers."""
        return self._state

    def _words(self, text: str, rules: str = "", reward: float = 0.0) -> Words:
        game = self._game
        return Words(rules=rules, text=text, legal_moves=dict(game.view.moves), done=game.over, reward=reward)


def make_app(env_id: str, sessions: int = 100, **arguments: Any) -> FastAPI:
    """Make the server of a game, for so many clients at once; see `TextGame` for the arguments."""
    return create_fastapi_app(partial(Game, env_id, **arguments), Answer, Words, max_concurrent_envs=sessions)


def app() -> FastAPI:
    """Make the server of the game that the environment variable CARDGYM_ENV names."""
    if not (env_id := os.environ.get("CARDGYM_ENV")):
        raise CardgymError("set CARDGYM_ENV to a game's id, as `cardgym games` lists them")
    return make_app(env_id)

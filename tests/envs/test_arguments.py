"""Every argument of the envs and the arena takes a value of a wrong kind as a value, or refuses it in one line."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cardgym
from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.arena.tournament import tournament
from cardgym.arena.transitions import record_chunks
from cardgym.envs import EnvArguments
from cardgym.envs.aec import CardAECEnv
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.interop.open_spiel import OpenSpielGame
from cardgym.interop.sb3 import ArenaCallback, CardVecEnv, ModelPlayer, SelfPlayCallback
from cardgym.players import batched, player_names, resolve, resolve_all, seated

GAME = "cardgym:KuhnPoker-v0"
WRONG = {
    "None": None,
    "bool": True,
    "float": 1.5,
    "nan": float("nan"),
    "str": "x",
    "bytes": b"x",
    "list": [1],
    "dict": {"x": 1},
    "empty": {},
    "array": np.zeros(2),
    "object": object(),
    "negative": -1,
    "huge": 10**40,
}
OFTEN_RIGHT = {
    ("reset", "seed"): ("None",),
    ("vector reset", "seed"): ("None",),
    ("reset", "options"): ("None", "empty"),
    ("vector reset", "options"): ("None", "empty"),
    ("evaluate", "options"): ("None", "empty"),
    ("evaluate", "progress"): ("None",),
    ("make", "obs"): ("None",),
    ("make", "render_mode"): ("None",),
    ("make", "text"): ("bool",),
    ("make_vec", "text"): ("bool",),
    ("PettingZoo", "text"): ("bool",),
    ("make_vec", "obs"): ("None",),
    ("make_vec", "render_mode"): ("None",),
    ("make_vec", "max_episode_steps"): ("None",),
    ("PettingZoo", "obs"): ("None",),
    ("PettingZoo", "render_mode"): ("None",),
    ("Stable-Baselines3", "obs"): ("None",),
    ("Stable-Baselines3", "render_mode"): ("None",),
    ("record_chunks", "options"): ("None", "empty"),
    ("ArenaCallback", "seat"): ("negative",),
    ("tournament", "options"): ("None", "empty"),
    ("tournament", "games_of"): ("None", "empty"),
    ("tournament", "payoff"): ("None",),
    ("tournament", "engine"): ("None",),
    ("tournament", "store"): ("None",),
    ("tournament", "progress"): ("None",),
    ("OpenSpiel", "options"): ("None", "empty"),
    ("seated", "players"): tuple(WRONG),
}
"""Values of `WRONG` that a parameter takes; `seated` leaves its check to `resolve`."""


@functools.wraps(record_chunks)
def recorded(**arguments: Any) -> list[Any]:
    """Every part, because a generator checks nothing before its first one."""
    return list(record_chunks(**arguments))


FIND = cardgym.find(GAME)
OPTIONS = FIND.parse_options()
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "make": (CardEnv, {"game": GAME}),
    "make_vec": (CardVectorEnv, {"game": GAME, "num_envs": 2}),
    "reset": (CardEnv(GAME).reset, {}),
    "vector reset": (CardVectorEnv(GAME, 2).reset, {}),
    "player": (CardEnv(GAME).player, {"spec": "random"}),
    "evaluate": (evaluate, {"game": GAME, "options": None, "players": ["random"] * 2, "games": 2, "seed": 1}),
    "resolve": (resolve, {"spec": "random", "game": FIND, "options": OPTIONS}),
    "resolve_all": (resolve_all, {"specs": ["random"] * 2, "game": FIND, "options": OPTIONS}),
    "seated": (seated, {"players": "random", "seats": 1}),
    "player_names": (player_names, {"game": FIND}),
    "tournament": (tournament, {"game": GAME, "options": None, "players": ["random", "honest"], "games": 2, "seed": 1}),
    "record_chunks": (recorded, {"game": GAME, "options": None, "players": ["random"] * 2, "games": 2, "seed": 1}),
    "register": (cardgym.register, {}),
    "batched": (batched, {"policy": lambda observations, masks: masks.argmax(axis=1), "name": "first"}),
    "ModelPlayer": (ModelPlayer, {}),
    "PettingZoo": (CardAECEnv, {"game": GAME}),
    "Stable-Baselines3": (CardVecEnv, {"game": GAME}),
    "ArenaCallback": (ArenaCallback, {}),
    "SelfPlayCallback": (SelfPlayCallback, {}),
    "OpenSpiel": (OpenSpielGame, {"game": GAME}),
}
"""Callables with arguments that are right."""
CHECKED_BEFORE = {
    ("resolve", "game"),
    ("resolve", "options"),
    ("resolve_all", "game"),
    ("resolve_all", "options"),
    ("player_names", "game"),
    ("seated", "seats"),
    ("ArenaCallback", "verbose"),
    ("SelfPlayCallback", "verbose"),
    ("batched", "name"),
    ("batched", "observation_name"),
    ("ModelPlayer", "name"),
    ("ModelPlayer", "samples"),
}
"""Objects that `find` and `parse_options` have checked, what Stable-Baselines3 reads, and words for reports."""


def parameters() -> list[tuple[str, str]]:
    """Every parameter of `CALLS`, by inspection; the keyword arguments of envs and the options of the game included."""
    found = []
    for name, (call, _) in CALLS.items():
        for parameter in inspect.signature(call).parameters.values():
            names = [parameter.name]
            if parameter.kind is parameter.VAR_KEYWORD:
                names = [one.name for one in (*dataclasses.fields(EnvArguments), *dataclasses.fields(FIND.options))]
            found += [(name, one) for one in names if (name, one) not in CHECKED_BEFORE]
    return found


@pytest.mark.parametrize(("name", "parameter"), parameters(), ids=str)
def test_a_wrong_value_is_refused_in_one_line(name: str, parameter: str) -> None:
    call, right = CALLS[name]
    if right:
        call(**right)
    for kind, value in WRONG.items():
        if kind in OFTEN_RIGHT.get((name, parameter), ()):
            call(**{**right, parameter: value})
            continue
        with pytest.raises(CardgymError) as caught:  # If nothing is raised, the value was accepted.
            call(**{**right, parameter: value})
        assert "\n" not in str(caught.value), kind

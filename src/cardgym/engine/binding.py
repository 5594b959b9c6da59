"""Templates bound to the rules of a game."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from cardgym.engine.cache import plain_function
from cardgym.engine.compilation import bind, bound, template
from cardgym.engine.contract import Game, State
from cardgym.engine.rules import rewards_from_paid


@template
def _apply_action(state: State, move: int) -> None:
    """Play a move, so that `paid` contains the payments of this move only."""
    for seat in range(state.paid.shape[0]):  # A constant: compiled to a single store.
        state.paid[seat] = 0.0
    bound.rule(state, move)


@cache
def _clearing(rule: Callable[..., Any]) -> Callable[..., Any]:
    plain = plain_function(rule)
    return bind(_apply_action, f"{plain.__module__}_{plain.__qualname__}", inline=True, rule=rule)


def rules_of(game: Game) -> dict[str, Any]:
    """Return a game's compiled rules by the names that templates use."""
    names = (
        "setup num_chance_outcomes current_player legal_action_mask apply_action rewards deal forfeit resample "
        "canonical score max_score"
    )
    rules = {name: getattr(game.rules, name) for name in names.split()}
    if game.rules.rewards is rewards_from_paid:
        rules["apply_action"] = _clearing(game.rules.apply_action)
    return rules | {name: getattr(game.state_index, name) for name in ("info_state_key", "info_state_index")}


def code_name(game: Game, functions: Iterable[Callable[..., Any]]) -> str:
    """Return a name on disk for code made of these functions of a game; all ids of the game share it."""
    names = [f"{plain.__module__}.{plain.__qualname__}" for plain in map(plain_function, functions)]
    if any("<locals>" in name for name in names):  # Such names are not unique.
        names.append(game.id)
    return hashlib.sha256(repr(names).encode()).hexdigest()[:12]


@cache
def bind_rules(
    function: Callable[..., Any], game: Game, observation_name: str = "", steps: tuple[Callable[..., Any], ...] = ()
) -> Callable[..., Any]:
    """Bind a template to a game's rules, and to `observe` of the observation if one is named, for calls from Python.

    `steps` are templates that it calls, inlined: `_step` as `bound.step`. A step may call the steps before it.
    """
    parts = rules_of(game)
    if observation_name:
        parts["observe"] = game.observation(observation_name).write
    suffix = f"{observation_name}_{code_name(game, parts.values())}"
    for step in steps:
        parts[step.__name__.removeprefix("_")] = bind(step, suffix, inline=True, **parts)
    return bind(function, suffix, **parts)

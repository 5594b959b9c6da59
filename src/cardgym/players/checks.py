"""Checks of the arguments that functions about players share; each raises an error of one line."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Int8s, Int64s, Options
from cardgym.errors import CardgymError, DecisionError, brief, of_kind


def check_setting(game: Game, options: Options) -> None:
    """Raise `CardgymError` unless `game` is a game and `options` are options of it."""
    of_kind("game", game, Game, "games, such as cardgym.find returns them")
    of_kind("options", options, game.options, f"options of {game.id}, such as its parse_options returns them")


def check_named(name: str, observation_name: str | None) -> None:
    """Raise `CardgymError` unless a player's name and that of its observation are texts, or the latter None."""
    of_kind("name", name, str, "texts")
    of_kind("observation_name", observation_name, str | None, "names of observations and None")


def check_rows(name: str, value: Any, like: Any = None, *, kinds: str = "f", dimensions: int = 2) -> None:
    """Raise `CardgymError` unless `value` is an array with a row for each decision.

    Args:
        like: an array of as many rows, and of the same shape if both have two dimensions.
        kinds: the kinds of its dtype, as in `numpy.dtype.kind`.
        dimensions: 2 for (rows, actions), 1 for (rows,).
    """
    shape = getattr(value, "shape", None)
    fits = isinstance(value, np.ndarray) and value.ndim == dimensions and value.dtype.kind in kinds
    if fits and (like is None or shape == like.shape[:dimensions]):
        return
    is_array = isinstance(value, np.ndarray)
    given = f"{value.dtype} {shape}" if is_array else brief(value)
    of = {"f": "floats", "iu": "whole numbers"}.get(kinds, "numbers")
    rows = "(rows, actions)" if dimensions == 2 else "(rows,)"
    size = rows if like is None else like.shape[:dimensions]
    raise CardgymError(f"{name}={given}: allowed are arrays of {of}, {size}")


def are_legal(actions: npt.NDArray[np.integer[Any]], masks: Int8s) -> npt.NDArray[np.bool_]:
    """Return whether each of `actions`, (rows,), is legal, (rows,), bool; see `check_legal`."""
    check_actions(actions, masks)
    in_range = (actions >= 0) & (actions < masks.shape[1])
    legal: npt.NDArray[np.bool_] = in_range & (masks[np.arange(len(masks)), np.where(in_range, actions, 0)] != 0)
    return legal


def check_actions(actions: npt.NDArray[np.integer[Any]], masks: Int8s) -> None:
    """Raise `CardgymError` unless `actions` are whole numbers, one for each row of `masks`."""
    check_rows("masks", masks, kinds="biu")
    check_rows("actions", actions, masks, kinds="iu", dimensions=1)


def action_of_each(actions: Any, num_rows: int) -> Int64s:
    """Return `actions` as an int64 array; `CardgymError` unless they are a whole number for each of `num_rows` rows."""
    given = brief(actions)
    with contextlib.suppress(Exception):  # Lists of lists of several lengths, for example.
        chosen = np.asarray(actions)
        if chosen.shape == (num_rows,) and chosen.dtype.kind in "iu":
            return chosen.astype(np.int64, copy=False)
        given = f"{chosen.dtype} {chosen.shape}"
    raise CardgymError(f"actions: give whole numbers of ({num_rows},), not {given}")


def check_legal(
    actions: npt.NDArray[np.integer[Any]],
    masks: Int8s,
    where: Callable[[int], str],
    error: type[CardgymError] = CardgymError,
) -> None:
    """Raise for the first row whose action is not legal.

    Args:
        actions: (rows,), whole numbers.
        masks: (rows, actions), int8, 1 where legal.
        where: the start of the message for a row, before "action ...", such as "env 3: ".

    Raises:
        CardgymError: an `error` that names the legal actions.
    """
    if not callable(where) or not isinstance(error, type):
        raise CardgymError("where and error: give a function from a row to text, and a class of errors")
    legal = are_legal(actions, masks)
    if not legal.all():
        row = int(np.argmin(legal))
        raise error(f"{where(row)}{not_legal(actions[row], np.flatnonzero(masks[row]))}")


def not_legal(action: Any, legal: Iterable[int]) -> str:
    """Say in words that an action is not among the legal ones."""
    return f"action {action} is not legal; allowed are {', '.join(map(str, legal))}"


def whole_action(name: str, answer: Any, row: int, legal: Iterable[int]) -> int:
    """Return what a function answers at a decision, a whole number of 64 bits; `DecisionError` if it is none."""
    with contextlib.suppress(Exception):  # Whatever the answer's own code raises.
        if not isinstance(answer, bool) and -(2**63) <= (action := operator.index(answer)) < 2**63:
            return action
    raise DecisionError(name, not_legal(brief(answer), legal), row)

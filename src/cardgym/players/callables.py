"""Callables and objects of a user as players."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float64s
from cardgym.engine.text import TextView
from cardgym.errors import CardgymError, DecisionError, in_short, printable, quoted, reporting_errors
from cardgym.players.base import Actions, Masks, Observations, Player, TextPlayer
from cardgym.players.checks import check_named, not_legal

Policy = Callable[[Observations, Masks], Any]
"""A Python callable as a player: `policy(observation, action_mask)` returns a legal action."""


class Acts(Protocol):
    """An object that chooses actions for many rows at once; `name` and `observation_name` are optional."""

    def act(self, observations: Observations, masks: Masks) -> npt.ArrayLike:
        """Legal actions, whole numbers of (rows,)."""
        ...


@dataclass(eq=False)
class CallablePlayer(Player):
    """A Python callable as a player.

    Attributes:
        policy: `policy(observation, mask)` returns a legal action, or, if `batched`, those of many rows.
        observation_name: the observation it reads; None for the one that the games use.
        batched: whether it is called once for all rows, instead of for each.
    """

    name: str
    policy: Policy
    observation_name: str | None = None
    batched: bool = False

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """What the callable returns; it gets copies of its row, which it may keep or change.

        Raises:
            DecisionError: whatever the callable raises, and if it is asked row by row and answers no whole number.
        """
        if self.batched:
            with reporting_errors(self.name, 0 if len(masks) == 1 else None):
                return np.asarray(self.policy(observations, masks))
        actions = np.empty(len(masks), np.int64)
        for row, (seen, mask) in enumerate(zip(observations, masks, strict=True)):
            with reporting_errors(self.name, row, seen):
                answer = self.policy(seen.copy(), mask.copy())
            actions[row] = _whole(self.name, answer, row, np.flatnonzero(mask))
        return actions

    def __call__(self, observations: Observations, masks: Masks) -> Any:
        """What the callable returns."""
        return self.policy(observations, masks)


def batched(
    policy: Callable[[Observations, Masks], npt.ArrayLike],
    *,
    name: str | None = None,
    observation_name: str | None = None,
) -> CallablePlayer:
    """A callable that takes batches as a player; also a decorator.

    It is called once for all waiting games, instead of once for each decision.

    Args:
        policy: `policy(observations, masks)` returns legal actions, whole numbers of (rows,), for observations
            (rows, size), float32, and masks (rows, actions), int8. Both are copies that it may keep or change.
        name: its name in reports; the callable's own if None.
        observation_name: the observation it reads; None for the one that the games use.
    """
    if not callable(policy):
        raise CardgymError(f"policy={quoted(policy)}: give a function of observations and masks")
    check_named("" if name is None else name, observation_name)
    own_name = str(getattr(policy, "__name__", type(policy).__name__))
    return CallablePlayer(name or own_name, policy, observation_name, batched=True)


@dataclass(eq=False)
class TextFunction(TextPlayer):
    """A function of a `TextView` as a player; it returns an action, or words or an ID that `TextView.parse` reads."""

    name: str
    function: Callable[[TextView], int | str]

    def answers(self, views: Sequence[TextView]) -> Sequence[int] | Actions:
        """What the function returns for each view.

        Raises:
            DecisionError: for words that name no legal move, and whatever the function raises.
        """
        return [self._answer(row, view) for row, view in enumerate(views)]

    def _answer(self, row: int, view: TextView) -> int:
        with reporting_errors(self.name, row, view.state):
            answer = self.function(view)
        if not isinstance(answer, str):
            return _whole(self.name, answer, row, view.moves)
        try:
            return view.parse(answer)
        except CardgymError as error:
            raise DecisionError(self.name, f"{error}; it saw {in_short(view.state)}", row) from None


def _whole(name: str, answer: Any, row: int, legal: Iterable[int]) -> int:
    """What a function answers at a decision, a whole number; `DecisionError` if it is none."""
    try:
        if isinstance(answer, bool):
            raise TypeError
        return operator.index(answer)
    except (OverflowError, TypeError):
        raise DecisionError(name, not_legal(printable(repr(answer), 60), legal), row) from None

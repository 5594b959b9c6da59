"""Advice: what a decision's legal actions are worth, and what a game's adviser gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

State = Any


@dataclass(frozen=True)
class ActionAdvice:
    """What one legal action is worth.

    Attributes:
        action: the action.
        text: the action in words.
        value: its value in the advice's unit; more is better.
        reason: why, in a few words; empty where the value says it all.
        error: half the width of the 95 % interval of its distance to the best action; 0 for an exact value.
        possible: whether the action can achieve anything; a guess that must be wrong cannot.
    """

    action: int
    text: str
    value: float
    reason: str = ""
    error: float = 0.0
    possible: bool = True


@dataclass(frozen=True)
class Advice:
    """What the legal actions of one decision are worth, from what the seat to decide can know.

    Attributes:
        kind: the kind of decision, such as `bet`; costs are averaged by it.
        unit: what values are in, such as `credits`.
        source: what they are by, in words that follow "by": `exact calculation`, `1,000 rollouts of heuristic`.
        actions: every legal action, the best first.
        blunder: an action that costs as much as this is a blunder.
    """

    kind: str
    unit: str
    source: str
    actions: tuple[ActionAdvice, ...]
    blunder: float

    @property
    def best(self) -> ActionAdvice:
        """The best action, the first of equals."""
        return self.actions[0]

    def of(self, action: int) -> ActionAdvice:
        """What is said of one action."""
        return next(one for one in self.actions if one.action == action)

    def cost(self, action: int) -> float:
        """How much less an action is worth than the best; 0 where the difference is within the error."""
        chosen = self.of(action)
        cost = self.best.value - chosen.value
        return cost if cost > chosen.error else 0.0

    def is_blunder(self, action: int) -> bool:
        """Whether an action costs as much as a blunder."""
        return self.cost(action) >= self.blunder

    def asdict(self) -> dict[str, Any]:
        """The advice as plain values for JSON."""
        return {**dataclasses.asdict(self), "actions": [dataclasses.asdict(one) for one in self.actions]}


def ranked(actions: Sequence[ActionAdvice]) -> tuple[ActionAdvice, ...]:
    """The actions, best first; equal ones keep their order."""
    return tuple(sorted(actions, key=lambda one: -one.value))


@dataclass(frozen=True, eq=False)
class Adviser:
    """What a game says about decisions. Plain Python over compiled functions.

    Attributes:
        advise: `advise(state, seat)`: the advice for the seat to decide, from what it can know.
        standing: `standing(state, seat)`: how a seat stands in the whole game, all cards shown, for the chart of a
            review; None for its share of the rollouts won.
        standing_unit: what standings are in.
        luck: `luck(before, move, after, seat)`: what chance gave a seat in this transition, as an exact difference of
            expected values in `luck_unit`; 0 where it gave nothing. None where no exact values are known.
        luck_unit: what luck is in.
    """

    advise: Callable[[State, int], Advice]
    standing: Callable[[State, int], float] | None = None
    standing_unit: str = ""
    luck: Callable[[State, int, State, int], float] | None = None
    luck_unit: str = ""


def legal_of(mask: npt.NDArray[np.int8]) -> list[int]:
    """The actions that a mask allows."""
    return [int(action) for action in np.flatnonzero(mask)]

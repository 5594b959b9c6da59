"""Advice on a decision: the value of each legal action, and the adviser that a game provides."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

State = Any

GAMES = "% of games"
"""The unit of values that are chances to win, in percent."""

_EXACT = 1e-6
"""Errors below this one come from rounding."""

_ALIKE = 0.005
"""Exact values that differ by less are as good as each other: they are written with two decimals."""

HINTS = ("off", "demand", "always")
"""When the coach speaks to a person who plays."""


@dataclass(frozen=True)
class ActionAdvice:
    """The value of one legal action.

    Attributes:
        value: its value in the advice's unit; more is better.
        reason: why, in a few words; may be empty.
        error: half the 95 % interval of the difference to the best action; 0 if the value is exact.
    """

    action: int
    text: str
    value: float
    reason: str = ""
    error: float = 0.0


@dataclass(frozen=True)
class Advice:
    """The values of all legal actions of one decision, from what the seat to decide can know.

    Attributes:
        kind: the kind of decision, such as `bet`; costs are averaged per kind.
        unit: what values are in, such as `credits`.
        source: where they come from, in words that follow "by": `exact calculation`, `1,000 playouts of Heuristic`.
        actions: every legal action, best first.
        blunder: the cost from which an action is a blunder.
        strength: how strong the coach is as a player that always follows its first advice, in words that follow "as a
            player it"; empty if it was not measured.
    """

    kind: str
    unit: str
    source: str
    actions: tuple[ActionAdvice, ...]
    blunder: float
    strength: str = ""

    @property
    def best(self) -> ActionAdvice:
        """The best action; the first in a tie."""
        return self.actions[0]

    def of(self, action: int) -> ActionAdvice:
        """Return the advice on one action."""
        return next(advised for advised in self.actions if advised.action == action)

    def cost(self, action: int) -> float:
        """How much less an action is worth than the best one; 0 if it is as good as that or about equal to it."""
        chosen = self.of(action)
        cost = self.best.value - chosen.value
        return 0.0 if cost <= chosen.error or _are_alike(cost, chosen.error) else cost

    def is_blunder(self, action: int) -> bool:
        """Whether an action costs as much as a blunder."""
        return self.cost(action) >= self.blunder

    def asdict(self) -> dict[str, Any]:
        """Return the advice as plain values for JSON."""
        return dataclasses.asdict(self)


def ranked(actions: Sequence[ActionAdvice], unit: str) -> tuple[ActionAdvice, ...]:
    """Return the actions, best first; ties keep their order.

    Each reason begins with what the action gains over the next best one or loses against the best one, in `unit`.
    """
    order = sorted(actions, key=lambda action: -action.value)
    out = []
    for place, action in enumerate(order):
        if len(order) > 1:
            against = order[0] if place else order[1]
            error = (action if place else order[1]).error
            margin = compared(action.value, against.value, unit, best=place == 0, error=error)
            action = dataclasses.replace(action, reason=f"{margin}: {action.reason}" if action.reason else margin)
        out.append(action)
    return tuple(out)


def compared(value: float, other: float, unit: str, *, best: bool, error: float = 0.0) -> str:
    """How an action's value compares, in words: the best action with the next best, others with the best.

    A difference within its `error` is called about equal; others are written with as many decimals as that allows, with
    one more if they would look like their error.
    """
    against = "the next best" if best else "the best"
    difference = abs(value - other)
    known = error / 10 if with_decimals(difference, error) == with_decimals(error, error) else error
    margin = f" +- {with_decimals(error, known)}" if error >= _EXACT else ""
    if _are_alike(difference, error):
        return f"as good as {against}"
    if difference <= error:
        return f"about equal to {against}"
    figure = (with_decimals(difference, known) if margin or difference >= 0.1 else f"{difference:.1g}") + margin
    if unit == GAMES:
        return f"wins {figure} percentage points {'more' if best else 'fewer'} of all games than {against}"
    return f"{figure} {unit} {'more' if best else 'less'} than {against}"


def _are_alike(difference: float, error: float) -> bool:
    return difference < _ALIKE and error < _EXACT


def with_odds(shares: Any, factor: float) -> Any:
    """Shares of games won, in percent, with the odds of winning multiplied."""
    return factor * shares / (1.0 + (factor - 1.0) * shares / 100.0)


def figures(actions: Sequence[ActionAdvice]) -> list[tuple[str, str]]:
    """Write the value of each action, best first, and its error; the best one is known as well as the next best."""
    known = [action.error for action in [*actions[1:2], *actions[1:]] or actions]
    return [
        (with_decimals(action.value, error), plus_minus(action.error))
        for action, error in zip(actions, known, strict=True)
    ]


def plus_minus(error: float) -> str:
    """Write half a 95 % interval with its sign and one figure, such as ` +- 0.004`; empty for an exact value."""
    return f" +- {with_decimals(error, error)}" if error >= _EXACT else ""


def percent(share: float, decimals: int = 0) -> str:
    """Write a share in percent; one that only rounds to none or all is not said to be that."""
    least, text = 10.0**-decimals, f"{share:.{decimals}f}"
    if 0.0 < share < 100.0 and float(text) in (0.0, 100.0):
        return f"under {least:g} %" if share < 50.0 else f"over {100.0 - least:g} %"
    return f"{text} %"


def with_decimals(value: float, error: float) -> str:
    """Write a value with as many decimals as half its 95 % interval has down to its first figure; two if exact."""
    decimals = max(-math.floor(math.log10(error)), 0) if error >= _EXACT else 2
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


@dataclass(frozen=True, eq=False)
class Adviser:
    """How a game values decisions.

    Attributes:
        advise: `advise(state, seat)`: the advice for the seat to decide, from what it can know.
        glance: `glance(state, seat)`: a first answer of `advise` within two seconds, where that takes longer; None
            otherwise.
        advise_against: `advise_against(state, seat, opponent)`: the same against a named player, in a game of two whose
            values depend on the opponent; None if they do not.
        standing: `standing(state, seat)`: how well a seat stands in the game, given all cards, for the chart of a
            review; None for its share of playouts won.
        standing_unit: what standings are in.
        luck: `luck(before, move, after, seat)`: what chance gave a seat in this transition, as an exact difference of
            expected values; None if exact values are not known.
        luck_unit: what luck is in.
    """

    advise: Callable[[State, int], Advice]
    standing: Callable[[State, int], float] | None = None
    standing_unit: str = ""
    luck: Callable[[State, int, State, int], float] | None = None
    luck_unit: str = ""
    advise_against: Callable[[State, int, str], Advice] | None = None
    glance: Callable[[State, int], Advice] | None = None

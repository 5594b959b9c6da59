"""The moves of one game, compiled; and a copy of its state that plain Python reads fast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.kernel import Kernel
from cardgym.engine.numba.compilation import bound, template
from cardgym.table.game_log import CHANCE

END = -3
"""In place of the seat to move, where the game is over."""


class Snapshot(np.record):  # type: ignore[misc]
    """A copy of a state, whose fields plain Python reads ten times as fast as those of a `np.record`."""

    __getattribute__ = np.void.__getattribute__

    @classmethod
    def of(cls, states: npt.NDArray[Any]) -> Snapshot:
        """A copy of the first of `states`. Its fields must not be written."""
        copy: Snapshot = states[:1].copy().view(np.dtype((cls, states.dtype)))[0]
        copy.__dict__.update(zip(states.dtype.names or (), copy.item(), strict=True))
        return copy


@template
def _start(states: Any, rows: Any) -> None:
    bound.prepare(states[0], rows[0])


@template
def _turn(states: Any, mask: Any) -> int:
    """The seat to move; at a decision the mask is that seat's."""
    if bound.num_chance_outcomes(states[0]) > 0:
        return CHANCE
    seat = bound.current_player(states[0])
    if seat < 0:
        return END
    bound.legal_action_mask(states[0], mask)
    return int(seat)


@template
def _next(states: Any, rows: Any, policy_tables: Any, mask: Any) -> int:
    return int(bound.next_move(states[0], rows[0], policy_tables, mask))


@template
def _apply(states: Any, move: int, mask: Any, paid: Any) -> bool:
    """Make a move, if the rules allow it; whether they do. A mask is written at a decision."""
    outcomes = bound.num_chance_outcomes(states[0])
    if outcomes == 0:
        bound.legal_action_mask(states[0], mask)
        if move < 0 or move >= mask.shape[0] or mask[move] == 0:
            return False
    elif move < 0 or move >= outcomes:
        return False
    bound.apply_action(states[0], move)
    bound.rewards(states[0], paid)
    return True


@dataclass(frozen=True)
class Moves:
    """What makes the moves of one game, the first of its batch, compiled.

    Attributes:
        start: sets the game up, from its number among those of the seed.
        turn: the seat to move, CHANCE or END; at a decision it writes that seat's mask.
        next_move: the next move of chance or of a compiled player; -1 where somebody else decides.
        apply: makes a move if the rules allow it, and adds what it pays; whether they do.
    """

    start: Callable[..., Any]
    turn: Callable[..., Any]
    next_move: Callable[..., Any]
    apply: Callable[..., Any]


@cache
def moves_of(kernel: Kernel) -> Moves:
    """The compiled moves of a kernel's game."""
    return Moves(*(kernel.entry_point(function) for function in (_start, _turn, _next, _apply)))

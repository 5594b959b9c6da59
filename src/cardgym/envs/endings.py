"""How games ended, for the last info of every env: who has won, and why the game is over."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game
from cardgym.engine.numba.compilation import bind, bound, name_entry_point, template

FINISHED, ILLEGAL_ACTION, TRUNCATED = "finished", "illegal_action", "truncated"
"""Reasons: the rules ended the game; a seat forfeited it by an illegal action; the env's limit of steps is reached."""


@template
def _find_winners(states: Any, forfeited: Any, over: Any, num_seats: int, winners: Any) -> None:
    """The winner of each row that is over: the one seat of the highest score, or -1."""
    for i in range(states.shape[0]):
        winners[i] = -1
        if not over[i]:
            continue
        if forfeited[i] >= 0:
            if num_seats == 2:
                winners[i] = 1 - forfeited[i]
            continue
        best = 0.5 * bound.max_score(states[i]) if num_seats == 1 else 0.0
        for seat in range(num_seats):
            score = bound.score(states[i], seat)
            if score > best:
                best = score
                winners[i] = seat
            elif score == best:
                winners[i] = -1


@cache
def _winners_of(game: Game) -> Any:
    found = bind(_find_winners, f"{game.id}_winners", score=game.rules.score, max_score=game.rules.max_score)
    name_entry_point(f"{game.id} (winners)", found)
    return found


def winners(game: Game, batch: Any, over: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The winner of each row of a batch, (rows,) int64: a seat, or -1.

    The winner has the highest score, by which `cardgym evaluate` counts win rates; in a game of one seat, more than
    half of the score to be had. Nobody has won where seats share the highest score, or where a game of more than two
    seats was forfeited.

    Args:
        game: the game.
        batch: the batch.
        over: the rows whose games have ended by the rules or a forfeit, (rows,) bool; the others have no winner.
    """
    found = np.empty(len(batch), np.int64)
    forfeited = batch.plain_rows["forfeited"].astype(np.int64)
    _winners_of(game)(batch.plain_states, forfeited, over, batch.options.num_players, found)
    return found


def reasons(batch: Any, over: npt.NDArray[np.bool_], truncated: npt.NDArray[np.bool_]) -> npt.NDArray[np.object_]:
    """Why the game of each row is over, (rows,) of strings; None where it is not."""
    found: npt.NDArray[np.object_] = np.empty(len(batch), object)  # All None.
    ended = np.flatnonzero(over)  # A few of many rows: the others cost nothing.
    found[truncated.nonzero()] = TRUNCATED
    found[ended] = FINISHED
    found[ended[batch.plain_rows["forfeited"][ended] >= 0]] = ILLEGAL_ACTION
    return found

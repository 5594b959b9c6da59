"""Figures of a finished game for the arena's report: a seat's points, and what they were scored for."""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.cribbage.state import CRIB, DEALER_HAND, DEALER_PEGGING, HEELS, PONE_HAND, PONE_PEGGING


@rule
def points(state: State, seat: int) -> float:
    """The seat's points at the end."""
    return float(state.scores[seat])


@rule
def pegging_points(state: State, seat: int) -> float:
    """The points that the seat scored in the play."""
    return float(int(state.tally[seat, PONE_PEGGING]) + int(state.tally[seat, DEALER_PEGGING]))


@rule
def hand_points(state: State, seat: int) -> float:
    """The points of the seat's hands."""
    return float(int(state.tally[seat, PONE_HAND]) + int(state.tally[seat, DEALER_HAND]))


@rule
def crib_points(state: State, seat: int) -> float:
    """The points of the seat's cribs."""
    return float(state.tally[seat, CRIB])


@rule
def heels_points(state: State, seat: int) -> float:
    """The seat's points for jacks turned up."""
    return float(state.tally[seat, HEELS])


METRICS = {
    "points": points,
    "pegging_points": pegging_points,
    "hand_points": hand_points,
    "crib_points": crib_points,
    "heels_points": heels_points,
}

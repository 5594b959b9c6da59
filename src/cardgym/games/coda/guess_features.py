"""The observations `guesses` and `splits`: the odds, then features for each guess.

These features have a number for each guess, in action order. A network that reads them with the same weights for every
guess (`action_features` of `train/ppo.py`) generalizes from one guess to all others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Observation, State, rule
from cardgym.games.coda.arrangements import Table, new_weights, weigh_guesses
from cardgym.games.coda.observations import observe_own_odds, odds_features, odds_offsets
from cardgym.games.coda.state import CodaOptions, count_hidden, hidden, lines_shown

BY_GUESS = ("may_be", "belief", "below", "tells")
"""The features with a number for each guess."""


def guesses_features(options: CodaOptions) -> tuple[Feature, ...]:
    """The odds, then the opponent's exposure by place, and three more numbers for each guess."""
    half = options.n // 2
    size = half * options.n
    return (
        *odds_features(options),
        Feature("opponent_exposed", "by place: if hidden, the probability of the likeliest tile there", half),
        Feature(
            "may_be",
            "by place x n + tile: 1 if the hidden tile there can be that one, given its colour, the order of the line, "
            "all tiles seen and all guesses so far",
            size,
        ),
        Feature("below", "by place x n + tile: the probability of a lower tile there, where `may_be` is 1", size),
        Feature(
            "tells",
            "by place x n + tile: where `may_be` is 1, how likely an observer who sees neither hand finds it that a "
            "hidden tile of the own line is the named tile, which the guess rules out",
            size,
        ),
    )


class GuessesOffsets(NamedTuple):
    """The offset of each feature after the odds."""

    opponent_exposed: int
    may_be: int
    below: int
    tells: int


@rule
def guesses_offsets(n: int) -> GuessesOffsets:
    size = n // 2 * n
    exposed = odds_offsets(n).belief + size
    start = exposed + n // 2
    return GuessesOffsets(exposed, start, start + size, start + 2 * size)


@rule
def observe_guesses(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    n = int(state.n)
    other = 1 - seat
    weights = new_weights()
    total = observe_own_odds(state, seat, out, weights)
    if not lines_shown(state):
        return
    tells = _own_by_tile(state, seat, weights, total)
    odds = odds_offsets(n)
    at = guesses_offsets(n)
    total = weigh_guesses(state, seat, weights) if count_hidden(state, other) > 0 else 1.0
    exposed = out[at.opponent_exposed : at.may_be]
    out[odds.best] = _observe_exposed(state, other, weights, total, exposed)
    for place in range(state.length[other]):
        if not hidden(state, other, place):
            out[odds.belief + place * n + state.line[other, place]] = 1.0
            continue
        lower = 0.0
        for tile in range(n):
            weight = weights[place, tile]
            if weight > 0.0:
                guess = place * n + tile
                out[odds.belief + guess] = weight / total
                out[at.may_be + guess] = 1.0
                out[at.below + guess] = lower / total
                out[at.tells + guess] = tells[tile]
                lower += weight


@rule
def observe_position(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the guesses without the features by guess: the odds up to `belief`, then `opponent_exposed`."""
    n = int(state.n)
    other = 1 - seat
    weights = new_weights()
    observe_own_odds(state, seat, out, weights)
    if not lines_shown(state):
        return
    at = odds_offsets(n)
    total = weigh_guesses(state, seat, weights) if count_hidden(state, other) > 0 else 1.0
    out[at.best] = _observe_exposed(state, other, weights, total, out[at.belief :])


@rule
def _observe_exposed(state: State, owner: int, weights: Table, total: float, out: npt.NDArray[np.float32]) -> float:
    """Write the probability of the likeliest tile at each hidden place of a line; return the maximum."""
    best = 0.0
    for place in range(state.length[owner]):
        if hidden(state, owner, place):
            most = 0.0
            for tile in range(state.n):
                most = max(most, weights[place, tile])
            out[place] = most / total
            best = max(best, most / total)
    return best


@rule
def _own_by_tile(state: State, seat: int, weights: Table, total: float) -> Table:
    """For each tile, (n,): the probability, to an observer who sees neither hand, that the own line hides it."""
    shares = np.zeros(int(state.n), np.float64)
    if total > 0.0:
        for place in range(state.length[seat]):
            if hidden(state, seat, place):
                for tile in range(state.n):
                    shares[tile] += weights[place, tile]
        for tile in range(state.n):
            shares[tile] /= total
    return shares


# -- how guesses split the remaining tiles ----------------------------------------------------------------------------


def splits_features(options: CodaOptions) -> tuple[Feature, ...]:
    """`guesses`, then how evenly each guess splits the remaining tiles."""
    return (
        *guesses_features(options),
        Feature(
            "split",
            "by place x n + tile: where `may_be` is 1, the probability of a lower tile there or that of a higher one, "
            "whichever is smaller",
            options.n // 2 * options.n,
            high=0.5,
        ),
    )


@rule
def observe_splits(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    n = int(state.n)
    size = n // 2 * n
    start = out.shape[0] - size
    observe_guesses(state, seat, out[:start])
    belief, at = odds_offsets(n).belief, guesses_offsets(n)
    for guess in range(size):
        split = 0.0
        if out[at.may_be + guess] > 0.0:
            below = float(out[at.below + guess])
            split = max(min(below, 1.0 - below - float(out[belief + guess])), 0.0)  # Rounding can go below 0.
        out[start + guess] = split


GUESSES = Observation(observe_guesses, guesses_features)
SPLITS = Observation(observe_splits, splits_features)

"""The observations `guesses` and `splits`: the odds, then features for each guess.

These features have a number for each guess, in action order. A network that reads them with the same weights for every
guess (`action_features` of `train/ppo.py`) generalizes from one guess to all others.
"""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import Feature, Float32s, Float64s, Observation, State, rule
from cardgym.games.coda.arrangements import new_weights, weigh_guesses
from cardgym.games.coda.observations import ODDS, observe_belief, observe_own_odds, odds_features, places_by_size
from cardgym.games.coda.state import CodaOptions, hidden, lines_shown

BY_GUESS = ("may_be", "belief", "below", "tells")
"""The features with a number for each guess."""


def guesses_features(options: CodaOptions) -> tuple[Feature, ...]:
    """Return the odds, then the opponent's exposure by place, and three more numbers for each guess."""
    half = options.n // 2
    size = half * options.n
    return (
        *odds_features(options),
        Feature("opponent_exposed", "by place: if hidden, the probability of the likeliest tile there", half),
        Feature(
            "may_be",
            "by place x n + tile: 1 if the hidden tile there can be that one, given its color, the order of the line, "
            "all tiles seen and all guesses so far",
            size,
        ),
        Feature("below", "by place x n + tile: the probability of a lower tile there, where `may_be` is 1", size),
        Feature(
            "tells",
            "by place x n + tile: where `may_be` is 1, the probability, to an observer who sees neither hand, that a "
            "hidden tile of the own line is the named tile, which the guess rules out",
            size,
        ),
    )


GUESSES_AT = places_by_size(guesses_features)


@rule
def observe_guesses(state: State, seat: int, out: Float32s) -> None:
    n = int(state.n)
    other = 1 - seat
    weights = new_weights()
    total = observe_own_odds(state, seat, out, weights)
    if not lines_shown(state):
        return
    tells = _own_by_tile(state, seat, weights, total)
    total = observe_belief(state, seat, out, weights)
    at = GUESSES_AT[n]
    may_be, below, tells_at = at.may_be, at.below, at.tells
    for place in range(state.length[other]):
        if hidden(state, other, place):
            lower = most = 0.0
            for tile in range(n):
                weight = weights[place, tile]
                if weight > 0.0:
                    guess = place * n + tile
                    out[may_be + guess] = 1.0
                    out[below + guess] = lower / total
                    out[tells_at + guess] = tells[tile]
                    lower += weight
                    most = max(most, weight)
            out[at.opponent_exposed + place] = most / total


@rule
def observe_position(state: State, seat: int, out: Float32s) -> None:
    """Write the guesses without the features by guess: the odds up to `belief`, then `opponent_exposed`."""
    other = 1 - seat
    weights = new_weights()
    observe_own_odds(state, seat, out, weights)
    if not lines_shown(state):
        return
    at = ODDS[state.n]
    total = weigh_guesses(state, seat, weights)
    best = 0.0
    for place in range(state.length[other]):
        if hidden(state, other, place):
            most = weights[place, : state.n].max()
            out[at.belief + place] = most / total
            best = max(best, most / total)
    out[at.best] = best


@rule
def _own_by_tile(state: State, seat: int, weights: Float64s, total: float) -> Float64s:
    """By tile, (n,): the probability that the own line hides it, to an observer who sees neither hand."""
    shares = np.zeros(int(state.n), np.float64)
    for place in range(state.length[seat]):
        if hidden(state, seat, place):
            shares += weights[place, : state.n]
    return shares / total if total > 0.0 else shares


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
def observe_splits(state: State, seat: int, out: Float32s) -> None:
    n = int(state.n)
    size = n // 2 * n
    start = out.shape[0] - size
    observe_guesses(state, seat, out[:start])
    at = GUESSES_AT[n]
    for guess in range(size):
        split = 0.0
        if out[at.may_be + guess] > 0.0:
            below = float(out[at.below + guess])
            split = max(min(below, 1.0 - below - float(out[at.belief + guess])), 0.0)  # Rounding can go below 0.
        out[start + guess] = split


GUESSES = Observation(observe_guesses, guesses_features)
SPLITS = Observation(observe_splits, splits_features)

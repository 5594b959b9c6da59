"""The players of Coda: uniform over sets of guesses, exact Bayes, the paper's heuristic; `search` has its own file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardgym.engine.contract import (
    Generator,
    Int8s,
    Int64s,
    State,
    count_bits,
    rule,
    uniform,
    uniform_float,
    uniform_legal,
)
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import new_weights, weigh_guesses, weigh_own

STOP_BELOW = 0.5
"""`heuristic` and `bayes` stop, if legal, when their best guess is less likely than this."""


# -- random over a set of guesses -------------------------------------------------------------------------------------


@rule
def _choose_within(state: State, mask: Int8s, values: Int64s, generator: Generator) -> int:
    """Uniform over the legal actions, with guesses only of `values`: a set of tiles, as bits, for each place.

    If that excludes every guess, uniform over all legal actions.
    """
    if state.phase != coda.GUESSING:
        return uniform_legal(mask, generator)
    n = int(state.n)
    narrow = mask.copy()
    any_left = False
    for place in range(state.length[1 - state.turn]):
        for tile in range(n):
            if (int(values[place]) >> tile) & 1 == 0:
                narrow[place * n + tile] = 0
            elif narrow[place * n + tile]:
                any_left = True
    return uniform_legal(narrow if any_left else mask, generator)


@rule
def random_all(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Uniform over the legal actions. With `feasible="all"` these are guesses of any tile."""
    return uniform_legal(mask, generator)


@rule
def random_unseen(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Uniform over guesses of unseen tiles."""
    values = np.full(coda.MAX_LINE, coda.unseen(state, seat), np.int64)
    return _choose_within(state, mask, values, generator)


@rule
def random_color(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Uniform over guesses of unseen tiles that have the color of the back."""
    values = np.zeros(coda.MAX_LINE, np.int64)
    for place in range(state.length[1 - seat]):
        values[place] = coda.unseen(state, seat) & coda.color_of(state, 1 - seat, place)
    return _choose_within(state, mask, values, generator)


@rule
def random_consistent(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Uniform over guesses that can be right."""
    weights = new_weights()
    weigh_guesses(state, seat, weights)
    values = np.zeros(coda.MAX_LINE, np.int64)
    for place in range(coda.MAX_LINE):
        for tile in range(coda.MAX_TILES):
            if weights[place, tile] > 0.0:
                values[place] |= 1 << tile
    return _choose_within(state, mask, values, generator)


# -- exact Bayes ------------------------------------------------------------------------------------------------------


@rule
def bayes(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Make the likeliest guess given everything the seat knows, including the past guesses of both sides.

    Among equally likely guesses it takes the middle one. It stops, if legal, when the likeliest guess is less likely
    than STOP_BELOW. It places tiles at random, and turns up the tile that is easiest to guess.
    """
    return _play_exactly(state, seat, mask, generator, 0.5)


@rule
def drawing_bayes(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Play as `bayes`, but draw among equally likely guesses, as an opponent whose habits nobody knows."""
    return _play_exactly(state, seat, mask, generator, uniform_float(generator))


@rule
def _play_exactly(state: State, seat: int, mask: Int8s, generator: Generator, at: float) -> int:
    """Play as `bayes`; of equally likely guesses take the one at this share of their list, 0 to 1."""
    if state.phase == coda.REVEALING:
        return _reveal_likeliest(state, seat, mask)
    if state.phase != coda.GUESSING:
        return uniform_legal(mask, generator)
    weights = new_weights()
    total = weigh_guesses(state, seat, weights)
    n = int(state.n)
    best = 0.0
    for place in range(state.length[1 - seat]):
        if coda.hidden(state, 1 - seat, place):
            for tile in range(n):
                if mask[place * n + tile]:
                    best = max(best, weights[place, tile])
    tied = best * (1.0 - 1e-9)  # Weights with jokers are rounded.
    ties = 0
    for place in range(state.length[1 - seat]):
        if coda.hidden(state, 1 - seat, place):
            for tile in range(n):
                ties += weights[place, tile] >= tied and mask[place * n + tile]
    if mask.shape[0] > n * n and mask[coda.stop_action(state)] and best < STOP_BELOW * total:
        return coda.stop_action(state)
    pick = int(at * ties)
    for place in range(state.length[1 - seat]):
        if coda.hidden(state, 1 - seat, place):
            for tile in range(n):
                if weights[place, tile] >= tied and mask[place * n + tile]:
                    if pick == 0:
                        return place * n + tile
                    pick -= 1
    return -1


@rule
def _reveal_likeliest(state: State, seat: int, mask: Int8s) -> int:
    """Turn up the tile that is easiest to guess without seeing either hand."""
    weights = new_weights()
    weigh_own(state, seat, weights)
    choice = -1
    most = -1.0
    for place in range(state.length[seat]):
        if mask[coda.place_action(state, place)] and weights[place, state.line[seat, place]] > most:
            most = weights[place, state.line[seat, place]]
            choice = coda.place_action(state, place)
    return choice


# -- the paper's heuristic (section 4.2) ------------------------------------------------------------------------------


@rule
def heuristic(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Return the paper's six steps: find the possible values of each hidden tile, and guess where there are fewest.

    All possible values of a tile are assumed equally likely, and past guesses are forgotten. It stops, places tiles and
    turns them up as `bayes` does.
    """
    if state.phase == coda.REVEALING:
        return _reveal_likeliest(state, seat, mask)
    if state.phase != coda.GUESSING:
        return uniform_legal(mask, generator)
    values = np.zeros(coda.MAX_LINE, np.int64)
    possible_values(state, 1 - seat, coda.unseen(state, seat), values)
    n = int(state.n)
    fewest = coda.MAX_TILES + 1
    for place in range(state.length[1 - seat]):
        if coda.hidden(state, 1 - seat, place):
            fewest = min(fewest, count_bits(int(values[place])))
    if mask.shape[0] > n * n and mask[coda.stop_action(state)] and STOP_BELOW * fewest > 1:
        return coda.stop_action(state)
    tied = np.empty(n * n // 2, np.int16)
    ties = 0
    for place in range(state.length[1 - seat]):
        if coda.hidden(state, 1 - seat, place) and count_bits(int(values[place])) == fewest:
            for tile in range(n):
                if (int(values[place]) >> tile) & 1 and mask[place * n + tile]:
                    tied[ties] = place * n + tile
                    ties += 1
    if ties == 0:  # With `feasible="consistent"`, forgotten guesses can make all of these illegal.
        return uniform_legal(mask, generator)
    return int(tied[uniform(generator, ties)])


@rule
def possible_values(state: State, owner: int, values: int, out: Int64s) -> None:
    """Find which of `values` each hidden tile in a line can have, ignoring past guesses: steps 1 to 5.

    Possible values have the tile's color and lie between two bounds: above the lowest possible value of the nearest
    number on the left, and below the highest possible value of the nearest number on the right. Neighbors can be
    jokers, up to the number of unseen jokers.

    Args:
        owner: the seat whose line it is.
        values: the candidates for the hidden tiles, as bits.
        out: (MAX_LINE,), int64, all 0; filled with a set of tiles, as bits, for each hidden place.
    """
    size = int(state.length[owner])
    numbers = coda.num_numbers(state)
    spare = count_bits(values >> numbers)
    # bounds[j]: the lowest possible value of the last number so far if j hidden tiles up to here are jokers.
    bounds = np.full(3, -1, np.int64)
    for place in range(size):
        if coda.hidden(state, owner, place):
            fits = values & coda.color_of(state, owner, place)
            for tile in range(numbers, int(state.n)):
                if (fits >> tile) & 1:
                    out[place] |= 1 << tile
            for tile in range(bounds[spare] + 1, numbers):
                if (fits >> tile) & 1:
                    out[place] |= 1 << tile
            for used in range(spare, -1, -1):
                least = bounds[used] + 1
                while least < numbers and (fits >> least) & 1 == 0:
                    least += 1
                bounds[used] = min(least, bounds[used - 1]) if used > 0 else least
        elif state.line[owner, place] < numbers:
            bounds[:] = state.line[owner, place]
    # bounds[j]: the same from the right: the highest possible value of the first number.
    bounds[:] = numbers
    for place in range(size - 1, -1, -1):
        if coda.hidden(state, owner, place):
            fits = values & coda.color_of(state, owner, place)
            for tile in range(bounds[spare], numbers):
                out[place] &= ~(1 << tile)
            for used in range(spare, -1, -1):
                greatest = bounds[used] - 1
                while greatest >= 0 and (fits >> greatest) & 1 == 0:
                    greatest -= 1
                bounds[used] = max(greatest, bounds[used - 1]) if used > 0 else greatest
        elif state.line[owner, place] < numbers:
            bounds[:] = state.line[owner, place]


# -- as an opponent in playouts ---------------------------------------------------------------------------------------

MODELED = {
    "bayes": 0,
    "heuristic": 1,
    "random-consistent": 2,
    "random-color": 3,
    "random-unseen": 4,
    "random-all": 5,
    "random": 5,
}
"""The players that `act_as` plays, with their numbers; `bayes` draws among equally likely guesses."""


@rule
def act_as(model: int, state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Choose an action as the player with this number in `MODELED`."""
    if model == 0:
        return int(drawing_bayes(state, seat, mask, generator))
    if model == 1:
        return int(heuristic(state, seat, mask, generator))
    if model == 2:
        return int(random_consistent(state, seat, mask, generator))
    if model == 3:
        return int(random_color(state, seat, mask, generator))
    if model == 4:
        return int(random_unseen(state, seat, mask, generator))
    return int(random_all(state, seat, mask, generator))


PLAYERS: dict[str, Callable[..., Any]] = {
    "random-all": random_all,
    "random-unseen": random_unseen,
    "random-color": random_color,
    "random-consistent": random_consistent,
    "heuristic": heuristic,
    "bayes": bayes,
}

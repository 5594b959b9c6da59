"""The weights of the arrangements of a line's hidden tiles, added up exactly.

An arrangement assigns a different unseen value to each hidden tile of a line, such that numbers ascend from left to
right (jokers can be anywhere), every color matches the tile's back, and no tile has a value known to be wrong.

All deals are equally likely, and an owner who may choose a tile's place takes each open place with equal probability.
So an arrangement's weight is the probability that jokers, and the numbers placed next to them, were put where they are.
It depends only on the places of the jokers and on when each tile entered the line, which both seats see:

- A joker that entered a line as its m-th tile had m open places: 1 / m. Dealt jokers are placed one after the other
  once the dealt numbers are in the line: 1 / n_start for one, 1 / (n_start (n_start - 1)) for two.
- A number drawn later had 1 + j open places where j jokers then stood next to each other on that spot: 1 / (1 + j).

Without jokers every weight is 1. One pass over the line from each end adds up the weights, with one more pass for each
place that can hold the leftmost joker.
"""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import Float64s, Int64s, State, rule
from cardgym.games.coda import state as coda
from cardgym.games.coda.state import count_hidden, fitting, hidden, num_numbers, tiles_at

# -- how likely jokers were put where they are ------------------------------------------------------------------------


@rule
def placing_chances(state: State, owner: int) -> Float64s:
    """Return the probability of all choices of a place that jokers caused, by the places of the jokers in the line.

    A table (MAX_LINE + 1, MAX_LINE + 1), float64. At [p, p]: with a single joker at place p. At [p, q] with p < q: with
    jokers at p and q, divided by the entry at [p, p]. Other entries have no meaning.
    """
    chances = np.ones((coda.MAX_LINE + 1, coda.MAX_LINE + 1), np.float64)
    if state.jokers == 0:
        return chances
    size = int(state.length[owner])
    dealt = int(state.n_start)
    for place in range(size):
        entered = int(state.entered[state.line[owner, place]])
        chances[place, place] /= entered
        if entered == dealt:
            for right in range(place + 1, size):
                if state.entered[state.line[owner, right]] == dealt:
                    chances[place, right] *= dealt / (dealt - 1.0)
            continue
        # As a number, the tile had two open places if one of its neighbors then was a joker, and three if both were or
        # if two jokers were next to it on one side. The factors for pairs correct the product of those for one joker.
        left = _neighbor(state, owner, place, -1, entered)
        right = _neighbor(state, owner, place, 1, entered)
        chances[left, left] /= 2.0
        chances[right, right] /= 2.0
        chances[left, right] *= 4.0 / 3.0
        chances[_neighbor(state, owner, left, -1, entered), left] *= 2.0 / 3.0
        chances[right, _neighbor(state, owner, right, 1, entered)] *= 2.0 / 3.0
        chances[left, place] *= 2.0
        chances[place, right] *= 2.0
    for place in range(size):
        for right in range(place + 1, size):
            chances[place, right] *= chances[right, right]
    return chances


@rule
def _neighbor(state: State, owner: int, place: int, step: int, entered: int) -> int:
    """Get the nearest place on one side whose tile entered the line before number `entered` did; MAX_LINE if none."""
    if place == coda.MAX_LINE:
        return coda.MAX_LINE
    place += step
    while 0 <= place < state.length[owner]:
        if state.entered[state.line[owner, place]] < entered:
            return place
        place += step
    return coda.MAX_LINE


# -- weighing ---------------------------------------------------------------------------------------------------------


@rule
def weigh_arrangements(state: State, owner: int, values: int, weights: Float64s) -> float:
    """Add up the weights of the arrangements of a line whose hidden tiles are among `values`.

    Args:
        state: the state. Of a hidden tile, only its color, its excluded values and when it entered are read.
        owner: the seat whose line it is.
        values: the candidates for the hidden tiles, as bits.
        weights: (MAX_LINE, MAX_TILES), float64; filled with the weight of the arrangements with each tile at each
            hidden place.

    Returns:
        The weight of all arrangements; without jokers, their number.
    """
    weights[: state.length[owner], : state.n] = 0.0
    if values >> num_numbers(state) == 0 and count_hidden(state, owner) == 1:
        return _weigh_single(state, owner, values, weights)
    return _weigh_many(state, owner, values, weights)


@rule
def _weigh_single(state: State, owner: int, values: int, weights: Float64s) -> float:
    """Weigh a line with one hidden tile and no joker: any fitting number between its neighbors."""
    low, high, at = -1, num_numbers(state), -1
    for place in range(state.length[owner]):
        tile = int(state.line[owner, place])
        if hidden(state, owner, place):
            at = place
        elif tile < num_numbers(state):
            if at < 0:
                low = tile
            else:
                high = tile
                break
    fits = fitting(state, owner, at, values)
    total = 0.0
    for tile in range(low + 1, high):
        if (fits >> tile) & 1:
            weights[at, tile] = 1.0
            total += 1.0
    return total


@rule
def _weigh_many(state: State, owner: int, values: int, weights: Float64s) -> float:
    """Weigh in the general case.

    Tables have one row more than there are places, and one column more than there are numbers. `before[place, bound]`
    is the weight of the ways to fill the places left of `place` with numbers below `bound`; `after[place, bound]` is
    that of the ways to fill the places from `place` on with numbers from `bound` on.
    """
    fits = tiles_by_place(state, owner, values)
    size, numbers = fits.shape[0], num_numbers(state)
    chances = placing_chances(state, owner)
    before = new_table(size, numbers)  # Without jokers.
    before[0, :] = 1.0
    for place in range(size):
        _extend_right(fits[place], before[place], before[place + 1])
    after = after_no_joker(fits, numbers)
    after_any = new_table(size, numbers)  # With any jokers.
    after_any[size, :] = 1.0
    after_one = new_table(size, numbers)  # Right of the leftmost joker.
    before_one = new_table(size, numbers)  # Up to a second joker, given the place of the leftmost.
    before_both = new_table(size, numbers)
    for joker_place in range(size - 1, -1, -1):
        extend_left(fits[joker_place], after_any[joker_place + 1], after_any[joker_place])
        for joker in range(2):
            if (fits[joker_place] >> (numbers + joker)) & 1 == 0:
                continue
            second = numbers + 1 - joker
            after_joker(fits, joker_place, second, chances, after, after_one)
            add_ways(1.0, after_one[joker_place + 1], after_any[joker_place])
            if hidden(state, owner, joker_place):
                weights[joker_place, numbers + joker] = _join(before[joker_place], after_one[joker_place + 1])
            for ways in range(before.shape[1]):  # A slice would compile two seconds of Numba's error messages.
                before_one[joker_place + 1, ways] = before[joker_place, ways]
            for place in range(joker_place + 1, size):
                _extend_right(fits[place], before_one[place], before_one[place + 1])
                if (fits[place] >> second) & 1:
                    chance = chances[joker_place, joker_place] * chances[joker_place, place]
                    add_ways(chance, before_one[place], before_both[place + 1])
                    if hidden(state, owner, place):
                        weights[place, second] += chance * _join(before_one[place], after[place + 1])
                if hidden(state, owner, place):
                    _combine(before_one[place], after_one[place + 1], fits[place], weights[place])
    both = np.zeros(numbers + 1, np.float64)
    for place in range(size):
        if hidden(state, owner, place):
            _combine(before[place], after_any[place + 1], fits[place], weights[place])
            _combine(before_both[place], after[place + 1], fits[place], weights[place])
        _extend_right(fits[place], before_both[place], both)
        add_ways(1.0, both, before_both[place + 1])
    return float(after_any[0, 0])


@rule
def tiles_by_place(state: State, owner: int, values: int) -> Int64s:
    """`tiles_at` every place of a line, (length,)."""
    fits = np.empty(int(state.length[owner]), np.int64)
    for place in range(fits.shape[0]):
        fits[place] = tiles_at(state, owner, place, values)
    return fits


@rule
def new_table(size: int, numbers: int) -> Float64s:
    return np.zeros((size + 1, numbers + 1), np.float64)


@rule
def after_no_joker(fits: Int64s, numbers: int) -> Float64s:
    """`after` without jokers; see `_weigh_many`."""
    size = fits.shape[0]
    after = new_table(size, numbers)
    after[size, :] = 1.0
    for place in range(size - 1, -1, -1):
        extend_left(fits[place], after[place + 1], after[place])
    return after


@rule
def after_joker(fits: Int64s, joker_place: int, second: int, chances: Float64s, after: Float64s, out: Float64s) -> None:
    """Fill in the rows of `after` to the right of the leftmost joker, where `second`, the other joker, may follow."""
    chance = chances[joker_place, joker_place]
    size = fits.shape[0]
    out[size, :] = chance
    for place in range(size - 1, joker_place, -1):
        extend_left(fits[place], out[place + 1], out[place])
        if (fits[place] >> second) & 1:
            add_ways(chance * chances[joker_place, place], after[place + 1], out[place])


@rule
def _extend_right(fits: int, row: Float64s, out: Float64s) -> None:
    """Write the row of `before` to the right of a place with a number, from that to its left; see `_weigh_many`."""
    ways = 0.0
    out[0] = 0.0
    for number in range(out.shape[0] - 1):
        if (fits >> number) & 1:
            ways += row[number]
        out[number + 1] = ways


@rule
def extend_left(fits: int, row: Float64s, out: Float64s) -> None:
    """Write the row of `after` at a place with a number, from that to its right; see `_weigh_many`."""
    ways = 0.0
    out[out.shape[0] - 1] = 0.0
    for number in range(out.shape[0] - 2, -1, -1):
        if (fits >> number) & 1:
            ways += row[number + 1]
        out[number] = ways


@rule
def add_ways(chance: float, row: Float64s, out: Float64s) -> None:
    """Add a row to another of the same bounds, times the probability that a joker was put between them."""
    for bound in range(out.shape[0]):
        out[bound] += chance * row[bound]


@rule
def _combine(before: Float64s, after: Float64s, fits: int, weights: Float64s) -> None:
    """Add the weights of the arrangements with each number at a place, given the ways to its left and right."""
    for number in range(before.shape[0] - 1):
        if (fits >> number) & 1:
            weights[number] += before[number] * after[number + 1]


@rule
def _join(before: Float64s, after: Float64s) -> float:
    """Return the weight of the ways to fill both sides of a joker."""
    ways = before[0] * after[0]
    for number in range(before.shape[0] - 1):
        ways += (before[number + 1] - before[number]) * after[number + 1]
    return float(ways)


@rule
def weigh_guesses(state: State, seat: int, weights: Float64s) -> float:
    """Weigh the arrangements of the opponent's line consistent with what `seat` knows; see `weigh_arrangements`."""
    return weigh_arrangements(state, 1 - seat, coda.unseen(state, seat), weights)


@rule
def weigh_own(state: State, seat: int, weights: Float64s) -> float:
    """Weigh the arrangements of a seat's own line for an observer who sees neither hand; see `weigh_arrangements`."""
    return weigh_arrangements(state, seat, coda.not_face_up(state), weights)


@rule
def new_weights() -> Float64s:
    """Return an array for `weigh_arrangements` to fill."""
    return np.zeros((coda.MAX_LINE, coda.MAX_TILES), np.float64)

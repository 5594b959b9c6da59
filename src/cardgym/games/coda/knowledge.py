"""What can be inferred about a line at Coda: exact counts of its arrangements.

An arrangement gives each hidden tile of a line another unseen value, so that numbers ascend from left to right (jokers
stand anywhere), colours agree with the backs, and no tile has a value that it is known not to have. All tiles are
dealt alike, so all arrangements are equally likely; one pass over the line from either side counts them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, Record, rule, uniform
from cardgym.games.coda.state import (
    BLACK,
    MAX_LINE,
    MAX_TILES,
    NONE,
    WHITE,
    YES,
    count_hidden,
    hidden,
    num_numbers,
    unseen,
)


@rule
def colour_of(state: Record, seat: int, place: int) -> int:
    """The tiles of the colour that the back at a place shows; all where backs show none."""
    if state.colour_visible == YES:
        return WHITE if state.line[seat, place] & 1 else BLACK
    return BLACK | WHITE


@rule
def fitting(state: Record, owner: int, place: int, values: int) -> int:
    """Those of `values` that the hidden tile at a place may be by its colour and by all guesses made."""
    return values & colour_of(state, owner, place) & ~int(state.denied[state.line[owner, place]])


@rule
def count_arrangements(state: Record, owner: int, values: int, counts: npt.NDArray[np.int64]) -> int:
    """Count the arrangements of a line whose hidden tiles are among `values`.

    Args:
        state: the state; of the line's hidden tiles only their colours and what they are known not to be is read.
        owner: the seat whose line it is.
        values: the tiles that hidden ones may be, as bits.
        counts: (MAX_LINE, MAX_TILES), int64, filled: in how many arrangements each place holds each tile.

    Returns:
        How many arrangements there are.
    """
    size = int(state.length[owner])
    for place in range(size):
        for tile in range(state.n):
            counts[place, tile] = 0
    if values >> num_numbers(state) == 0 and count_hidden(state, owner) == 1:
        return _count_single(state, owner, values, counts)
    return _count_many(state, owner, values, counts)


@rule
def _count_single(state: Record, owner: int, values: int, counts: npt.NDArray[np.int64]) -> int:
    """One hidden tile and no hidden joker: every fitting number between its neighbours, once."""
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
    total = 0
    for tile in range(low + 1, high):
        if (fits >> tile) & 1:
            counts[at, tile] = 1
            total += 1
    return total


@rule
def _count_many(state: Record, owner: int, values: int, counts: npt.NDArray[np.int64]) -> int:
    """The general case. The second index of the tables is the set of hidden jokers used (0 to 3)."""
    size = int(state.length[owner])
    numbers = num_numbers(state)
    sets = 4 if values >> numbers else 1
    # before[place, used, bound]: ways to fill the places left of `place` with numbers below `bound`.
    before = np.zeros((size + 1, sets, numbers + 1), np.int64)
    for bound in range(numbers + 1):
        before[0, 0, bound] = 1
    for place in range(size):
        _extend(state, owner, place, values, before)
    total = 0
    for used in range(sets):
        total += before[size, used, numbers]
    # after[used, bound]: ways to fill the places right of `place` with numbers from `bound` on.
    after = np.zeros((sets, numbers + 1), np.int64)
    for bound in range(numbers + 1):
        after[0, bound] = 1
    for place in range(size - 1, -1, -1):
        if hidden(state, owner, place):
            _meet(before[place], after, numbers, fitting(state, owner, place, values), counts[place])
        after = _extend_left(state, owner, place, values, after)
    return int(total)


@rule
def _extend(state: Record, owner: int, place: int, values: int, before: npt.NDArray[np.int64]) -> None:
    """Fill in the table of ways one place further to the right."""
    numbers = num_numbers(state)
    tile = int(state.line[owner, place])
    fits = fitting(state, owner, place, values)
    for used in range(before.shape[1]):
        if not hidden(state, owner, place):
            for bound in range(numbers + 1):
                if tile >= numbers:
                    before[place + 1, used, bound] = before[place, used, bound]
                elif bound > tile:
                    before[place + 1, used, bound] = before[place, used, tile]
            continue
        ways = 0
        for number in range(numbers):
            if (fits >> number) & 1:
                ways += before[place, used, number]
            before[place + 1, used, number + 1] = ways
        for joker in range(2):
            if (used >> joker) & 1 and (fits >> (numbers + joker)) & 1:
                for bound in range(numbers + 1):
                    before[place + 1, used, bound] += before[place, used ^ (1 << joker), bound]


@rule
def _extend_left(
    state: Record, owner: int, place: int, values: int, after: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The ways to the right, the tile at `place` among them."""
    numbers = num_numbers(state)
    tile = int(state.line[owner, place])
    fits = fitting(state, owner, place, values)
    further = np.zeros_like(after)
    for used in range(after.shape[0]):
        if not hidden(state, owner, place):
            for bound in range(numbers + 1):
                if tile >= numbers:
                    further[used, bound] = after[used, bound]
                elif bound <= tile:
                    further[used, bound] = after[used, tile + 1]
            continue
        ways = 0
        for number in range(numbers - 1, -1, -1):
            if (fits >> number) & 1:
                ways += after[used, number + 1]
            further[used, number] = ways
        for joker in range(2):
            if (used >> joker) & 1 and (fits >> (numbers + joker)) & 1:
                for bound in range(numbers + 1):
                    further[used, bound] += after[used ^ (1 << joker), bound]
    return further


@rule
def _meet(
    before: npt.NDArray[np.int64], after: npt.NDArray[np.int64], numbers: int, fits: int, count: npt.NDArray[np.int64]
) -> None:
    """In how many arrangements one hidden place holds each tile, from the ways on its left and on its right."""
    for left in range(before.shape[0]):
        for right in range(after.shape[0]):
            if left & right:
                continue
            for number in range(numbers):
                if (fits >> number) & 1:
                    count[number] += before[left, number] * after[right, number + 1]
            for joker in range(2):
                if (fits >> (numbers + joker)) & 1 and ((left | right) >> joker) & 1 == 0:
                    ways = before[left, 0] * after[right, 0]
                    for number in range(numbers):
                        ways += (before[left, number + 1] - before[left, number]) * after[right, number + 1]
                    count[numbers + joker] += ways


@rule
def count_guesses(state: Record, seat: int, counts: npt.NDArray[np.int64]) -> int:
    """Count the arrangements of the opponent's line that agree with all that `seat` knows; see `count_arrangements`."""
    return count_arrangements(state, 1 - seat, unseen(state, seat), counts)


@rule
def new_counts() -> npt.NDArray[np.int64]:
    """A table for `count_arrangements` to fill."""
    return np.zeros((MAX_LINE, MAX_TILES), np.int64)


@rule
def draw_arrangement(state: Record, owner: int, values: int, generator: Generator) -> int:
    """Draw one arrangement of a line, uniformly, and put its tiles there; return `values` without them.

    What is known about a hidden tile stays with its place.
    """
    size = int(state.length[owner])
    counts = new_counts()
    tiles = np.full(MAX_LINE, NONE, np.int32)
    denied = np.zeros(MAX_LINE, np.int32)
    for place in range(size):
        if hidden(state, owner, place):
            pick = uniform(generator, count_arrangements(state, owner, values, counts))
            tile = 0
            while pick >= counts[place, tile]:
                pick -= counts[place, tile]
                tile += 1
            # From here on the place can be nothing else, and the places after it are drawn accordingly.
            old = int(state.line[owner, place])
            denied[place] = state.denied[old]
            state.denied[old] = (BLACK | WHITE) & ~(1 << tile)
            tiles[place] = tile
    for place in range(size):
        if tiles[place] != NONE:
            old = int(state.line[owner, place])
            state.denied[old] = 0
            state.held[owner] &= ~(1 << old)
    for place in range(size):
        if tiles[place] != NONE:
            tile = int(tiles[place])
            state.line[owner, place] = tile
            state.denied[tile] = denied[place]
            state.held[owner] |= 1 << tile
            values &= ~(1 << tile)
    return values

"""Exact inference about a line: counting the arrangements of its hidden tiles, and sampling one.

An arrangement assigns a different unseen value to each hidden tile of a line, such that numbers ascend from left to
right (jokers can be anywhere), every colour matches the tile's back, and no tile has a value known to be wrong. All
deals are equally likely, and so are all arrangements. One pass over the line from each end counts them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, State, rule, uniform
from cardgym.games.coda.state import (
    BLACK,
    FIRST,
    MAX_LINE,
    MAX_TILES,
    NONE,
    SETTING,
    SHUFFLED,
    WHITE,
    YES,
    count_hidden,
    first_place,
    hidden,
    insert,
    lines_shown,
    num_numbers,
    unseen,
)

# -- counting ---------------------------------------------------------------------------------------------------------


@rule
def colour_of(state: State, seat: int, place: int) -> int:
    """The tiles of the colour of the back at a place; all tiles if backs show no colour."""
    if state.colour_visible == YES:
        return WHITE if state.line[seat, place] & 1 else BLACK
    return BLACK | WHITE


@rule
def fitting(state: State, owner: int, place: int, values: int) -> int:
    """The subset of `values` possible for the hidden tile at a place, given its colour and all past guesses."""
    return values & colour_of(state, owner, place) & ~int(state.denied[state.line[owner, place]])


@rule
def tiles_at(state: State, owner: int, place: int, values: int) -> int:
    """The possible tiles at a place: the tile itself if face up, else `fitting`."""
    tile = int(state.line[owner, place])
    # Branch-free: whether a tile is face up is unpredictable, and a misprediction costs more than all of this.
    shown = -((int(state.up[owner]) >> tile) & 1)
    return (fitting(state, owner, place, values) & ~shown) | ((1 << tile) & shown)


@rule
def count_arrangements(state: State, owner: int, values: int, counts: npt.NDArray[np.int64]) -> int:
    """Count the arrangements of a line whose hidden tiles are among `values`.

    Args:
        state: the state. Of a hidden tile, only its colour and its excluded values are read.
        owner: the seat whose line it is.
        values: the candidates for the hidden tiles, as bits.
        counts: (MAX_LINE, MAX_TILES), int64; filled with the number of arrangements with each tile at each place.

    Returns:
        The number of arrangements.
    """
    size = int(state.length[owner])
    for place in range(size):
        for tile in range(state.n):
            counts[place, tile] = 0
    if values >> num_numbers(state) == 0 and count_hidden(state, owner) == 1:
        return _count_single(state, owner, values, counts)
    return _count_many(state, owner, values, counts)


@rule
def _count_single(state: State, owner: int, values: int, counts: npt.NDArray[np.int64]) -> int:
    """Count for one hidden tile that is not a joker: any fitting number between its neighbours."""
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
def _count_many(state: State, owner: int, values: int, counts: npt.NDArray[np.int64]) -> int:
    """Count in the general case. `used` is the set of hidden jokers placed so far, as bits: 0 to 3."""
    size = int(state.length[owner])
    numbers = num_numbers(state)
    sets = 4 if values >> numbers else 1
    # before[place, used, bound]: the ways to fill the places left of `place` with numbers below `bound`.
    before = np.zeros((size + 1, sets, numbers + 1), np.int64)
    for bound in range(numbers + 1):
        before[0, 0, bound] = 1
    for place in range(size):
        _extend_right(state, owner, place, values, before)
    total = 0
    for used in range(sets):
        total += before[size, used, numbers]
    # after[used, bound]: the ways to fill the places right of `place` with numbers from `bound` on.
    after = np.zeros((sets, numbers + 1), np.int64)
    for bound in range(numbers + 1):
        after[0, bound] = 1
    for place in range(size - 1, -1, -1):
        if hidden(state, owner, place):
            _combine(before[place], after, numbers, fitting(state, owner, place, values), counts[place])
        after = _extend_left(state, owner, place, values, after)
    return int(total)


@rule
def _extend_right(state: State, owner: int, place: int, values: int, before: npt.NDArray[np.int64]) -> None:
    """Compute `before[place + 1]` from `before[place]`; see `_count_many`."""
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
    state: State, owner: int, place: int, values: int, after: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Compute `after` for the places from `place` on, given `after` for those right of it; see `_count_many`."""
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
def _combine(
    before: npt.NDArray[np.int64], after: npt.NDArray[np.int64], numbers: int, fits: int, count: npt.NDArray[np.int64]
) -> None:
    """Add to `count` the number of arrangements with each tile at a hidden place, given the ways left and right."""
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
def count_guesses(state: State, seat: int, counts: npt.NDArray[np.int64]) -> int:
    """Count the arrangements of the opponent's line consistent with what `seat` knows; see `count_arrangements`."""
    return count_arrangements(state, 1 - seat, unseen(state, seat), counts)


@rule
def new_counts() -> npt.NDArray[np.int64]:
    """An array for `count_arrangements` to fill."""
    return np.zeros((MAX_LINE, MAX_TILES), np.int64)


# -- what a seat cannot see -------------------------------------------------------------------------------------------


@rule
def draw_arrangement(state: State, owner: int, values: int, generator: Generator) -> int:
    """Sample an arrangement of a line uniformly, and put its tiles there.

    Knowledge about a hidden tile stays with its place.

    Args:
        state: the state, changed in place.
        owner: the seat whose line it is.
        values: the candidates for the hidden tiles, as bits.
        generator: the source of randomness.

    Returns:
        `values` without the tiles put in the line.
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
            # Fix the place at this tile for now, so that later places are drawn given it.
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


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Resample what `seat` cannot see: the opponent's hidden tiles and drawn tile, and the pool.

    All states consistent with what the seat knows are equally likely.
    """
    other = 1 - seat
    state.stacked = SHUFFLED
    if state.phase == FIRST:
        return
    if not lines_shown(state):
        _redeal(state, other, unseen(state, seat), generator)
    else:
        drawn = int(state.drawn)
        denied = 0
        set_aside = state.turn == other and drawn != NONE
        if set_aside:
            denied = int(state.denied[drawn])
            state.denied[drawn] = 0
            state.held[other] &= ~(1 << drawn)
        values = unseen(state, seat)
        if count_hidden(state, other) > 0:
            values = draw_arrangement(state, other, values, generator)
        if set_aside:
            drawn = _pick(values & ~denied, int(state.n), generator)
            state.drawn = drawn
            state.denied[drawn] = denied
            state.held[other] |= 1 << drawn
    state.pool = unseen(state, seat) & ~int(state.held[other])


@rule
def _redeal(state: State, owner: int, values: int, generator: Generator) -> None:
    """Deal a hand before the first turn. A seat that is placing a joker is known to have it."""
    numbers = num_numbers(state)
    placing = state.phase == SETTING and state.turn == owner
    kept = 0
    count = 0
    for tile in range(state.n):
        if (int(state.held[owner]) >> tile) & 1:
            if placing and tile >= numbers:
                kept |= 1 << tile
            else:
                count += 1
    if placing:
        values &= (1 << numbers) - 1
    places = np.zeros(2, np.int64)
    for joker in range(2):
        places[joker] = -1
        for place in range(state.length[owner]):
            if (kept >> (numbers + joker)) & 1 and state.line[owner, place] == numbers + joker:
                places[joker] = place
    state.held[owner] = kept
    state.length[owner] = 0
    for place in range(MAX_LINE):
        state.line[owner, place] = NONE
    state.waiting[owner] &= kept
    jokers = 0
    for _ in range(count):
        tile = _pick(values, int(state.n), generator)
        values &= ~(1 << tile)
        state.held[owner] |= 1 << tile
        if tile < numbers:
            insert(state, owner, first_place(state, owner, tile), tile)
        else:
            jokers |= 1 << tile
    for joker in range(2):
        tile = numbers + joker
        if (jokers >> tile) & 1:
            if state.phase == SETTING and owner < state.turn:
                insert(state, owner, uniform(generator, int(state.length[owner]) + 1), tile)
            else:
                state.waiting[owner] |= 1 << tile
    put_jokers(state, owner, places)


@rule
def put_jokers(state: State, owner: int, places: npt.NDArray[np.int64]) -> None:
    """Put a seat's jokers into its line at `places`, (2,), leftmost first; -1 leaves a joker out."""
    numbers = num_numbers(state)
    first = 0 if places[0] < places[1] else 1
    for joker in (first, 1 - first):
        if places[joker] >= 0:
            insert(state, owner, places[joker], numbers + joker)


@rule
def _pick(values: int, n: int, generator: Generator) -> int:
    """A uniformly random tile of a set; NONE if it is empty."""
    count = 0
    for tile in range(n):
        count += (values >> tile) & 1
    pick = uniform(generator, count)
    for tile in range(n):
        if (values >> tile) & 1:
            if pick == 0:
                return tile
            pick -= 1
    return NONE

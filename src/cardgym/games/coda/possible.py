"""The possible values of a hidden tile: by its colour and past guesses, and by the order of the line too.

By the order, a tile is possible at a place if lower numbers can fill the places left of it and higher numbers those
right of it. Two bounds decide this: the lowest number left over after filling the left as low as possible, and the
highest left over after filling the right as high as possible. Each bound is kept for every set of jokers on its side,
from 0 to 3.
"""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.coda.state import BLACK, WHITE, YES, highest_tile, lowest_tile, num_numbers

Bounds = tuple[int, int, int, int]
"""A bound for each set of jokers."""

_NO_LOW, _NO_HIGH = 31, -1
"""The bounds if a side cannot be filled with that set of jokers."""


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
    face_up = -((int(state.up[owner]) >> tile) & 1)
    return (fitting(state, owner, place, values) & ~face_up) | ((1 << tile) & face_up)


@rule
def possible_tiles(state: State, owner: int, place: int, values: int) -> int:
    """The tiles that an arrangement can have at a place, as bits, if the line hides some of `values`."""
    numbers = num_numbers(state)
    lows = (0, _NO_LOW, _NO_LOW, _NO_LOW)
    for at in range(place):
        lows = _fill_left(tiles_at(state, owner, at, values), numbers, lows)
    highs = (numbers, _NO_HIGH, _NO_HIGH, _NO_HIGH)
    for at in range(state.length[owner] - 1, place, -1):
        highs = _fill_right(tiles_at(state, owner, at, values), numbers, highs)
    possible = 0
    for left in range(4):
        for right in range(4):
            if left & right == 0 and lows[left] <= highs[right]:
                possible |= (1 << highs[right]) - (1 << lows[left])
                possible |= (3 & ~(left | right)) << numbers
    return possible & tiles_at(state, owner, place, values)


@rule
def _fill_left(tiles: int, numbers: int, lows: Bounds) -> Bounds:
    """The bounds after filling a place with one of `tiles`, given the bounds left of it."""
    none, black, white, both = lows
    with_black = _NO_LOW
    with_white = _NO_LOW
    with_both = _NO_LOW
    if (tiles >> numbers) & 1:
        with_black, with_both = none, white
    if (tiles >> numbers) & 2:
        with_white, with_both = none, min(with_both, black)
    tiles &= (1 << numbers) - 1
    return (
        _lowest_from(tiles, none),
        min(with_black, _lowest_from(tiles, black)),
        min(with_white, _lowest_from(tiles, white)),
        min(with_both, _lowest_from(tiles, both)),
    )


@rule
def _fill_right(tiles: int, numbers: int, highs: Bounds) -> Bounds:
    """The bounds after filling a place with one of `tiles`, given the bounds right of it."""
    none, black, white, both = highs
    with_black = _NO_HIGH
    with_white = _NO_HIGH
    with_both = _NO_HIGH
    if (tiles >> numbers) & 1:
        with_black, with_both = none, white
    if (tiles >> numbers) & 2:
        with_white, with_both = none, max(with_both, black)
    tiles &= (1 << numbers) - 1
    return (
        _highest_below(tiles, none),
        max(with_black, _highest_below(tiles, black)),
        max(with_white, _highest_below(tiles, white)),
        max(with_both, _highest_below(tiles, both)),
    )


@rule
def _lowest_from(tiles: int, bound: int) -> int:
    """The bound after placing the lowest of `tiles` from `bound` on."""
    tiles = (tiles >> bound) << bound
    return lowest_tile(tiles) + 1 if tiles else _NO_LOW


@rule
def _highest_below(tiles: int, bound: int) -> int:
    return highest_tile(tiles & ((1 << max(bound, 0)) - 1))

"""What a seat knows and cannot see: sampling it exactly, with the weights of `arrangements`."""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import Float64s, Generator, Int64s, State, count_bits, rule, uniform, uniform_float
from cardgym.games.coda import arrangements
from cardgym.games.coda import state as coda


@rule
def draw_arrangement(state: State, owner: int, values: int, generator: Generator) -> int:
    """Sample an arrangement of `owner`'s line in proportion to its weight, and put its tiles there.

    Knowledge about a hidden tile stays with its place. `values` are the candidates for the hidden tiles, as bits;
    returns those that are left.
    """
    tiles = _draw_tiles(state, owner, values, generator)
    size = tiles.shape[0]
    denied = np.zeros(size, np.int32)
    entered = np.zeros(size, np.int8)
    for place in range(size):
        old = int(state.line[owner, place])
        denied[place] = state.denied[old]
        entered[place] = state.entered[old]
    for place in range(size):
        old = int(state.line[owner, place])
        state.denied[old] = 0
        state.entered[old] = 0
        state.held[owner] &= ~(1 << old)
    for place in range(size):
        tile = int(tiles[place])
        state.line[owner, place] = tile
        state.denied[tile] = denied[place]
        state.entered[tile] = entered[place]
        state.held[owner] |= 1 << tile
        values &= ~(1 << tile)
    return values


@rule
def _draw_tiles(state: State, owner: int, values: int, generator: Generator) -> Int64s:
    """Return an arrangement of a line drawn in proportion to its weight: the tile at each place, from left to right."""
    fits = arrangements.tiles_by_place(state, owner, values)
    size, numbers = fits.shape[0], coda.num_numbers(state)
    chances = arrangements.placing_chances(state, owner)
    after_none = arrangements.after_no_joker(fits, numbers)
    after = arrangements.new_table(size, numbers)  # Given the jokers drawn so far.
    after[size, :] = 1.0
    after_one = arrangements.new_table(size, numbers)
    for place in range(size - 1, -1, -1):
        arrangements.extend_left(fits[place], after[place + 1], after[place])
        for joker in range(2):
            if (fits[place] >> (numbers + joker)) & 1:
                arrangements.after_joker(fits, place, numbers + 1 - joker, chances, after_none, after_one)
                arrangements.add_ways(1.0, after_one[place + 1], after[place])
    tiles = np.empty(size, np.int64)
    weights = np.empty(int(state.n), np.float64)
    bound = 0
    joker_place = -1
    spare = 3  # The jokers that can still come, as bits.
    for place in range(size):
        weights[:] = 0.0
        for number in range(bound, numbers):
            if (fits[place] >> number) & 1:
                weights[number] = after[place + 1, number + 1]
        for joker in range(2):
            if (fits[place] >> (numbers + joker)) & (spare >> joker) & 1:
                if joker_place < 0:
                    arrangements.after_joker(fits, place, numbers + 1 - joker, chances, after_none, after_one)
                    weights[numbers + joker] = after_one[place + 1, bound]
                else:
                    chance = chances[joker_place, joker_place] * chances[joker_place, place]
                    weights[numbers + joker] = chance * after_none[place + 1, bound]
        if coda.hidden(state, owner, place):
            tile = _draw_weighted(weights, state.jokers == 0, generator)
        else:
            tile = int(state.line[owner, place])
        tiles[place] = tile
        if tile < numbers:
            bound = tile + 1
            continue
        spare &= ~(1 << (tile - numbers))
        if joker_place < 0:
            joker_place = place
            arrangements.after_joker(fits, place, numbers + 1 - (tile - numbers), chances, after_none, after)
        else:
            after = after_none
    return tiles


@rule
def _draw_weighted(weights: Float64s, whole: bool, generator: Generator) -> int:
    """Return an index drawn in proportion to its weight; `whole` if all weights are whole numbers."""
    total = 0.0
    for i in range(weights.shape[0]):
        total += weights[i]
    left = float(uniform(generator, int(total))) if whole else uniform_float(generator) * total
    drawn = coda.NONE
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            drawn = i
            if left < weights[i]:
                break
            left -= weights[i]
    return drawn


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Resample what `seat` cannot see, given all that it knows: the opponent's hidden tiles and drawn tile, the pool.

    The opponent has never named a tile that it held, so the values excluded for its drawn tile are excluded in its line
    too: every arrangement of the line leaves the same number of tiles for the drawn one.
    """
    other = 1 - seat
    state.stacked = coda.SHUFFLED
    if state.phase == coda.FIRST:
        return
    if not coda.lines_shown(state):
        _redeal(state, other, coda.unseen(state, seat), generator)
    else:
        drawn = int(state.drawn)
        denied = 0
        set_aside = state.turn == other and drawn != coda.NONE
        if set_aside:
            denied = int(state.denied[drawn])
            state.denied[drawn] = 0
            state.held[other] &= ~(1 << drawn)
        values = coda.unseen(state, seat)
        if coda.count_hidden(state, other) > 0:
            values = draw_arrangement(state, other, values, generator)
        if set_aside:
            drawn = _pick(values & ~denied, generator)
            state.drawn = drawn
            state.denied[drawn] = denied
            state.held[other] |= 1 << drawn
    state.pool = coda.unseen(state, seat) & ~int(state.held[other])


@rule
def _redeal(state: State, owner: int, values: int, generator: Generator) -> None:
    """Deal a hand before the first turn. A seat that is placing a joker is known to have it."""
    numbers, held = coda.num_numbers(state), int(state.held[owner])
    kept = 0
    if state.phase == coda.SETTING and state.turn == owner:
        kept = held & ~((1 << numbers) - 1)
        values &= (1 << numbers) - 1
    places = np.full(2, -1, np.int64)
    for joker in range(2):
        for place in range(state.length[owner]):
            if (kept >> (numbers + joker)) & 1 and state.line[owner, place] == numbers + joker:
                places[joker] = place
    for tile in range(state.n):
        if (held >> tile) & 1:
            state.entered[tile] = 0
    state.held[owner] = kept
    state.length[owner] = 0
    state.line[owner, :] = coda.NONE
    state.waiting[owner] &= kept
    jokers = 0
    for _ in range(count_bits(held & ~kept)):
        tile = _pick(values, generator)
        values &= ~(1 << tile)
        state.held[owner] |= 1 << tile
        if tile < numbers:
            coda.insert(state, owner, coda.first_place(state, owner, tile), tile)
        else:
            jokers |= 1 << tile
    for joker in range(2):
        tile = numbers + joker
        if (jokers >> tile) & 1:
            if state.phase == coda.SETTING and owner < state.turn:
                coda.insert(state, owner, uniform(generator, int(state.length[owner]) + 1), tile)
            else:
                state.waiting[owner] |= 1 << tile
    put_jokers(state, owner, places)


@rule
def put_jokers(state: State, owner: int, places: Int64s) -> None:
    """Put a seat's jokers into its line at `places`, (2,), leftmost first; -1 leaves a joker out."""
    numbers = coda.num_numbers(state)
    first = 0 if places[0] < places[1] else 1
    for joker in (first, 1 - first):
        if places[joker] >= 0:
            coda.insert(state, owner, places[joker], numbers + joker)


@rule
def _pick(values: int, generator: Generator) -> int:
    """Return a uniformly random tile of a nonempty set."""
    return coda.nth_tile(values, uniform(generator, count_bits(values)))

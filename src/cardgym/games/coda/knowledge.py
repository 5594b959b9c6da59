"""What a seat knows, as a state, and what it cannot see: sampled exactly, with the weights of `arrangements`."""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import (
    Float32s,
    Float64s,
    Generator,
    Int64s,
    State,
    count_bits,
    rule,
    uniform,
    uniform_float,
)
from cardgym.games.coda import arrangements
from cardgym.games.coda import state as coda
from cardgym.games.coda.observations import GUESSED, TURN, past_guesses_at
from cardgym.games.coda.rules import setup

OWN, OTHER = 0, 1
"""The seats in states rebuilt from observations, which do not depend on the seat number."""


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


# -- from an observation to a state -----------------------------------------------------------------------------------


@rule
def remember(state: State, seen: Float32s) -> None:
    """Reconstruct a state in which OWN would see the observation `seen`.

    The state's options must be set. Hidden tiles get arbitrary unseen values; `resample` then draws them.
    """
    n = int(state.n)
    half = n // 2
    at = GUESSED[n]
    setup(state)
    state.turn = OWN
    state.pool_size = _whole(seen[TURN.pool] * n)
    state.hits = _whole(seen[TURN.hits] * half)
    state.missed = seen[TURN.missed] > 0.5
    state.starter = OWN if seen[TURN.moved_first] > 0.5 else OTHER
    aside = _bits(seen, at.drawn, n)
    free = _bits(seen, at.unseen, n)
    _recall_own(state, aside, seen)
    if seen[TURN.opponent_size] > 0.5 / half:
        _recall_other(state, free, seen)
        state.phase = (
            coda.GUESSING if seen[TURN.guessing] > 0.5 else coda.PLACING if seen[TURN.placing] > 0.5 else coda.REVEALING
        )
        for tile in range(n):
            if (aside >> tile) & 1:
                state.drawn = tile
    else:
        state.phase = coda.SETTING
        state.waiting[OWN] = aside
        for tile in range(n):  # As many tiles as each seat was dealt.
            if (free >> tile) & 1 and count_bits(int(state.held[OTHER])) < state.n_start:
                state.held[OTHER] |= 1 << tile
    state.pool = free & ~int(state.held[OTHER])
    for seat in range(2):
        order, excluded = past_guesses_at(state, OWN, seat)
        for place in range(state.length[seat]):
            state.entered[state.line[seat, place]] = _whole(seen[order + place] * half)
            state.denied[state.line[seat, place]] = _bits(seen, excluded + place * n, n)


@rule
def _recall_own(state: State, aside: int, seen: Float32s) -> None:
    """Write the own line and the values known to be wrong for its hidden tiles; `aside` are tiles not yet in it."""
    n = int(state.n)
    half = n // 2
    at = GUESSED[n]
    own = _bits(seen, at.own_tiles, n)
    state.held[OWN] = own
    state.up[OWN] = _bits(seen, at.own_up, n)
    for tile in range(coda.num_numbers(state)):
        if (own & ~aside) >> tile & 1:
            coda.insert(state, OWN, int(state.length[OWN]), tile)
    places = np.full(2, -1, np.int64)
    for joker in range(int(state.jokers)):
        places[joker] = _whole(seen[TURN.jokers + joker] * half) - 1
    put_jokers(state, OWN, places)


@rule
def _recall_other(state: State, free: int, seen: Float32s) -> None:
    """Write the opponent's line: face-up tiles, tiles from `free` for hidden ones, and their excluded values."""
    n = int(state.n)
    at = GUESSED[n]
    size = _whole(seen[TURN.opponent_size] * (n // 2))
    for place in range(size):
        possible = _bits(seen, at.opponent_may_be + place * n, n)
        tile = 0
        if seen[at.opponent_up + place] > 0.5:
            while (possible >> tile) & 1 == 0:
                tile += 1
            state.up[OTHER] |= 1 << tile
        else:
            # Any unused tile of the right color will do.
            white = seen[at.opponent_white + place] > 0.5
            allowed = free & ~int(state.held[OTHER])
            if state.color_visible == coda.YES:
                allowed &= coda.WHITE if white else coda.BLACK
            while (allowed >> tile) & 1 == 0:
                tile += 1
        state.held[OTHER] |= 1 << tile
        state.line[OTHER, place] = tile
    state.length[OTHER] = size


@rule
def _whole(value: float) -> int:
    return int(value + 0.5)


@rule
def _bits(numbers: Float32s, start: int, size: int) -> int:
    """Return the set of tiles whose entry is 1."""
    tiles = 0
    for tile in range(size):
        if numbers[start + tile] > 0.5:
            tiles |= 1 << tile
    return tiles

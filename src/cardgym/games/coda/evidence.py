"""What the other seat's guesses reveal: how well a world explains them, whatever policy made them.

The weights of `arrangements` hold for a player whose guesses are chance. Guesses of good players are not: they depend
on the own tiles. Here a world, in which the other seat's tiles are known, is turned back to each of that seat's turns,
and the guesses made then get the probabilities that several policies would have given them. A seat does not know which
policy it meets, so each counts by how well it explains all guesses of the game (Bayes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardgym.engine.contract import Float64s, Int64s, State, count_bits, rule
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import weigh_arrangements
from cardgym.games.coda.players import possible_values

UNSEEN, COLOR, CONSISTENT, FEWEST, MIDDLE, PLAYED_OUT, VALUED, TRAINED = range(8)
"""The policies. The first three are uniform over guesses of unseen tiles, over those of the back's color, and over
those that can be right. `FEWEST` guesses where a tile has the fewest possible values, as `heuristic` does, and `MIDDLE`
takes the middle one of the likeliest, as `bayes` does. The others guess in proportion to the square of the chance to be
right, and place jokers as `search`, `value-search` and `official_ppo` do."""

NUM_POLICIES = 8

_HABITS = np.ones((NUM_POLICIES, 2, 3))
_HABITS[PLAYED_OUT] = [[0.8, 1.0, 1.1], [2.0, 0.9, 0.5]]
_HABITS[VALUED] = [[1.4, 0.2, 2.2], [2.2, 0.8, 0.6]]
_HABITS[TRAINED] = [[0.3, 0.1, 3.6], [0.3, 1.0, 1.75]]
"""How much likelier than by chance a policy puts a joker at the left end, between others and at the right end: a dealt
one, then one that it drew. Counted in 130 to 1,000 games against `official_ppo`."""

_SLIP = 0.03
"""How often a good policy takes any unseen tile: it bounds what a single guess says."""

_MAX_GUESSES = 64


class Guesses(NamedTuple):
    """The guesses at a seat's line, as far as the excluded values of tiles show them.

    Attributes:
        made: the other seat's turn, the seat's tile, the value, and whether it was a hit, by turn, (guesses, 4).
        named: by seat, the last turn in which a value was named, from 1; 0 if it was not, (2, tiles).
        fell: by tile of the seat, the turn in which it was hit; 0 if it was not, (tiles,).
    """

    made: Int64s
    named: Int64s
    fell: Int64s


@rule
def recall_guesses(state: State, seat: int) -> Guesses:
    """Find the guesses at the line of `seat`, from what both seats know.

    A seat's guess excludes the named value for all its own tiles, the drawn one included. As one tile is drawn in each
    turn, the newest tile for which a value is excluded tells the turn. Guesses after the pool was empty count as made
    in the turn of the last drawn tile.
    """
    n, dealt = int(state.n), int(state.n_start)
    named, fell = np.zeros((2, n), np.int64), np.zeros(n, np.int64)
    _find_turns(state, 0, named[0])
    _find_turns(state, 1, named[1])
    made = np.zeros((_MAX_GUESSES, 4), np.int64)
    count = 0
    for turn in range(1, n // 2 + 1):
        for value in range(n):
            if named[1 - seat, value] != turn:
                continue
            newest = dealt + turn - (state.starter != seat)
            guessed, times, hit = coda.NONE, 0, False  # Of a value named several times only a hit is of this turn.
            for place in range(state.length[seat]):
                tile = int(state.line[seat, place])
                if hit or state.entered[tile] > newest:
                    continue
                hit = tile == value and (int(state.up[seat]) >> tile) & 1 == 1
                if hit or (int(state.denied[tile]) >> value) & 1:
                    guessed, times = tile, times + 1
            if (hit or times == 1) and count < _MAX_GUESSES:
                if hit:
                    fell[guessed] = turn
                made[count, 0], made[count, 1], made[count, 2], made[count, 3] = turn, guessed, value, hit
                count += 1
    return Guesses(made[:count], named, fell)


@rule
def _find_turns(state: State, seat: int, turns: Int64s) -> None:
    dealt, tiles = int(state.n_start), int(state.held[seat])
    named = (1 << int(state.n)) - 1
    for tile in range(state.n):
        if (tiles >> tile) & 1 and state.entered[tile] == dealt:
            named &= int(state.denied[tile])
    for tile in range(state.n):
        if (tiles >> tile) & 1 and state.entered[tile] > dealt:
            for value in range(state.n):
                if (named & int(state.denied[tile])) >> value & 1:
                    turns[value] = max(turns[value], int(state.entered[tile]) - dealt)


@rule
def turn_back(state: State, seat: int, guesses: Guesses, turn: int, after_hits: bool) -> None:
    """Turn a world back to the other seat's turn number `turn`, as far as the choice of a guess depends on it.

    Args:
        after_hits: after the hits of that turn instead of before them.
    """
    other, dealt = 1 - seat, int(state.n_start)
    newest = dealt + turn - (state.starter != seat)
    size = 0
    for place in range(state.length[seat]):
        tile = int(state.line[seat, place])
        if state.entered[tile] > newest:
            state.held[seat] &= ~(1 << tile)
            state.up[seat] &= ~(1 << tile)
            continue
        state.line[seat, size] = tile
        size += 1
        fell = guesses.fell[tile]
        was_dealt = state.entered[tile] == dealt  # Without a hit it was turned up once the pool was empty.
        if fell > turn or (fell == turn and not after_hits) or (fell == 0 and was_dealt):
            state.up[seat] &= ~(1 << tile)
        kept = 0
        for value in range(state.n):
            by_other, by_seat = guesses.named[other, value], guesses.named[seat, value]
            if (by_other and by_other < turn) or (not by_other and 0 < by_seat <= newest - dealt):
                kept |= 1 << value
        state.denied[tile] &= kept
    state.length[seat] = size
    for tile in range(state.n):
        if (int(state.held[other]) >> tile) & 1 and state.entered[tile] > dealt + turn:
            state.held[other] &= ~(1 << tile)
            state.up[other] &= ~(1 << tile)


@rule
def explain(world: State, seat: int, guesses: Guesses, scratch: Any, weights: Float64s, shares: Float64s) -> None:
    """Fill in the probability of the other seat's guesses by policy, (NUM_POLICIES,), if its tiles are as in a world.

    Args:
        scratch: a state, (1,), to turn back.
        weights: an array for `weigh_arrangements`.
    """
    shares[:] = 1.0
    square = most = 0.0
    unseen = colored = possible = ties = fewest = narrow = 0
    values = np.zeros(coda.MAX_LINE, np.int64)
    for number in range(guesses.made.shape[0]):
        turn, tile, value, hit = guesses.made[number]
        same = number > 0 and guesses.made[number - 1, 0] == turn and guesses.made[number - 1, 3] == hit
        then = scratch[0]
        if not same:
            scratch[0] = world
            turn_back(then, seat, guesses, turn, hit == 0)
            free = coda.unseen(then, 1 - seat)
            weigh_arrangements(then, seat, free, weights)
            square = most = 0.0
            unseen = colored = possible = ties = narrow = 0
            values[:] = 0
            possible_values(then, seat, free, values)
            fewest = coda.MAX_TILES
            for place in range(then.length[seat]):
                if coda.hidden(then, seat, place):
                    size = count_bits(int(values[place]))
                    narrow = size if size < fewest else narrow + size * (size == fewest)
                    fewest = min(fewest, size)
                    unseen += count_bits(free)
                    colored += count_bits(free & coda.color_of(then, seat, place))
                    for other in range(then.n):
                        square += weights[place, other] ** 2
                        possible += weights[place, other] > 0.0
                        most = max(most, weights[place, other])
            for place in range(then.length[seat]):
                for other in range(then.n):
                    ties += weights[place, other] >= most * (1.0 - 1e-9) and coda.hidden(then, seat, place)
        any_share = 1.0 / max(unseen, 1)
        weight, middle, least, before = 0.0, False, False, 0
        for place in range(then.length[seat]):
            for other in range(then.n):
                tied = weights[place, other] >= most * (1.0 - 1e-9) and coda.hidden(then, seat, place)
                if then.line[seat, place] == tile and other == value:
                    weight, middle = weights[place, other], tied and before == ties // 2
                    least = int(values[place]) >> other & 1 == 1 and count_bits(int(values[place])) == fewest
                before += tied
        fits = (coda.WHITE if tile & 1 else coda.BLACK) >> value & 1 or then.color_visible == coda.NO
        slip = _SLIP * any_share
        shares[UNSEEN] *= any_share
        shares[COLOR] *= slip + (1.0 - _SLIP) * fits / max(colored, 1)
        shares[CONSISTENT] *= slip + (1.0 - _SLIP) * (weight > 0.0) / max(possible, 1)
        shares[FEWEST] *= slip + (1.0 - _SLIP) * least / max(narrow, 1)
        shares[MIDDLE] *= slip + (1.0 - _SLIP) * middle
        shares[PLAYED_OUT:] *= slip + (1.0 - _SLIP) * weight**2 / square if square > 0.0 else any_share
    _explain_jokers(world, 1 - seat, shares)


@rule
def _explain_jokers(world: State, owner: int, shares: Float64s) -> None:
    """Multiply by the probabilities, by policy, of the places of the owner's jokers, relative to chance."""
    for place in range(world.length[owner]):
        tile = int(world.line[owner, place])
        if tile < coda.num_numbers(world):
            continue
        left, size = 0, 0
        for other in range(world.length[owner]):
            if world.entered[world.line[owner, other]] <= world.entered[tile]:
                left += other < place
                size += 1
        if size > 1:
            drawn = int(world.entered[tile] > world.n_start)
            where = 0 if left == 0 else 2 if left == size - 1 else 1
            for policy in range(NUM_POLICIES):
                habit = _HABITS[policy, drawn]
                shares[policy] *= habit[where] * size / (habit[0] + habit[1] * (size - 2) + habit[2])

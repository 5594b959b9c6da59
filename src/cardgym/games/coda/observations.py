"""What a seat at Coda can know, as numbers: the full observation, the paper's bits, and beliefs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Generator, Record, rule, uniform
from cardgym.games.coda.knowledge import count_arrangements, count_guesses, draw_arrangement, fitting, new_counts
from cardgym.games.coda.state import (
    DRAWING,
    FIRST,
    GUESSING,
    NONE,
    OVER,
    PLACING,
    REVEALING,
    SETTING,
    CodaOptions,
    count_hidden,
    first_place,
    hidden,
    insert,
    num_numbers,
    unseen,
)

NUM_SCALARS = 14
NUM_TURN_ROWS = 13
"""How many rows of the table the first `NUM_SCALARS` numbers are."""


def full_features(options: CodaOptions) -> tuple[Feature, ...]:
    """The rows of the full observation. A line has at most n / 2 places; empty ones are all 0."""
    n, half = options.n, options.n // 2
    return (
        Feature("guessing", "1 if to guess"),
        Feature("placing", "1 if to place a tile in the own line"),
        Feature("revealing", "1 if to turn up an own tile"),
        Feature("own_turn", "1 if it is the own turn"),
        Feature("pool", "tiles in the pool / n"),
        Feature("hits", "hits in this turn / (n / 2)"),
        Feature("missed", "1 if this turn's guess has missed"),
        Feature("moved_first", "1 if this seat moved first"),
        Feature("own_size", "length of the own line / (n / 2)"),
        Feature("own_hidden", "hidden tiles in the own line / (n / 2)"),
        Feature("opponent_size", "length of the opponent's line / (n / 2)"),
        Feature("opponent_hidden", "hidden tiles in it / (n / 2)"),
        Feature("jokers", "place of the own black and white joker + 1, / (n / 2); 0 without", 2),
        Feature("own_tiles", "by tile: 1 if held", n),
        Feature("own_up", "by tile: 1 if held and face up", n),
        Feature("drawn", "by tile: 1 if drawn or dealt and still to be placed", n),
        Feature("unseen", "by tile: 1 if neither held nor face up", n),
        Feature("opponent_up", "by place: 1 if face up", half),
        Feature("opponent_down", "by place: 1 if hidden", half),
        Feature("opponent_white", "by place: 1 if white, so far as backs show it", half),
        Feature(
            "opponent_may_be",
            "by place x n + tile: the tile face up; of a hidden one all unseen tiles of its colour that neither own "
            "misses there nor values named by the opponent rule out",
            half * n,
        ),
        Feature("own_down", "by place: 1 if hidden", half),
        Feature(
            "own_may_be",
            "by place x n + tile: the same of the own line, as it looks to one who sees neither hand",
            half * n,
        ),
    )


@rule
def observe_full(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the full observation of `seat`; its table is `full_features`."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    n = int(state.n)
    half = n // 2
    _observe_turn(state, seat, out[:NUM_SCALARS])
    at = NUM_SCALARS
    own, up, free = int(state.held[seat]), int(state.up[seat]), unseen(state, seat)
    for tile in range(n):
        out[at + tile] = (own >> tile) & 1
        out[at + n + tile] = (up >> tile) & 1
        out[at + 2 * n + tile] = (int(state.waiting[seat]) >> tile) & 1
        out[at + 3 * n + tile] = (free >> tile) & 1
    if state.turn == seat and state.drawn != NONE:
        out[at + 2 * n + state.drawn] = 1.0
    at += 4 * n
    other = 1 - seat
    if lines_shown(state):
        for place in range(state.length[other]):
            out[at + half + place] = hidden(state, other, place)
            out[at + place] = 1.0 - out[at + half + place]
            if not hidden(state, other, place) or state.colour_visible == 0:
                out[at + 2 * half + place] = state.line[other, place] & 1
        _may_be(state, other, free, out[at + 3 * half : at + 3 * half + half * n])
    at += 3 * half + half * n
    for place in range(state.length[seat]):
        out[at + place] = hidden(state, seat, place)
    _may_be(state, seat, ((1 << n) - 1) & ~(up | int(state.up[other])), out[at + half : at + half + half * n])


@rule
def lines_shown(state: Record) -> bool:
    """Whether the lines can be seen: from the first turn on, when both seats have set up theirs."""
    return bool(state.phase >= DRAWING)


@rule
def _observe_turn(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    half = int(state.n) // 2
    other = 1 - seat
    if state.turn == seat:
        out[0] = state.phase == GUESSING
        out[1] = state.phase == PLACING or state.phase == SETTING
        out[2] = state.phase == REVEALING
        out[3] = state.phase != OVER
    out[4] = state.pool_size / state.n
    out[5] = state.hits / half
    out[6] = state.missed
    out[7] = state.starter == seat
    out[8] = state.length[seat] / half
    out[9] = count_hidden(state, seat) / half
    if lines_shown(state):
        out[10] = state.length[other] / half
        out[11] = count_hidden(state, other) / half
    if state.jokers:
        for place in range(state.length[seat]):
            if state.line[seat, place] >= num_numbers(state):
                out[12 + state.line[seat, place] - num_numbers(state)] = (place + 1) / half


@rule
def _may_be(state: Record, owner: int, values: int, out: npt.NDArray[np.float32]) -> None:
    n = int(state.n)
    for place in range(state.length[owner]):
        if hidden(state, owner, place):
            fits = fitting(state, owner, place, values)
            for tile in range(n):
                out[place * n + tile] = (fits >> tile) & 1
        else:
            out[place * n + state.line[owner, place]] = 1.0


# -- beliefs ----------------------------------------------------------------------------------------------------------


def beliefs_features(options: CodaOptions) -> tuple[Feature, ...]:
    """The full observation, and the exact probability of every guess."""
    size = options.n // 2 * options.n
    return (*full_features(options), Feature("belief", "by place x n + tile: its exact probability", size))


@rule
def observe_beliefs(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the full observation, then the probability of every tile at every place of the opponent's line."""
    n = int(state.n)
    size = n // 2 * n
    observe_full(state, seat, out[: out.shape[0] - size])
    beliefs = out[out.shape[0] - size :]
    for i in range(size):
        beliefs[i] = 0.0
    _believe(state, seat, beliefs)


@rule
def _believe(state: Record, seat: int, beliefs: npt.NDArray[np.float32]) -> float:
    """Write the probability of every tile at every place of the opponent's line; return that of the best guess."""
    best = 0.0
    if not lines_shown(state):
        return best
    n = int(state.n)
    other = 1 - seat
    counts = new_counts()
    total = 1
    if count_hidden(state, other) > 0:
        total = count_guesses(state, seat, counts)
    for place in range(state.length[other]):
        if hidden(state, other, place):
            for tile in range(n):
                probability = counts[place, tile] / total
                beliefs[place * n + tile] = probability
                best = max(best, probability)
        else:
            beliefs[place * n + state.line[other, place]] = 1.0
    return best


def odds_features(options: CodaOptions) -> tuple[Feature, ...]:
    """The turn, exact probabilities of guesses at either line, and the own tiles: beliefs without what led to them."""
    n, half = options.n, options.n // 2
    return (
        *full_features(options)[:NUM_TURN_ROWS],
        Feature("best", "probability of the likeliest guess"),
        Feature("own_best", "the greatest of `own_exposed`"),
        Feature("own_tiles", "by tile: 1 if held", n),
        Feature("drawn", "by tile: 1 if drawn or dealt and still to be placed", n),
        Feature("own_down", "by place: 1 if hidden", half),
        Feature(
            "own_exposed", "by place: if hidden, the probability of the tile there to one who sees neither hand", half
        ),
        Feature("belief", "by place x n + tile: its exact probability", half * n),
    )


@rule
def observe_odds(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation of `odds_features`."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    n = int(state.n)
    half = n // 2
    _observe_turn(state, seat, out[:NUM_SCALARS])
    at = NUM_SCALARS + 2
    for tile in range(n):
        out[at + tile] = (int(state.held[seat]) >> tile) & 1
        out[at + n + tile] = (int(state.waiting[seat]) >> tile) & 1
    if state.turn == seat and state.drawn != NONE:
        out[at + n + state.drawn] = 1.0
    at += 2 * n
    if lines_shown(state) and count_hidden(state, seat) > 0:
        counts = new_counts()
        shown = int(state.up[seat]) | int(state.up[1 - seat])
        total = count_arrangements(state, seat, ((1 << n) - 1) & ~shown, counts)
        for place in range(state.length[seat]):
            if hidden(state, seat, place):
                out[at + place] = 1.0
                out[at + half + place] = counts[place, state.line[seat, place]] / total
                out[NUM_SCALARS + 1] = max(out[NUM_SCALARS + 1], out[at + half + place])
    out[NUM_SCALARS] = _believe(state, seat, out[at + 2 * half :])


# -- the paper's bits (section 3.1) -----------------------------------------------------------------------------------


def paper_features(options: CodaOptions) -> tuple[Feature, ...]:
    """The paper's 3n bits."""
    return (
        Feature("own_hidden", "by tile: 1 if held and hidden, the drawn tile included", options.n),
        Feature("own_up", "by tile: 1 if held and face up", options.n),
        Feature("opponent_up", "by tile: 1 if the opponent's and face up", options.n),
    )


@rule
def observe_paper(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the paper's 3n bits."""
    n = int(state.n)
    for tile in range(n):
        up = (int(state.up[seat]) >> tile) & 1
        out[tile] = ((int(state.held[seat]) >> tile) & 1) - up
        out[n + tile] = up
        out[2 * n + tile] = (int(state.up[1 - seat]) >> tile) & 1


@rule
def info_state_key(state: Record, seat: int) -> int:
    """The paper's bits as one number, a digit to base 4 for each tile: unseen, own hidden, own up, opponent's up."""
    total = 0
    for tile in range(state.n):
        digit = 0
        if (int(state.up[seat]) >> tile) & 1:
            digit = 2
        elif (int(state.held[seat]) >> tile) & 1:
            digit = 1
        elif (int(state.up[1 - seat]) >> tile) & 1:
            digit = 3
        total |= digit << (2 * tile)
    return total


# -- what a seat cannot see -------------------------------------------------------------------------------------------


@rule
def resample(state: Record, seat: int, generator: Generator) -> None:
    """Draw anew, uniformly over what `seat` holds possible: the opponent's hidden tiles, its drawn one, the pool."""
    other = 1 - seat
    state.stacked = 0
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
def _redeal(state: Record, owner: int, values: int, generator: Generator) -> None:
    """Deal a line anew before the first turn; a seat that is just placing a joker is known to have it."""
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
    _put_back(state, owner, places)


@rule
def _put_back(state: Record, owner: int, places: npt.NDArray[np.int64]) -> None:
    """Put jokers where they stood, the leftmost first."""
    numbers = num_numbers(state)
    first = 0 if places[0] < places[1] else 1
    for joker in (first, 1 - first):
        if places[joker] >= 0:
            insert(state, owner, places[joker], numbers + joker)


@rule
def _pick(values: int, n: int, generator: Generator) -> int:
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

"""The state of a Coda game, its options, its tiles and its action numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardgym.engine.contract import CardgymError, Options, State, choice, count_bits, number, rule

MAX_TILES = 26
MAX_LINE = 13  # Turns alternate and draw one tile each, so a line has at most half the tiles.

BLACK, WHITE = 0x1555555, 0x2AAAAAA
"""The tiles of a color, as bits by tile id; of the jokers, the last two ids, the first is black."""
NONE = -1

FIRST, DEALING, SETTING, DRAWING, GUESSING, PLACING, REVEALING, OVER = range(8)
"""Phases. A player decides at SETTING, GUESSING, PLACING and REVEALING; chance moves at FIRST, DEALING and DRAWING."""

# Option values in a state.
FORCED, OPTIONAL = range(2)
LAST_DRAWER_WINS, PLAY_ON = range(2)
RANDOM_FIRST = 2
YES, NO = range(2)
UNSEEN, ALL, COLOR, CONSISTENT = range(4)
WIN, PAPER = range(2)

SHUFFLED, STACKED_NEXT, STACKED = range(3)
"""The source of tiles: chance; a chosen deck from the next game on; a chosen deck now."""

STATE = np.dtype(
    [
        # Options, set once.
        ("num_players", np.int32),
        ("n", np.int32),
        ("n_start", np.int32),
        ("continuation", np.int32),
        ("jokers", np.int32),
        ("empty", np.int32),
        ("first", np.int32),
        ("color_visible", np.int32),
        ("feasible", np.int32),
        ("reward", np.int32),
        # The game. In a set of tiles, bit t is tile t.
        ("phase", np.int32),
        ("turn", np.int32),  # The seat that decides, draws, or gets a tile.
        ("starter", np.int32),  # The seat that moves first.
        ("winner", np.int32),
        ("hits", np.int32),  # In this turn.
        ("missed", np.int32),  # 1 after the miss that ends the turn: the drawn tile goes into the line face up.
        ("drawn", np.int32),  # The tile that `turn` has drawn but not placed, or NONE.
        ("pool", np.int32),  # The tiles not in any hand.
        ("pool_size", np.int32),
        ("held", np.int32, (2,)),  # The tiles of each seat, in its line or not.
        ("up", np.int32, (2,)),  # The face-up tiles of each seat.
        ("waiting", np.int32, (2,)),  # Jokers dealt but not placed.
        ("length", np.int32, (2,)),  # The number of tiles in each line.
        ("line", np.int32, (2, MAX_LINE)),  # The tiles from left to right.
        ("denied", np.int32, (MAX_TILES,)),  # For each hidden tile, the values publicly excluded.
        # By tile: how long the line was when it had entered, n_start for a dealt tile; 0 if it is in no line.
        ("entered", np.int8, (MAX_TILES,)),
        # A chosen deck: dealt alternately from seat 0, then drawn in order.
        ("stacked", np.int32),
        ("deck", np.int8, (MAX_TILES,)),
        ("paid", np.float32, (2,)),
    ],
    align=True,
)


@dataclass(frozen=True)
class CodaOptions(Options):
    """The options of Coda.

    `n=0` means 24 tiles, or 26 with jokers, which are the last two. Smaller games are for study.
    """

    n: int = number(
        0, 0, MAX_TILES, step=2, help="number of tiles", allowed="4 to 24, with jokers 6 to 26, in steps of 2"
    )
    n_start: int = number(1, 1, 12, help="tiles dealt to each seat")
    continuation: str = choice("forced", "optional", help="whether the mover must, or may, guess again after a hit")
    jokers: int = number(0, 0, 2, step=2, help="jokers among the tiles")
    empty: str = choice("last_drawer_wins", "play_on", help="what happens when the pool is empty")
    first: str = choice("0", "1", "random", help="the seat that moves first")
    color_visible: str = choice(
        "yes", "no", help="whether hidden tiles show their color", aliases={"true": "yes", "false": "no"}
    )
    feasible: str = choice("unseen", "all", "color", "consistent", help="which guesses are legal")
    reward: str = choice("win", "paper", help="+1 and -1 at the end, or the paper's rewards")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n == 0:
            object.__setattr__(self, "n", 24 + self.jokers)
        if not 4 <= self.n - self.jokers <= 24:
            raise CardgymError(
                f"options jokers={self.jokers} and n={self.n}: n is an even number from {4 + self.jokers} to "
                f"{24 + self.jokers}"
            )
        if 2 * self.n_start > self.n - 2:
            raise CardgymError(
                f"options n_start={self.n_start} and n={self.n}: "
                f"two tiles or more must be left to draw, so n_start is at most {self.n // 2 - 1}"
            )
        if self.feasible == "color" and self.color_visible == "no":
            raise CardgymError(
                "options feasible=color and color_visible=no: the legal guesses would show the hidden colors; "
                "change one of the two"
            )


# -- actions: guess k x n + v, then stop, then places in a line ------------------------------------------------------


def num_actions(options: CodaOptions) -> int:
    """Return the number of actions: n x n guesses, plus `stop` and n / 2 places in a line if the options need them."""
    guesses = options.n * options.n
    if options.continuation == "forced" and options.jokers == 0 and options.empty == "last_drawer_wins":
        return guesses
    return guesses + 1 + options.n // 2


@rule
def stop_action(state: State) -> int:
    return int(state.n) * int(state.n)


@rule
def place_action(state: State, place: int) -> int:
    """Return the action for a place in one's own line: put a tile there, or turn up the tile there."""
    return stop_action(state) + 1 + place


# -- sets of tiles ----------------------------------------------------------------------------------------------------


@rule
def nth_tile(values: int, place: int) -> int:
    """Return the tile at a place of a set in ascending order, counted from 0."""
    for _ in range(place):
        values &= values - 1
    return count_bits((values & -values) - 1)


# -- the tiles of a seat ----------------------------------------------------------------------------------------------


@rule
def num_numbers(state: State) -> int:
    return int(state.n) - int(state.jokers)


@rule
def hidden(state: State, seat: int, place: int) -> bool:
    return (int(state.up[seat]) >> int(state.line[seat, place])) & 1 == 0


@rule
def color_of(state: State, seat: int, place: int) -> int:
    """Return the tiles with the color of the back at a place; all tiles if backs show no color."""
    if state.color_visible == YES:
        return WHITE if state.line[seat, place] & 1 else BLACK
    return BLACK | WHITE


@rule
def fitting(state: State, owner: int, place: int, values: int) -> int:
    """Return the subset of `values` possible for the hidden tile at a place, given its color and all past guesses."""
    return values & color_of(state, owner, place) & ~int(state.denied[state.line[owner, place]])


@rule
def tiles_at(state: State, owner: int, place: int, values: int) -> int:
    """Return the possible tiles at a place: the tile itself if face up, else `fitting`."""
    tile = int(state.line[owner, place])
    # Branch-free: whether a tile is face up is unpredictable, and a misprediction would cost more than all of this.
    face_up = -((int(state.up[owner]) >> tile) & 1)
    return (fitting(state, owner, place, values) & ~face_up) | ((1 << tile) & face_up)


@rule
def to_place(state: State, seat: int) -> int:
    """Return the tiles that a seat has drawn or been dealt but not placed."""
    tiles = int(state.waiting[seat])
    if state.turn == seat and state.drawn != NONE:
        tiles |= 1 << int(state.drawn)
    return tiles


@rule
def count_hidden(state: State, seat: int) -> int:
    """Return the number of face-down tiles in a seat's line."""
    return count_bits(int(state.held[seat]) & ~int(state.up[seat]) & ~to_place(state, seat))


@rule
def unseen(state: State, seat: int) -> int:
    """Return the tiles neither held by a seat nor face up in the opponent's line."""
    return ((1 << int(state.n)) - 1) & ~(int(state.held[seat]) | int(state.up[1 - seat]))


@rule
def not_face_up(state: State) -> int:
    """Return the tiles that an observer who sees neither hand has not seen."""
    return ((1 << int(state.n)) - 1) & ~(int(state.up[0]) | int(state.up[1]))


@rule
def first_place(state: State, seat: int, tile: int) -> int:
    """Return the leftmost legal place for a tile in a line: right of every smaller number."""
    if tile < num_numbers(state):
        for place in range(state.length[seat] - 1, -1, -1):
            if state.line[seat, place] < tile:
                return place + 1
    return 0


@rule
def last_place(state: State, seat: int, tile: int) -> int:
    """Return the rightmost legal place for a tile in a line: left of every greater number."""
    numbers = num_numbers(state)
    if tile < numbers:
        for place in range(state.length[seat]):
            if tile < state.line[seat, place] < numbers:
                return place
    return int(state.length[seat])


@rule
def insert(state: State, seat: int, place: int, tile: int) -> None:
    """Insert a tile into a line; the tiles from that place on move right."""
    for at in range(state.length[seat], place, -1):
        state.line[seat, at] = state.line[seat, at - 1]
    state.line[seat, place] = tile
    state.length[seat] += 1
    state.entered[tile] = max(int(state.length[seat]), int(state.n_start))


@rule
def lines_shown(state: State) -> bool:
    """Whether the seats see each other's lines: from the first turn on, once both are set up."""
    return bool(state.phase >= DRAWING)


# -- for the tests ----------------------------------------------------------------------------------------------------


def invariants(state: State) -> tuple[int, ...]:
    """Values that no move changes: all tiles; whether pool and hands are disjoint; the number of misplaced tiles.

    A seat's tile must be in its line, waiting to be placed, or just drawn.
    """
    everything, twice, misplaced = int(state.pool), 0, 0
    for seat in range(2):
        held, placed = int(state.held[seat]), int(state.waiting[seat])
        twice |= everything & held
        everything |= held
        for place in range(state.length[seat]):
            placed |= 1 << int(state.line[seat, place])
        aside, strange = held & ~placed, int(state.up[seat]) & ~held
        misplaced += aside.bit_count() + strange.bit_count()
        if state.turn == seat and state.drawn != NONE and aside != 0:
            misplaced -= 1
    disjoint = twice == 0 and int(state.pool).bit_count() == state.pool_size
    return everything, int(disjoint), misplaced

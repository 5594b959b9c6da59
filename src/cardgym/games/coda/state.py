"""The table of Coda: its record, its options, its tiles and its action numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardgym.engine.contract import Options, Record, choice, number, rule
from cardgym.errors import CardgymError

MAX_TILES = 26
MAX_LINE = 13  # Turns alternate and draw a tile each, so no line grows beyond half the tiles.

BLACK, WHITE = 0x1555555, 0x2AAAAAA  # The tiles of a colour, as bits by tile id; jokers are 24 and 25.
NONE = -1

# Phases. At SETTING, GUESSING, PLACING and REVEALING a player decides; at the others chance does.
FIRST, DEALING, SETTING, DRAWING, GUESSING, PLACING, REVEALING, OVER = range(8)

# Options, as the record holds them.
FORCED, OPTIONAL = range(2)
LAST_DRAWER_WINS, PLAY_ON = range(2)
RANDOM_FIRST = 2
YES, NO = range(2)
UNSEEN, ALL, COLOUR, CONSISTENT = range(4)
WIN, PAPER = range(2)

# Option `stacked`: where the tiles of this game come from.
SHUFFLED, STACKED_NEXT, STACKED = range(3)

STATE = np.dtype(
    [
        # Options, written once.
        ("num_players", np.int32),
        ("n", np.int32),
        ("n_start", np.int32),
        ("continuation", np.int32),
        ("jokers", np.int32),
        ("empty", np.int32),
        ("first", np.int32),
        ("colour_visible", np.int32),
        ("feasible", np.int32),
        ("reward_model", np.int32),
        # The game. A set of tiles is a number whose bit t stands for tile t.
        ("phase", np.int32),
        ("turn", np.int32),  # The seat to decide, to draw or to be dealt a tile.
        ("starter", np.int32),  # The seat that moves first.
        ("winner", np.int32),
        ("hits", np.int32),  # Hits in this turn.
        ("missed", np.int32),  # 1 once the turn's guess has missed: the tile drawn is to be shown.
        ("drawn", np.int32),  # The tile that `turn` has drawn and not yet put in its line, or NONE.
        ("pool", np.int32),  # Tiles nobody holds.
        ("pool_size", np.int32),
        ("held", np.int32, (2,)),  # Tiles of each seat, those not yet in its line included.
        ("up", np.int32, (2,)),  # Those of them face up.
        ("waiting", np.int32, (2,)),  # Jokers dealt and not yet placed.
        ("length", np.int32, (2,)),  # Length of each line.
        ("line", np.int32, (2, MAX_LINE)),  # Tiles from left to right.
        ("denied", np.int32, (MAX_TILES,)),  # By hidden tile: values that, as both seats know, it is not.
        # A deck chosen beforehand: dealt alternately from seat 0, then drawn.
        ("stacked", np.int32),
        ("deck", np.int8, (MAX_TILES,)),
        ("reward", np.float32, (2,)),
    ],
    align=True,
)


@dataclass(frozen=True)
class CodaOptions(Options):
    """The options of Coda. `n`, left at 0, is 24, and 26 with jokers; fewer tiles are for study."""

    n: int = number(0, 0, MAX_TILES, step=2, help="tiles: 24, or 26 with jokers")
    n_start: int = number(1, 1, 12, help="tiles dealt to each seat")
    continuation: str = choice("forced", "optional", help="whether a hit must be followed by another guess")
    jokers: int = number(0, 0, 2, step=2, help="jokers among the tiles")
    empty: str = choice("last_drawer_wins", "play_on", help="what an exhausted pool means")
    first: str = choice("0", "1", "random", help="the seat that moves first")
    colour_visible: str = choice(
        "yes", "no", help="whether hidden tiles show their colour", aliases={"true": "yes", "false": "no"}
    )
    feasible: str = choice("unseen", "all", "colour", "consistent", help="which guesses are legal")
    reward: str = choice("win", "paper", help="+1 and -1 at the end, or the paper's rewards")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n == 0:
            object.__setattr__(self, "n", 24 + self.jokers)
        if self.jokers and self.n != MAX_TILES:
            raise CardgymError(f"options jokers={self.jokers} and n={self.n}: there are 26 tiles then; leave n out")
        if not self.jokers and not 6 <= self.n <= 24:
            raise CardgymError(f"options jokers=0 and n={self.n}: without jokers n is an even number from 6 to 24")
        if 2 * self.n_start > self.n - 2:
            raise CardgymError(
                f"options n_start={self.n_start} and n={self.n}: "
                f"tiles must be left to draw, so n_start is at most {self.n // 2 - 1}"
            )
        if self.feasible == "colour" and self.colour_visible == "no":
            raise CardgymError("options feasible=colour and colour_visible=no: the guesses allowed would tell colours")

    def write(self, state: Record) -> None:
        """Write the options; the reward model goes by another name than the reward itself."""
        state.num_players = self.num_players
        state.n = self.n
        state.n_start = self.n_start
        state.continuation = FORCED if self.continuation == "forced" else OPTIONAL
        state.jokers = self.jokers
        state.empty = LAST_DRAWER_WINS if self.empty == "last_drawer_wins" else PLAY_ON
        state.first = RANDOM_FIRST if self.first == "random" else int(self.first)
        state.colour_visible = YES if self.colour_visible == "yes" else NO
        state.feasible = ("unseen", "all", "colour", "consistent").index(self.feasible)
        state.reward_model = WIN if self.reward == "win" else PAPER


# -- actions: guess k x n + v, then stop, then places in a line ------------------------------------------------------


def num_actions(options: CodaOptions) -> int:
    """n x n guesses; where one may stop, place or turn up a tile, also `stop` and n / 2 places in the own line."""
    guesses = options.n * options.n
    if options.continuation == "forced" and options.jokers == 0 and options.empty == "last_drawer_wins":
        return guesses
    return guesses + 1 + options.n // 2


@rule
def stop_action(state: Record) -> int:
    """The action `stop`."""
    return int(state.n) * int(state.n)


@rule
def place_action(state: Record, place: int) -> int:
    """The action that names a place in the own line: to put a tile there, or to turn up the one that is there."""
    return stop_action(state) + 1 + place


# -- small things ----------------------------------------------------------------------------------------------------


@rule
def num_numbers(state: Record) -> int:
    """How many tiles bear a number; jokers have the ids from there on."""
    return int(state.n) - int(state.jokers)


@rule
def hidden(state: Record, seat: int, place: int) -> bool:
    """Whether the tile at a place of a seat's line lies face down."""
    return (int(state.up[seat]) >> int(state.line[seat, place])) & 1 == 0


@rule
def count_hidden(state: Record, seat: int) -> int:
    """How many tiles of a seat's line lie face down."""
    count = 0
    for place in range(state.length[seat]):
        if hidden(state, seat, place):
            count += 1
    return count


@rule
def unseen(state: Record, seat: int) -> int:
    """The tiles that a seat does not see: neither its own nor face up."""
    return ((1 << int(state.n)) - 1) & ~(int(state.held[seat]) | int(state.up[1 - seat]))


@rule
def first_place(state: Record, seat: int, tile: int) -> int:
    """The leftmost legal place of a tile in a line: right of every smaller number."""
    if tile < num_numbers(state):
        for place in range(state.length[seat] - 1, -1, -1):
            if state.line[seat, place] < tile:
                return place + 1
    return 0


@rule
def last_place(state: Record, seat: int, tile: int) -> int:
    """The rightmost legal place of a tile in a line: left of every greater number."""
    numbers = num_numbers(state)
    if tile < numbers:
        for place in range(state.length[seat]):
            if tile < state.line[seat, place] < numbers:
                return place
    return int(state.length[seat])


@rule
def insert(state: Record, seat: int, place: int, tile: int) -> None:
    """Put a tile into a line."""
    for at in range(state.length[seat], place, -1):
        state.line[seat, at] = state.line[seat, at - 1]
    state.line[seat, place] = tile
    state.length[seat] += 1

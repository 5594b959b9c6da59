"""A driver for games of Coda in tests: tiles, lines and guesses by name, and sets of options to play with."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.registry import find
from cardgym.games.coda.arrangements import new_weights, weigh_arrangements, weigh_guesses
from cardgym.games.coda.knowledge import remember
from cardgym.games.coda.state import GUESSING, CodaOptions, lines_shown, place_action, stop_action
from cardgym.testing import StateDriver

CASES: list[tuple[str, dict[str, Any]]] = [
    ("Coda-v0", {}),
    ("Coda-v0", {"n_start": 4, "reward": "paper"}),
    ("Coda-v0", {"n_start": 3, "continuation": "optional", "color_visible": "no"}),
    ("Coda-v0", {"n": 10, "n_start": 2, "empty": "play_on", "first": 1}),
    ("Coda-v0", {"n_start": 3, "feasible": "all", "continuation": "optional", "empty": "play_on"}),
    ("Coda-v0", {"n_start": 4, "feasible": "color"}),
    ("CodaOfficial-v0", {}),
    ("CodaOfficial-v0", {"feasible": "consistent", "n_start": 3}),
    ("CodaOfficial-v0", {"n_start": 12, "first": "0"}),
]
"""Ids with options that differ from the id's."""


Line = tuple[int, ...]


@dataclass(frozen=True)
class Guess:
    """A guess: who made it, at which tile, the value it named, and the tiles that the guesser held."""

    seat: int
    tile: int
    value: int
    held: set[int]


@dataclass(frozen=True)
class Event:
    """What both seats saw happen to the tiles of one of them.

    `deal`: its line is set up, with `tiles` of which only the colors show. `draw`: it draws a tile. `enter`: the tile
    enters its line at a place. `named`: it guessed a value. `guessed`: the other seat guessed a value at a place, and
    `up` is whether it was right. `up`: it turned up the tile at a place.
    """

    kind: str
    place: int = -1
    value: int = -1
    up: bool = False
    tiles: tuple[int, ...] = ()


class CodaDriver(StateDriver):
    """A game of Coda in which every decision is chosen by the test; tiles come from `deck`, or at random.

    Attributes:
        seed: what chance and random decisions are drawn from.
        guesses: all guesses made.
        events: what happened to the tiles of each seat.
        paid: what the last decision, with the chance after it, paid each seat, (2,) float64.
    """

    options: CodaOptions

    def __init__(
        self,
        game_id: str = "Coda-v0",
        options: Mapping[str, Any] | None = None,
        *,
        deck: Sequence[int] | None = None,
        seed: int = 0,
    ) -> None:
        # Both ids have the same rules: played under the first, they are compiled once.
        super().__init__("Coda-v0", find(game_id).parse_options(options), deck=deck)
        self.seed = seed
        self.random = random.Random(seed)
        self.guesses: list[Guess] = []
        self.events: tuple[list[Event], list[Event]] = ([], [])
        self.paid = self.play_chance(self.random.randrange)[:2]
        self._watch_draws(False, -1)

    @property
    def n(self) -> int:
        return int(self.state.n)

    @property
    def stop_action(self) -> int:
        return int(stop_action(self.state))

    @property
    def guessing(self) -> bool:
        return bool(self.state.phase == GUESSING)

    def line(self, seat: int) -> list[int]:
        return [int(tile) for tile in self.state.line[seat, : self.state.length[seat]]]

    def up(self, seat: int) -> set[int]:
        return {tile for tile in range(self.n) if int(self.state.up[seat]) >> tile & 1}

    def held(self, seat: int) -> set[int]:
        return {tile for tile in range(self.n) if int(self.state.held[seat]) >> tile & 1}

    def hidden_places(self, seat: int) -> list[int]:
        return [place for place, tile in enumerate(self.line(seat)) if tile not in self.up(seat)]

    def weigh_guesses(self, seat: int) -> tuple[npt.NDArray[np.float64], float]:
        """The weights of the arrangements with each tile at each place of the opponent's line, and of all."""
        weights = new_weights()
        return weights, _weigh_guesses(self.states, seat, weights)

    def weigh_own(self, seat: int) -> tuple[npt.NDArray[np.float64], float]:
        """The same for the own line, to an observer who sees neither hand."""
        weights = new_weights()
        return weights, _weigh_own(self.states, seat, weights)

    def entries(self, seat: int) -> list[int]:
        """The number of the entry of each tile in a line: 0 for a dealt one, then 1, 2 and so on."""
        numbers: list[int] = []
        for event in self.events[seat]:
            if event.kind == "deal":
                numbers = [0] * len(event.tiles)
            elif event.kind == "enter":
                numbers.insert(event.place, max(numbers) + 1)
        return numbers

    def remembered(self, seat: int) -> Self:
        """The state that the player `search` writes from what `seat` sees."""
        other = self.copy()
        _remember(other.states, self.observe(seat, "guessed"))
        other.refresh()
        return other

    # -- decisions ----------------------------------------------------------------------------------------------------

    def guess(self, place: int, value: int) -> npt.NDArray[np.float64]:
        return self.decide(place * self.n + value)

    def place(self, place: int) -> npt.NDArray[np.float64]:
        return self.decide(int(place_action(self.state, place)))

    def stop(self) -> npt.NDArray[np.float64]:
        return self.decide(self.stop_action)

    def decide(self, action: int) -> npt.NDArray[np.float64]:
        """Play a legal action and the chance after it; return what they paid each seat, (2,) float64."""
        assert action in self.legal_actions()
        seat = self.current_player
        if action < self.n**2:
            tile = self.line(1 - seat)[action // self.n]
            self.guesses.append(Guess(seat, tile, action % self.n, self.held(seat)))
            place, value = divmod(action, self.n)
            self.events[seat].append(Event("named", value=value))
            self.events[1 - seat].append(Event("guessed", place, value, tile == value))
        shown, line, up = bool(lines_shown(self.state)), self.line(seat), self.up(seat)
        self.paid = (self.apply_action(action) + self.play_chance(self.random.randrange))[:2]
        if shown:
            now = self.line(seat)
            for place, tile in enumerate(now):
                if tile not in line:
                    self.events[seat].append(Event("enter", place, tile, tile in self.up(seat)))
                elif tile in self.up(seat) - up:
                    self.events[seat].append(Event("up", place, tile))
        self._watch_draws(shown, seat)
        return self.paid

    def _watch_draws(self, shown: bool, mover: int) -> None:
        """Note the deal once both lines are set up, and the draw when a turn starts."""
        if not lines_shown(self.state):
            return
        if not shown:
            for seat in range(2):
                self.events[seat].append(Event("deal", tiles=tuple(self.line(seat))))
        if (self.state.turn != mover or not shown) and self.state.drawn >= 0:
            self.events[self.state.turn].append(Event("draw", value=int(self.state.drawn)))

    def decide_randomly(self, most: int) -> None:
        """Play at most so many random decisions, four in ten guesses right but for the last tile: lines get shown."""
        for _ in range(most):
            if self.over:
                return
            actions = self.legal_actions()
            if self.guessing and self.random.random() < 0.4:
                seat = self.current_player
                place = self.random.choice(self.hidden_places(1 - seat))
                right = place * self.n + self.line(1 - seat)[place]
                if right in actions and len(self.hidden_places(1 - seat)) > 1:
                    self.decide(right)
                    continue
            self.decide(self.random.choice(actions))


@compiled
def _weigh_guesses(states: Any, seat: int, weights: npt.NDArray[np.float64]) -> float:
    return weigh_guesses(states[0], seat, weights)


@compiled
def _weigh_own(states: Any, seat: int, weights: npt.NDArray[np.float64]) -> float:
    state = states[0]
    face_up = int(state.up[seat]) | int(state.up[1 - seat])
    return weigh_arrangements(state, seat, ((1 << int(state.n)) - 1) & ~face_up, weights)


@compiled
def _remember(states: Any, seen: npt.NDArray[np.float32]) -> None:
    remember(states[0], seen)


def open_places(line: Line, tile: int, numbers: int) -> list[int]:
    """The places where a tile may enter a line: numbers ascend from left to right, and jokers go anywhere."""
    places = []
    for place in range(len(line) + 1):
        row = [other for other in (*line[:place], tile, *line[place:]) if other < numbers]
        if row == sorted(row):
            places.append(place)
    return places


def placing_chance(game: CodaDriver, owner: int, line: Line) -> float:
    """The probability that tiles of a line that had more than one open place went where they are."""
    numbers = game.n - game.options.jokers
    entries = game.entries(owner)
    chance = 1.0
    for place, tile in enumerate(line):
        before = [other < numbers or at < place for at, other in enumerate(line)]  # Of dealt tiles, jokers come last.
        there = [
            entries[at] < entries[place] or (entries[at] == entries[place] == 0 and tile >= numbers and before[at])
            for at in range(len(line))
        ]
        if tile >= numbers or entries[place] > 0:
            row = tuple(other for at, other in enumerate(line) if there[at] and at != place)
            chance /= len(open_places(row, tile, numbers))
    return chance


def deck_of(first: Sequence[int], n: int) -> list[int]:
    """A deck of n tiles that starts with some of them; the others follow in order."""
    return [*first, *(tile for tile in range(n) if tile not in first)]

"""A driver for games of Coda in tests: tiles, lines and guesses by name, and sets of options to play with."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.compilation import compiled
from cardgym.engine.registry import find
from cardgym.games.coda.knowledge import count_guesses, new_counts
from cardgym.games.coda.search import remember
from cardgym.games.coda.state import GUESSING, CodaOptions, place_action, stop_action
from cardgym.testing import StateDriver

CASES: list[tuple[str, dict[str, Any]]] = [
    ("Coda-v0", {}),
    ("Coda-v0", {"n_start": 4, "reward": "paper"}),
    ("Coda-v0", {"n_start": 3, "continuation": "optional", "colour_visible": "no"}),
    ("Coda-v0", {"n": 10, "n_start": 2, "empty": "play_on", "first": 1}),
    ("Coda-v0", {"n_start": 3, "feasible": "all", "continuation": "optional", "empty": "play_on"}),
    ("Coda-v0", {"n_start": 4, "feasible": "colour"}),
    ("CodaOfficial-v0", {}),
    ("CodaOfficial-v0", {"feasible": "consistent", "n_start": 3}),
    ("CodaOfficial-v0", {"n_start": 12, "first": "0"}),
]
"""Ids with options that differ from the id's."""


@dataclass(frozen=True)
class Guess:
    """A guess: who made it, at which tile, the value it named, and the tiles that the guesser held."""

    seat: int
    tile: int
    value: int
    held: set[int]


class CodaDriver(StateDriver):
    """A game of Coda in which every decision is chosen by the test; tiles come from `deck`, or at random.

    Attributes:
        seed: what chance and random decisions are drawn from.
        guesses: all guesses made.
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
        self.paid = self.play_chance(self.random.randrange)[:2]

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

    def count_guesses(self, seat: int) -> tuple[npt.NDArray[np.int64], int]:
        """In how many arrangements of the opponent's line a place holds a tile, and how many there are."""
        counts = new_counts()
        return counts, _count_guesses(self.states, seat, counts)

    def remembered(self, seat: int) -> CodaDriver:
        """The state that the player `search` writes from what `seat` sees."""
        other = self.copy()
        _remember(other.states, self.observe(seat, "full"))
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
        self.paid = (self.apply_action(action) + self.play_chance(self.random.randrange))[:2]
        return self.paid

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
def _count_guesses(states: Any, seat: int, counts: npt.NDArray[np.int64]) -> int:
    return count_guesses(states[0], seat, counts)


@compiled
def _remember(states: Any, seen: npt.NDArray[np.float32]) -> None:
    remember(states[0], seen)


def deck_of(first: Sequence[int], n: int) -> list[int]:
    """A deck of n tiles that starts with some of them; the others follow in order."""
    return [*first, *(tile for tile in range(n) if tile not in first)]

"""A table of Coda for the tests: it plays chance and actions by hand and remembers every guess."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardgym.engine.registry import find
from cardgym.games.coda.state import DRAWING, GUESSING


@dataclass
class Guess:
    """A guess that was made, and which tiles the guesser held then."""

    seat: int
    tile: int
    value: int
    held: set[int]


@dataclass
class Table:
    """One table; tiles are drawn by `random`, or from a deck."""

    game_id: str = "Coda-v0"
    settings: dict[str, Any] = field(default_factory=dict)
    deck: list[int] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        self.game = find(self.game_id)
        self.options = self.game.parse_options(self.settings)
        self.batch = self.game.new_state(self.options)
        self.mask = np.zeros(self.game.actions(self.options), np.int8)
        self.random = random.Random(self.seed)
        self.guesses: list[Guess] = []
        self.paid = np.zeros(2)
        if self.deck is not None:
            self.game.rules.stack_deck(self.state, self.deck)
        self.game.rules.setup(self.state)
        self._settle()

    @property
    def state(self) -> Any:
        return self.batch[0]

    @property
    def n(self) -> int:
        return int(self.state.n)

    @property
    def over(self) -> bool:
        return self.game.rules.current_player(self.state) < 0

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

    def legal_actions(self) -> list[int]:
        self.game.rules.legal_action_mask(self.state, self.mask)
        return [int(action) for action in np.flatnonzero(self.mask)]

    def guess(self, place: int, value: int) -> np.ndarray:
        return self.act(place * self.n + value)

    def place(self, place: int) -> np.ndarray:
        return self.act(self.n**2 + 1 + place)

    def stop(self) -> np.ndarray:
        return self.act(self.n**2)

    def act(self, action: int) -> np.ndarray:
        """Play a legal action, and chance after it; return what all this paid."""
        assert action in self.legal_actions()
        seat = int(self.state.turn)
        if action < self.n**2:
            tile = self.line(1 - seat)[action // self.n]
            self.guesses.append(Guess(seat, tile, action % self.n, self.held(seat)))
        self.paid = np.zeros(2)
        self.game.rules.apply_action(self.state, action)
        self.paid += self.state.reward
        self._settle()
        return self.paid

    def _settle(self) -> None:
        while outcomes := int(self.game.rules.num_chance_outcomes(self.state)):
            self.drawing = self.state.phase == DRAWING
            self.game.rules.apply_action(self.state, self.random.randrange(outcomes))
            self.paid += self.state.reward

    def play_randomly(self, decisions: int) -> None:
        """Play up to so many random decisions; most guesses are likely ones, so that lines get shown."""
        for _ in range(decisions):
            if self.over:
                return
            actions = self.legal_actions()
            if self.guessing and self.random.random() < 0.4:
                seat = int(self.state.turn)
                place = self.random.choice(self.hidden_places(1 - seat))
                wish = place * self.n + self.line(1 - seat)[place]
                if wish in actions and len(self.hidden_places(1 - seat)) > 1:
                    self.act(wish)
                    continue
            self.act(self.random.choice(actions))


SETTINGS: list[tuple[str, dict[str, Any]]] = [
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

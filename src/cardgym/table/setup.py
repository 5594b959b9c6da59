"""Who plays which game at the table, and with which cards."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np

import cardgym
from cardgym.engine.contract import Game, Options
from cardgym.engine.jit import JIT_DISABLED
from cardgym.engine.registry import find
from cardgym.engine.rules import derive
from cardgym.errors import CardgymError
from cardgym.players import Player, resolve

PERSON = "human"
"""The person's name in the game log and in reports."""

AGAIN, TABLE, LESSON, RESIGNED, HELPED, LEVEL = "again", "table", "lesson", "resigned", "helped", "level"
"""Keys in an entry's `about`: the id of the game that it continues at one of its decisions; how several people share
the table, one of `People`; whether the game follows its lesson; the seat that resigned; whether a
person asked the coach; and the opponents' level."""

People = Literal["one", "hot", "link"]
"""A person alone; several people taking turns at one screen; several people, each at a screen."""

WATCHED = -1
"""The person's seat in a game that is watched."""

_STREAM = np.uint64(0x91A7)
"""The stream of the deals of people's games."""

_SEAT = np.uint64(2**63)
"""Added to a game's number: the stream that seats are drawn from."""

Resolve = Callable[[str, Game, Options], Player]


@dataclass(frozen=True)
class GameSetup:
    """Who plays which game, and with which cards.

    Attributes:
        players: the players in the other seats, in order of play after the person; in all seats if watched. None is
            another person.
        seed: the seed of the deals; it determines all cards.
        seat: the person's seat; None draws it.
        watched: whether players take all seats.
        number: the number of this game among those of the seed.
        about: further plain values to save with the game.
    """

    game: Game
    options: Options
    players: Sequence[Player | None]
    seed: int
    seat: int | None = None
    watched: bool = False
    number: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> np.uint64:
        """The key of the deals."""
        return np.uint64(derive(np.uint64(self.seed), _STREAM))

    def person_seat(self) -> int:
        """Return the person's seat, drawn if it is not set; WATCHED if there is none."""
        if self.watched:
            return WATCHED
        if self.seat is not None:
            return self.seat
        return int(derive(self.key, np.uint64(self.number) + _SEAT)) % self.options.num_players

    def __post_init__(self) -> None:
        num_seats = self.options.num_players
        num_players = num_seats if self.watched else num_seats - 1
        if len(self.players) != num_players:
            count = len(self.players)
            raise CardgymError(f"{count} players for {num_players} seats of {self.game.id}: name one for each")
        if self.seat is not None and not 0 <= self.seat < num_seats:
            raise CardgymError(f"seat {self.seat}: {self.game.id} has seats 0 to {num_seats - 1} here")


def resolve_logged(name: str, game: Game, options: Options) -> Player:
    """Return the player of a logged game: never a program, because a log may come from anybody."""
    return resolve(name, game, options, programs=False)


def setup_of(entry: Mapping[str, Any], resolve: Resolve) -> GameSetup:
    """Return the setup of a logged game, its players found by `resolve`.

    Raises:
        CardgymError: if the game is not installed, or as `resolve` does.
    """
    game = find(entry["env"])
    options = game.parse_options(entry["options"])
    watched = entry["person"] is None
    names = [player["name"] for player in entry["players"]][0 if watched else 1 :]
    players = [None if name == PERSON else resolve(name, game, options) for name in names]
    about = entry["about"]
    return GameSetup(game, options, players, entry["seed"], entry["person"], watched, entry["game"], about)


def is_practice(entry: Mapping[str, Any]) -> bool:
    """Whether a person knew what would come: in a lesson, or at a decision tried again. Such games do not count."""
    about = entry["about"]
    return bool(about.get(AGAIN) or about.get(LESSON))


def is_secret(entry: Mapping[str, Any]) -> bool:
    """Whether a game's cards must stay hidden: several people play it, and it is not over."""
    return not entry["finished"] and sum(player["name"] == PERSON for player in entry["players"]) > 1


@cache
def versions() -> dict[str, str]:
    """Return the versions that a game is played with."""
    numba = "" if JIT_DISABLED else importlib.metadata.version("numba")
    return {"cardgym": cardgym.__version__, "numpy": np.__version__} | ({"numba": numba} if numba else {})

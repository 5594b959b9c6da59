"""What can be played: games, their options, and opponents with their measured strength."""

from __future__ import annotations

import dataclasses
import secrets
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from starlette.exceptions import HTTPException

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find, package_of, registered
from cardgym.errors import CardgymError, quoted
from cardgym.files.documents import Name, at_most
from cardgym.files.schema import Field
from cardgym.players import (
    GREEDY,
    Actions,
    CompiledPlayer,
    KernelPlayer,
    Masks,
    Observations,
    Player,
    TextPlayer,
    player_names,
    resolve,
    seated,
)
from cardgym.players.base import legal_actions, split_path
from cardgym.players.compatibility import OptionValues
from cardgym.players.mixtures import MixturePlayer
from cardgym.players.programs import is_program, load
from cardgym.players.resolver import checkpoints
from cardgym.table.people import name_key, shown_name
from cardgym.table.presentation import IN_WORDS, OptionWords, Presentation, presentation_of, rules_of, strength_of
from cardgym.table.setup import LESSON, LEVEL, PERSON, TABLE, GameSetup
from cardgym.table.web.requests import Body, Seed
from cardgym.table.web.seats import JOIN, NONCE, checked_names, new_code, new_nonce

_OF_LEARNERS = ("reward",)
"""Options that change what an agent learns from, and nothing for a person who plays."""


def game_called(name: str) -> Game:
    """Find a registered game by its id."""
    if name not in registered():
        raise HTTPException(404, f"no such game; the games are {', '.join(registered())}")
    return find(name)


_MAX_NAME = 40
"""Characters of the name of a player that is named at the start of the server."""

_CROWD = 4
"""The number of players from which a table has the options of `Presentation.crowd`."""

_LEVELS = ("Beginner", "Easy", "Medium", "Hard", "Expert")
"""Levels below the last, weakest first; a game with fewer players leaves out the last ones."""


def _strength(game: Game, name: str, options: Options) -> str:
    measured = strength_of(game, name)
    if not measured:
        return "any legal move" if name == "random" else "not measured"
    return measured if options == game.parse_options() else f"{measured}, with the usual options"


def _words(name: str, about: Mapping[str, Any], presentation: Presentation) -> dict[str, Any]:
    """Return what a form shows of an option: label, group, names of the choices, and `crowd`; see `Presentation`."""
    words = presentation.options.get(name, OptionWords())
    label = words.label or about.get("help") or name.replace("_", " ")
    seats = {value: f"player {int(value) + 1}" for value in about.get("choices", ()) if value.isdecimal()}
    texts = {
        value: {**seats, **words.choices}.get(value, value.replace("_", " ")) for value in about.get("choices", ())
    }
    group = "table" if name == "num_players" else words.group
    return {"label": label, "group": group, "texts": texts, "crowd": presentation.crowd.get(name)}


def opponent_names(game: Game, options: Options) -> list[str]:
    """Return the players that people can meet with these options, checkpoints that come with the game among them."""
    shipped = checkpoints(game, options)
    measured = presentation_of(game).strength.get(game.id, {})
    greedy = [name for name in measured if name.endswith(GREEDY) and name.removesuffix(GREEDY) in shipped]
    return [*player_names(game), *shipped, *greedy]


def rules(game: Game, options: Options) -> dict[str, Any]:
    """Return the rules with these options: paragraphs, and pictures of what counts."""
    state = game.blank_state(options)[0]
    rules = [paragraph for paragraph in rules_of(game, state) if paragraph[0] != IN_WORDS]
    return {"rules": rules, "examples": presentation_of(game).examples()}


def _first_sentence(doc: str) -> str:
    text = " ".join(line for line in doc.splitlines() if not line.startswith("#"))
    return " ".join(text.split()).partition(". ")[0].removesuffix(".") + "."


class NewTable(Body):
    """A game to play."""

    game: Name = ""
    options: OptionValues = Field(default_factory=dict)
    opponents: Annotated[list[Name], at_most(64)] = Field(default_factory=list)
    """One for each other seat, or one for all; `PERSON` is another person. Empty for the usual opponent."""
    seat: int | Literal["any"] | None = None
    """The person's seat; None to watch."""
    seed: Seed | None = None
    """None draws it; where several people play, nobody may name it: it determines their cards."""
    hints: Literal["off", "demand", "always"] = "off"
    people: Literal["one", "hot", "link"] = "one"
    names: list[str] = Field(default_factory=list)
    """The names of the people, the one who opens the table first."""
    lesson: bool = False
    rematch: Name = ""
    """The finished table by link whose people are asked to join."""


def _people(body: NewTable, options: Options, players: Sequence[Player | None], seat: int) -> dict[str, Any]:
    """How several people share a table, their names by seat, and the code by which others join."""
    others = [(seat + ahead) % options.num_players for ahead, player in enumerate(players, 1) if player is None]
    usual = [f"Player {number}" for number in range(1, len(others) + 2)]
    names = checked_names(body.names, usual)
    about = {TABLE: body.people, NONCE: new_nonce()} | ({JOIN: new_code()} if body.people == "link" else {})
    return about | {name_key(seat): name for seat, name in zip([seat, *others], names, strict=True)}


_FIRST_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")


def _first_names(setup: GameSetup) -> dict[str, str]:
    """Names by seat for players of whom several sit at the table, in order of play after the person."""
    names = [player and player.name for player in setup.players]
    seats = [(setup.person_seat() + ahead) % setup.options.num_players for ahead in range(1, len(names) + 1)]
    named = zip(seats, names, _FIRST_NAMES, strict=False)
    return {name_key(seat): first for seat, name, first in named if name and names.count(name) > 1}


_TEACHER = "Sam"
"""What a lesson calls the other player."""


class Lobby:
    """The games of a server, and the players that people can meet there, by name."""

    def __init__(self, own: Mapping[str, str] | None = None) -> None:
        """Offer the games' players and, by their own names, those that whoever starts the server names.

        Raises:
            CardgymError: for a name that is taken or that people could not read, and a program that cannot be loaded.
        """
        self.own = dict(own or {})
        for name, spec in self.own.items():
            _check(name, spec)
        self._games: list[dict[str, Any]] = []
        self._player = lru_cache(maxsize=128)(self._resolve)

    def games(self) -> list[dict[str, Any]]:
        self._games = self._games or [self._game(find(name)) for name in registered()]
        return self._games

    def _game(self, game: Game) -> dict[str, Any]:
        defaults = game.parse_options()
        specs = {spec.name: spec.metadata for spec in dataclasses.fields(game.options)}
        number = specs.get("num_players", {"low": defaults.num_players, "high": defaults.num_players})
        package = package_of(game)
        return {
            "id": game.id,
            "family": game.id if package is None else package.name,
            "line": _first_sentence(game.doc),
            "options": [
                {
                    "name": name,
                    "default": getattr(defaults, name),
                    **about,
                    **_words(name, about, presentation_of(game)),
                }
                for name, about in specs.items()
                if name not in _OF_LEARNERS
            ],
            "seats": [number["low"], number["high"]],
            "opponent": game.opponent,
            "puzzles": presentation_of(game).adviser is not None,
            "lesson": game.id in presentation_of(game).lessons,
            "players": self.opponents(game, defaults),
        }

    def opponents(self, game: Game, options: Options) -> list[dict[str, str]]:
        """Return the players that fit a game's options: name, name for people, level (often empty) and measured
        strength.
        """
        presentation = presentation_of(game)
        names = self._names(game, options)
        levels = [name for name in presentation.levels.get(game.id, ()) if name in names]
        labels = dict(zip(levels, (*_LEVELS[: len(levels) - 1], "Master"), strict=True)) if levels else {}
        return [
            {
                "name": name,
                "shown": shown_name(name),
                "level": labels.get(name, ""),
                "strength": _strength(game, name, options),
            }
            for name in [*levels, *(name for name in names if name not in levels)]
        ]

    def parse(self, body: NewTable) -> GameSetup:
        """Parse the body of POST /api/tables; refuse what the game does not allow."""
        game = game_called(body.game)
        if body.lesson:
            return self._lesson(game)
        options = game.parse_options(body.options)
        if options.num_players >= _CROWD:
            options = game.parse_options({**presentation_of(game).crowd, **body.options})
        watched = body.seat is None
        seat = None if body.seat == "any" else body.seat
        names = body.opponents or [game.opponent]
        lineup = seated(names[0] if len(names) == 1 else names, options.num_players - (not watched))
        players = [None if name == PERSON else self.player_called(str(name), game, options) for name in lineup]
        several = None in players
        if several != (body.people != "one") or (several and watched):
            raise CardgymError(f"opponents: name {PERSON} for each other person at a table of several people")
        about: dict[str, Any] = {"hints": body.hints}
        if several and body.seed is not None:
            raise CardgymError("seed: where several people play, the server draws it; leave it out")
        if several:
            seat = secrets.randbelow(options.num_players) if seat is None else seat
            about |= _people(body, options, players, seat)
        seed = secrets.randbits(63) if body.seed is None else body.seed
        levels = {found["level"] for found in self.opponents(game, options) if found["name"] in lineup}
        if len(levels) == 1:
            about[LEVEL] = levels.pop()
        setup = GameSetup(game, options, players, seed, seat, watched, about=about)
        about |= _first_names(setup)
        return setup

    def _lesson(self, game: Game) -> GameSetup:
        """Set up the scripted first game for someone new."""
        lesson = presentation_of(game).lessons.get(game.id)
        if lesson is None:
            raise CardgymError(f"{game.id} has no lesson")
        options = game.parse_options(lesson.options)
        players = [self.player_called(lesson.opponent, game, options)] * (options.num_players - 1)
        about = {"hints": "demand", LESSON: True, name_key(1): _TEACHER}
        return GameSetup(game, options, players, lesson.seed, 0, about=about)

    def player_called(self, name: str, game: Game, options: Options) -> Player:
        """Return a player of the game by its name; never a path."""
        names = self._names(game, options)
        if name not in names:
            raise CardgymError(f"no such player; {game.id} has {', '.join(names)} with these options")
        player = self._player(name, game, options)
        if isinstance(player, CardgymError):
            raise player
        return player

    def _names(self, game: Game, options: Options) -> list[str]:
        """Return the names of the players that fit these options: the game's, and those named at the start of the
        server.
        """
        own = [name for name in self.own if isinstance(self._player(name, game, options), Player)]
        return [*own, *opponent_names(game, options)]

    def _resolve(self, name: str, game: Game, options: Options) -> Player | CardgymError:
        """Return a player, or why there is none with these options."""
        try:
            return _shared(name, resolve(self.own.get(name, name), game, options))
        except ModuleNotFoundError as error:
            return CardgymError(f"player {name} needs the package {error.name}, which is not installed here")
        except CardgymError as error:
            return error


def _shared(name: str, player: Player) -> Player:
    """Return a player that several tables may ask at once, by the name that people know."""
    if isinstance(player, MixturePlayer):
        return MixturePlayer(name, tuple(_shared(part.name, part) for part in player.players), player.weights)
    if not isinstance(player, CompiledPlayer):
        player.name = name  # In messages, too.
    return player if isinstance(player, KernelPlayer | TextPlayer) else _Shared(player)


def _check(name: str, spec: str) -> None:
    """Check that a player can be offered by this name, and that there is such a player or file."""
    games = [(find(id), find(id).parse_options()) for id in registered()]
    taken = {PERSON, *(other for game, options in games for other in opponent_names(game, options))}
    if name in taken or not name.isprintable() or not 0 < len(name) <= _MAX_NAME or name != name.strip():
        raise CardgymError(
            f"player name {quoted(name)}: give 1 to {_MAX_NAME} characters that no player of a game is called by"
        )
    if spec in taken:
        raise CardgymError(f"player {name}={spec}: people can choose {spec} without another name; leave it out")
    if is_program(spec):
        load(spec)
    elif spec.startswith("llm:"):
        resolve(spec, *games[0])
    elif not Path(split_path(spec)[0]).is_file():
        raise CardgymError(f"player {name}={spec}: no such file")


class _Shared(Player):
    """A player that several tables share, one at a time: it may keep memory between its decisions."""

    def __init__(self, player: Player) -> None:
        self.name, self.observation_name, self.samples = player.name, player.observation_name, player.samples
        self._player = player
        self._lock = threading.Lock()

    def act(self, observations: Observations, masks: Masks, draws: npt.NDArray[np.float64] | None = None) -> Actions:
        with self._lock:
            return legal_actions(self._player, observations, masks, draws)  # Named if it fails.

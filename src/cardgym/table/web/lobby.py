"""What can be played: games, their options, and opponents with their measured strength."""

from __future__ import annotations

import dataclasses
import secrets
import threading
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from starlette.exceptions import HTTPException

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find, package_of, registered
from cardgym.errors import CardgymError
from cardgym.files.documents import Name, at_most
from cardgym.players import GREEDY, Actions, KernelPlayer, Masks, Observations, Player, player_names, resolve, seated
from cardgym.players.compatibility import OptionValues
from cardgym.players.resolver import checkpoints
from cardgym.table.people import name_key, shown_name
from cardgym.table.presentation import IN_WORDS, presentation_of, rules_of, strength_of
from cardgym.table.setup import LESSON, PERSON, TABLE, GameSetup
from cardgym.table.web.requests import Body, Seed
from cardgym.table.web.seats import JOIN, NONCE, checked_names, new_code, new_nonce

_OF_LEARNERS = ("reward",)
"""Options that change what an agent learns from, and nothing for a person who plays."""


def game_called(name: str) -> Game:
    """Find a registered game by its id."""
    if name not in registered():
        raise HTTPException(404, f"no such game; the games are {', '.join(registered())}")
    return find(name)


@cache
def games() -> list[dict[str, Any]]:
    """All games as the page lists them."""
    return [_game(find(name)) for name in registered()]


def _game(game: Game) -> dict[str, Any]:
    defaults = game.parse_options()
    specs = {spec.name: spec.metadata for spec in dataclasses.fields(game.options)}
    number = specs.get("num_players", {"low": defaults.num_players, "high": defaults.num_players})
    package = package_of(game)
    return {
        "id": game.id,
        "family": game.id if package is None else package.name,
        "line": _first_sentence(game.doc),
        "options": [
            {"name": name, "default": getattr(defaults, name), **about}
            for name, about in specs.items()
            if name not in _OF_LEARNERS
        ],
        "seats": [number["low"], number["high"]],
        "opponent": game.opponent,
        "puzzles": presentation_of(game).adviser is not None,
        "lesson": game.id in presentation_of(game).lessons,
        "players": opponents(game, defaults),
    }


_LEVELS = ("Beginner", "Easy", "Medium", "Hard", "Expert")
"""Levels below the strongest, weakest first; a game with fewer players leaves out the last ones."""


def opponents(game: Game, options: Options) -> list[dict[str, str]]:
    """The players that fit a game's options: name, name for people, level (often empty) and measured strength."""
    presentation = presentation_of(game)
    names = opponent_names(game, options)
    levels = [name for name in presentation.levels.get(game.id, ()) if name in names]
    labels = dict(zip(levels, (*_LEVELS[: len(levels) - 1], "Strongest"), strict=True)) if levels else {}
    return [
        {
            "name": name,
            "shown": shown_name(name),
            "level": labels.get(name, ""),
            "strength": _strength(game, name, options),
        }
        for name in [*levels, *(name for name in names if name not in levels)]
    ]


def _strength(game: Game, name: str, options: Options) -> str:
    measured = strength_of(game, name)
    if not measured:
        return "any legal move" if name == "random" else "not measured"
    return measured if options == game.parse_options() else f"{measured}, with the usual options"


def opponent_names(game: Game, options: Options) -> list[str]:
    """The players that people can meet with these options, checkpoints that come with the game among them."""
    shipped = checkpoints(game, options)
    measured = presentation_of(game).strength.get(game.id, {})
    greedy = [name for name in measured if name.endswith(GREEDY) and name.removesuffix(GREEDY) in shipped]
    return [*player_names(game), *shipped, *greedy]


def rules(game: Game, options: Options) -> dict[str, Any]:
    """The rules with these options: paragraphs, and pictures of what counts."""
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


def parse(body: NewTable) -> GameSetup:
    """Parse the body of POST /api/tables; refuse what the game does not allow."""
    game = game_called(body.game)
    if body.lesson:
        return _lesson(game)
    options = game.parse_options(body.options)
    watched = body.seat is None
    seat = None if body.seat == "any" else body.seat
    names = body.opponents or [game.opponent]
    lineup = seated(names[0] if len(names) == 1 else names, options.num_players - (not watched))
    players = [None if name == PERSON else player_called(str(name), game, options) for name in lineup]
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
    return GameSetup(game, options, players, seed, seat, watched, about=about)


def _people(body: NewTable, options: Options, players: Sequence[Player | None], seat: int) -> dict[str, Any]:
    """How several people share a table, their names by seat, and the code by which others join."""
    others = [(seat + ahead) % options.num_players for ahead, player in enumerate(players, 1) if player is None]
    usual = [f"Player {number}" for number in range(1, len(others) + 2)]
    names = checked_names(body.names, usual)
    about = {TABLE: body.people, NONCE: new_nonce()} | ({JOIN: new_code()} if body.people == "link" else {})
    return about | {name_key(seat): name for seat, name in zip([seat, *others], names, strict=True)}


_TEACHER = "Sam"
"""What a lesson calls the other player."""


def _lesson(game: Game) -> GameSetup:
    """Set up the scripted first game for someone new."""
    lesson = presentation_of(game).lessons.get(game.id)
    if lesson is None:
        raise CardgymError(f"{game.id} has no lesson")
    options = game.parse_options(lesson.options)
    players = [player_called(lesson.opponent, game, options)] * (options.num_players - 1)
    about = {"hints": "demand", LESSON: True, name_key(1): _TEACHER}
    return GameSetup(game, options, players, lesson.seed, 0, about=about)


def player_called(name: str, game: Game, options: Options) -> Player:
    """A player of the game by its name; never a path."""
    names = opponent_names(game, options)
    if name not in names:
        raise CardgymError(f"no such player; {game.id} has {', '.join(names)} with these options")
    try:
        return _player(name, game, options)
    except ModuleNotFoundError as error:
        raise CardgymError(f"player {name} needs the package {error.name}, which is not installed here") from None


@lru_cache(maxsize=128)
def _player(name: str, game: Game, options: Options) -> Player:
    player = resolve(name, game, options)
    return player if isinstance(player, KernelPlayer) else _Shared(player)


class _Shared(Player):
    """A player that several tables share, one at a time: it may keep memory between its decisions."""

    def __init__(self, player: Player) -> None:
        self.name, self.observation_name, self.samples = player.name, player.observation_name, player.samples
        self._player = player
        self._lock = threading.Lock()

    def act(self, observations: Observations, masks: Masks, draws: npt.NDArray[np.float64] | None = None) -> Actions:
        """See `Player.act`."""
        with self._lock:
            return self._player.act(observations, masks, draws)

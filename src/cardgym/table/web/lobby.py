"""What can be played: games, their options, and opponents with their measured strength."""

from __future__ import annotations

import dataclasses
import secrets
import threading
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from starlette.exceptions import HTTPException

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find, package_of, registered
from cardgym.errors import CardgymError
from cardgym.players import GREEDY, Actions, KernelPlayer, Masks, Observations, Player, player_names, resolve, seated
from cardgym.players.formats import checkpoints
from cardgym.table.coach.advice import HINTS
from cardgym.table.people import name_key, shown_name
from cardgym.table.presentation import IN_THE_TERMINAL, presentation_of, rules_of, strength_of
from cardgym.table.setup import LESSON, PEOPLE, PERSON, TABLE, Setup
from cardgym.table.web.safety import one_of, whole
from cardgym.table.web.seats import JOIN, checked_names, new_code

MAX_SEED = 2**53 - 1
"""The largest integer that JavaScript represents exactly."""

KEYS = ("game", "options", "opponents", "seat", "seed", "hints", "people", "names", "lesson")
_OF_LEARNERS = ("reward",)
"""Options that change what an agent learns from, and nothing for a person who plays."""
MAX_OPTIONS = 32
"""The maximum number of options in a request."""


def game_called(name: object) -> Game:
    """A registered game by its id."""
    if not isinstance(name, str) or name not in registered():
        raise HTTPException(404, f"no such game; the games are {', '.join(registered())}")
    return find(name)


@cache
def games() -> list[dict[str, Any]]:
    """All games as the page lists them."""
    return [_game(find(name)) for name in registered()]


def _game(game: Game) -> dict[str, Any]:
    defaults = game.parse_options()
    specs = {spec.name: spec for spec in dataclasses.fields(game.options)}
    number = specs.get("num_players")
    seats = (number.metadata["low"], number.metadata["high"]) if number else (defaults.num_players,) * 2
    package = package_of(game)
    return {
        "id": game.id,
        "family": game.id if package is None else package.name,
        "line": _first_sentence(game.doc),
        "options": [
            _option(spec, getattr(defaults, spec.name)) for spec in specs.values() if spec.name not in _OF_LEARNERS
        ],
        "seats": list(seats),
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
            "strength": strength_of(game, name) or ("any legal move" if name == "random" else "not measured"),
        }
        for name in [*levels, *(name for name in names if name not in levels)]
    ]


def opponent_names(game: Game, options: Options) -> list[str]:
    """The players that people can meet with these options, checkpoints that come with the game among them."""
    shipped = checkpoints(game, options)
    measured = presentation_of(game).strength.get(game.id, {})
    greedy = [name for name in measured if name.endswith(GREEDY) and name.removesuffix(GREEDY) in shipped]
    return [*player_names(game), *shipped, *greedy]


def rules(game: Game, options: Options) -> dict[str, Any]:
    """The rules with these options: paragraphs, and pictures of what counts."""
    state = game.blank_state(options)[0]
    rules = [paragraph for paragraph in rules_of(game, state) if paragraph[0] != IN_THE_TERMINAL]
    return {"rules": rules, "examples": presentation_of(game).examples()}


def _first_sentence(doc: str) -> str:
    text = " ".join(line for line in doc.splitlines() if not line.startswith("#"))
    return " ".join(text.split()).partition(". ")[0].removesuffix(".") + "."


def _option(spec: dataclasses.Field[Any], default: int | str) -> dict[str, Any]:
    about = spec.metadata
    keys = ("choices",) if "choices" in about else ("low", "high", "step")
    return {"name": spec.name, "default": default, "help": about["help"], **{key: about[key] for key in keys}}


def parse(body: dict[str, Any]) -> Setup:
    """The game that a request's body describes; every value is bounded or comes from a list.

    Raises:
        HTTPException, CardgymError: if one does not.
    """
    game = game_called(body.get("game"))
    if body.get("lesson"):
        return _lesson(game)
    options = options_in(game, body)
    watched = body.get("seat") is None
    seat = None if watched or body["seat"] == "any" else whole(body, "seat", 0, options.num_players - 1)
    num_players = options.num_players if watched else options.num_players - 1
    names = body.get("opponents") or [game.opponent]
    if not isinstance(names, list) or len(names) > 64 or not all(isinstance(name, str) for name in names):
        raise HTTPException(400, "opponents: send a list of names")
    lineup = seated(names[0] if len(names) == 1 else names, num_players)
    players = [None if name == PERSON else player_called(str(name), game, options) for name in lineup]
    seed = secrets.randbits(63) if body.get("seed") is None else whole(body, "seed", 0, MAX_SEED)
    about = {"hints": one_of(body, "hints", HINTS, "off")}
    people, persons = one_of(body, "people", PEOPLE, "one"), 1 + players.count(None)
    if (people == "one") != (persons == 1) or (watched and people != "one"):
        raise HTTPException(400, f"opponents: name {PERSON} for each other person at a table of several people")
    if persons > 1:
        seat = secrets.randbelow(options.num_players) if seat is None else seat
        names = checked_names(body.get("names", []), persons, [f"Player {number}" for number in range(1, 65)])
        seats = [seat, *((seat + ahead) % options.num_players for ahead, player in enumerate(players, 1) if not player)]
        about |= {TABLE: people, **{name_key(seat): name for seat, name in zip(seats, names, strict=True)}}
        about |= {JOIN: new_code()} if people == "link" else {}
    return Setup(game, options, players, seed, seat, watched, about=about)


_TEACHER = "Sam"
"""What a lesson calls the other player."""


def _lesson(game: Game) -> Setup:
    """The game that a person who has never played it is led through."""
    lesson = presentation_of(game).lessons.get(game.id)
    if lesson is None:
        raise HTTPException(400, f"{game.id} has no lesson")
    options = game.parse_options(lesson.options)
    players = [player_called(lesson.opponent, game, options)] * (options.num_players - 1)
    return Setup(game, options, players, lesson.seed, 0, about={"hints": "demand", LESSON: True, name_key(1): _TEACHER})


def options_in(game: Game, body: dict[str, Any]) -> Options:
    """The options in a request's body.

    Raises:
        HTTPException, CardgymError: if they are not options of the game.
    """
    values = body.get("options", {})
    if not isinstance(values, dict) or len(values) > MAX_OPTIONS:
        raise HTTPException(400, "options: send an object of names and values")
    for value in values.values():
        if type(value) not in (int, str) or len(str(value)) > 40:
            raise HTTPException(400, "options: values must be whole numbers or words")
    return game.parse_options(values)


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

"""The explorer's routes: positions of a game with the value of every action."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Annotated, Any

from starlette.requests import Request
from starlette.routing import Route

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.files.documents import Name, at_most
from cardgym.files.schema import Field
from cardgym.players.compatibility import OptionValues
from cardgym.table.coach.coach import Coach
from cardgym.table.coach.explorer import Explorer, Line
from cardgym.table.coach.review import MAX_MOVES, names_of
from cardgym.table.game_log import GameLog
from cardgym.table.people import shown_names
from cardgym.table.presentation import view_of
from cardgym.table.setup import PERSON
from cardgym.table.web import lobby
from cardgym.table.web.record import ended
from cardgym.table.web.requests import Body, Move, Seed, post

_MAX_BODY = 16 * MAX_MOVES
"""Bytes of a request: moves of up to ten digits, and what else there is."""


class _Change(Body):
    step: Move
    outcome: Move


class _Line(Body):
    """Moves: from the start of a game, or those of a finished one, `record`, up to its move `move`."""

    game: Name = ""
    options: OptionValues = Field(default_factory=dict)
    moves: Annotated[list[Move], at_most(MAX_MOVES)] = Field(default_factory=list)
    record: Name | None = None
    move: Move | None = None
    against: Annotated[list[Name], at_most(64)] = Field(default_factory=list)
    """The names of the players by seat, which advice may depend on; empty if they are unknown."""
    seed: Seed = 0
    change: _Change | None = None
    at: Move = 0
    """The step whose outcomes are asked for."""


class Explore:
    """Handlers of the explorer's routes."""

    def __init__(self, game_log: GameLog) -> None:
        self._game_log = game_log

    def routes(self) -> list[Route]:
        return [
            post("/api/explore", self.line, _Line, _MAX_BODY, slow=True),
            post("/api/explore/outcomes", self.outcomes, _Line, _MAX_BODY, slow=True),
        ]

    def line(self, request: Request, body: _Line) -> dict[str, Any]:
        """Fill a line up to its next decision, and ask the coach there."""
        explorer, moves, against = self._parse(body)
        change = (body.change.step, body.change.outcome) if body.change else None
        return _shown(explorer, explorer.line(moves, body.seed, change), against)

    def outcomes(self, request: Request, body: _Line) -> dict[str, Any]:
        """List what chance could have chosen at a step of a line."""
        explorer, moves, _ = self._parse(body)
        steps = explorer.outcomes(moves, body.at)
        return {"outcomes": [{"outcome": step.move, "text": step.text, "symbols": step.symbols} for step in steps]}

    def _parse(self, body: _Line) -> tuple[Explorer, list[int], list[str]]:
        """Parse a request: explorer, moves and opponents, given or taken from a finished game."""
        if body.record is not None:
            entry = ended(self._game_log, body.record)
            game, against = lobby.game_called(entry["env"]), names_of(entry)
            moves = [move for _, move in entry["moves"][: body.move]]
            return _explorer(game, game.parse_options(entry["options"]), against), moves, against
        game = lobby.game_called(body.game)
        options = game.parse_options(body.options)
        if len(body.against) not in (0, options.num_players):
            raise CardgymError(f"against: send no names, or those of {options.num_players} players")
        return _explorer(game, options, body.against), body.moves, body.against


def _explorer(game: Game, options: Options, against: list[str]) -> Explorer:
    """Build an explorer with these opponents; without them if one is unknown or two are people."""
    players = (PERSON, *lobby.opponent_names(game, options))
    if not against or against.count(PERSON) > 1 or not all(name in players for name in against):
        return Explorer(game, options)
    return Explorer(game, options, shown_names(against, against.index(PERSON) if PERSON in against else None))


def _shown(explorer: Explorer, line: Line, against: list[str]) -> dict[str, Any]:
    game, people, seat = explorer.game, explorer.people, line.seat
    advice, items = None, {}
    if seat >= 0:
        coach, lock = _coach(game, explorer.options)
        with lock:
            advice = coach.advise(line.state, seat, against).asdict()
        # The seat's own view knows the items of actions, the view of everything shows all cards.
        items = view_of(game, line.state, seat, line.position.legal_actions())["actions"]
    return {
        "game": game.id,
        "options": explorer.options.asdict(),
        "names": people,
        "against": against,
        "seat": seat,
        "moves": [step.move for step in line.steps],
        "steps": [
            {"seat": step.seat, "text": step.text, "symbols": step.symbols, "open": step.open} for step in line.steps
        ],
        "view": view_of(game, line.state, -1, (), people),
        "items": {str(action): ids for action, ids in items.items()},
        "advice": advice,
        "ending": line.ending(),
    }


@lru_cache(maxsize=16)
def _coach(game: Game, options: Options) -> tuple[Coach, threading.Lock]:
    return Coach(game, options), threading.Lock()

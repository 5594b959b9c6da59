"""The explorer's addresses: positions of a game with the value of every action."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardgym.engine.contract import Game, Options
from cardgym.table.coach.coach import Coach
from cardgym.table.coach.explorer import Explorer, Line
from cardgym.table.coach.review import names_of
from cardgym.table.people import shown_names, with_names
from cardgym.table.presentation import view_of
from cardgym.table.setup import PERSON
from cardgym.table.web import lobby
from cardgym.table.web.safety import Answer, body_of, whole
from cardgym.table.web.tables import Tables

_MAX_MOVES = 1000
_MAX_MOVE = 2**31 - 1
_KEYS = ("game", "options", "moves", "seed", "change", "at", "record", "move", "against")


class Explore:
    """What each address of the explorer answers."""

    def __init__(self, tables: Tables, ended: Callable[[str], dict[str, Any]]) -> None:
        """Explore with the threads of `tables`; `ended` finds a finished game, whose cards may be shown."""
        self._tables = tables
        self._ended = ended

    def routes(self) -> list[Route]:
        """The addresses."""
        return [
            Route("/api/explore", self.line, methods=["POST"]),
            Route("/api/explore/outcomes", self.outcomes, methods=["POST"]),
        ]

    async def line(self, request: Request) -> Response:
        """A line, filled up to its next decision, and what the coach says there."""
        body = await body_of(request, _KEYS)

        def work() -> dict[str, Any]:
            explorer, moves, against = self._asked(body)
            change = body.get("change")
            if change is not None:
                change = whole(change, "step", 0, _MAX_MOVES), whole(change, "outcome", 0, _MAX_MOVE)
            return _shown(explorer, explorer.line(moves, whole(body, "seed", 0, lobby.MAX_SEED), change), against)

        return Answer(await self._tables.work(work))

    async def outcomes(self, request: Request) -> Response:
        """What chance could have chosen at a step of a line."""
        body = await body_of(request, _KEYS)

        def work() -> dict[str, Any]:
            explorer, moves, _ = self._asked(body)
            at = whole(body, "at", 0, len(moves))
            found = [{"outcome": s.move, "text": s.text, "symbols": s.symbols} for s in explorer.outcomes(moves, at)]
            return {"outcomes": found}

        return Answer(await self._tables.work(work))

    def _asked(self, body: dict[str, Any]) -> tuple[Explorer, list[int], list[str]]:
        """The explorer, the moves and the players that a request is about, or those of a finished game up to a move.

        The names of the players, by seat, are those that advice may depend on; without names they are unknown.
        """
        if body.get("record") is not None:
            entry = self._ended(str(body["record"]))
            game = lobby.game_called(entry["env"])
            moves = [move for _, move in entry["moves"]][: whole(body, "move", 0, len(entry["moves"]))]
            return _explorer(game, game.parse_options(entry["options"]), names_of(entry)), moves, names_of(entry)
        game = lobby.game_called(body.get("game"))
        moves = body.get("moves", [])
        if not isinstance(moves, list) or len(moves) > _MAX_MOVES:
            raise HTTPException(400, f"moves: send a list of at most {_MAX_MOVES}")
        moves = [whole({"moves": move}, "moves", 0, _MAX_MOVE) for move in moves]
        options, against = lobby.options_in(game, body), body.get("against", [])
        if not isinstance(against, list) or len(against) not in (0, options.num_players):
            raise HTTPException(400, f"against: send no names, or those of {options.num_players} players")
        return _explorer(game, options, against), moves, [str(name) for name in against]


def _explorer(game: Game, options: Options, against: list[str]) -> Explorer:
    """An explorer that calls the seats as their review did, if these are players of the game and at most one person."""
    known = (PERSON, *lobby.opponent_names(game, options))
    if not against or against.count(PERSON) > 1 or not all(name in known for name in against):
        return Explorer(game, options)
    return Explorer(game, options, shown_names(against, against.index(PERSON) if PERSON in against else None))


def _shown(explorer: Explorer, line: Line, against: list[str]) -> dict[str, Any]:
    game, people, seat = explorer.game, explorer.people, line.seat
    actions = line.position.legal_actions() if seat >= 0 else []
    advice = None
    if seat >= 0:
        coach, lock = _coach(game, explorer.options)
        with lock:
            advice = with_names(coach.advise(line.state, seat, against).asdict(), people, seat)
    # The seat's own view knows the items of actions, the view of everything shows all cards.
    items = view_of(game, line.state, seat, actions)["actions"] if seat >= 0 else {}
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
        "view": with_names(view_of(game, line.state, -1), people, -1),
        "items": {str(action): found for action, found in items.items()},
        "advice": advice,
        "ending": line.ending(),
    }


@lru_cache(maxsize=16)
def _coach(game: Game, options: Options) -> tuple[Coach, threading.Lock]:
    return Coach(game, options), threading.Lock()

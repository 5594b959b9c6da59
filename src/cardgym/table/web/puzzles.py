"""The puzzles' routes; the solution is sent only in reply to an action."""

from __future__ import annotations

import dataclasses
import datetime
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import Annotated, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from cardgym.errors import CardgymError, quoted
from cardgym.files.schema import Field
from cardgym.table.coach.puzzles import Puzzle, decision_again, find_puzzle
from cardgym.table.coach.ratings import Skill, puzzle_points
from cardgym.table.game_log import GameLog
from cardgym.table.presentation import offered, presentation_of, view_of
from cardgym.table.views import listed
from cardgym.table.web import lobby
from cardgym.table.web.record import ended
from cardgym.table.web.requests import Body, Move, client_of, get, id_of, owner_of, post

_MAX_OPEN = 500
"""Puzzles in memory; the oldest one makes room."""

_LATEST_GAMES = 40
"""A person's latest games, from which puzzles are taken."""


class _Solution(Body):
    """An action, and the solver's skill at the puzzles of this game so far, which the browser keeps."""

    action: Move
    mu: Annotated[float, Field(ge=-100, le=150)] = Skill().mu
    sigma: Annotated[float, Field(ge=0.1, le=10)] = Skill().sigma


class Puzzles:
    """Handlers of the puzzles' routes, and the puzzles by their ids, which cannot be guessed."""

    def __init__(self, game_log: GameLog) -> None:
        self._game_log = game_log
        self._puzzles: OrderedDict[str, Puzzle] = OrderedDict()
        self._seen: OrderedDict[tuple[str, str], set[bytes]] = OrderedDict()  # By client and game.

    def routes(self) -> list[Route]:
        return [
            get("/api/puzzles/{game}", self.puzzle, slow=True),
            post("/api/puzzles/{id}/solve", self.solve, _Solution),
        ]

    def puzzle(self, request: Request) -> dict[str, Any]:
        """Find a puzzle, the one of the day or a decision of a game in the record if the query names it."""
        game, asked = lobby.game_called(request.path_params["game"]), request.query_params
        if "record" in asked:
            return self._opened(decision_again(ended(self._game_log, asked["record"]), _move_of(asked)))
        if "day" in asked:
            day = datetime.datetime.now(datetime.UTC).date()
            puzzle = find_puzzle(game, game.parse_options(), day.toordinal())
            return self._opened(dataclasses.replace(puzzle, origin=f"the puzzle of {day}"))
        options = game.parse_options()
        entries = self._game_log.entries(game.id, finished=True, owner=owner_of(request), limit=_LATEST_GAMES)
        played = [entry for entry in entries if entry["person"] is not None and entry["options"] == options.asdict()]
        seen = self._seen.setdefault((client_of(request), game.id), set())
        puzzle = find_puzzle(game, options, secrets.randbits(62), played, seen=seen)
        if puzzle.identity in seen:  # All are known.
            seen.clear()
        seen.add(puzzle.identity)
        while len(self._seen) > _MAX_OPEN:
            self._seen.popitem(last=False)
        return self._opened(puzzle)

    def _opened(self, puzzle: Puzzle) -> dict[str, Any]:
        """Keep a puzzle until it is solved, and describe it as its solver may see it."""
        game, id = puzzle.game, secrets.token_urlsafe(16)
        self._puzzles[id] = puzzle
        while len(self._puzzles) > _MAX_OPEN:
            self._puzzles.popitem(last=False)
        texts = dict(sorted((action.action, action.text) for action in puzzle.advice.actions))
        actions = offered(game, puzzle.state, list(texts))
        view = view_of(game, puzzle.state, puzzle.seat, actions, puzzle.people)
        return {
            "puzzle": id,
            "game": game.id,
            "names": puzzle.people,
            "seat": puzzle.seat,
            "origin": puzzle.origin,
            "kind": puzzle.advice.kind,
            "tip": presentation_of(game).tip(puzzle.state, puzzle.seat),
            "rating": puzzle_points(puzzle.advice),
            "view": view,
            "actions": listed(view, {action: texts[action] for action in actions}),
        }

    def solve(self, request: Request, body: _Solution) -> dict[str, Any]:
        """Say whether an action is the best one, the values of all actions, and the solver's new rating."""
        puzzle = self._puzzles.get(id_of(request))
        if puzzle is None:
            raise HTTPException(404, "there is no such puzzle; ask for another one")
        if body.action not in {advised.action for advised in puzzle.advice.actions}:
            raise CardgymError(f"action {body.action} is not legal here")
        right = body.action == puzzle.advice.best.action
        after = Skill(body.mu, body.sigma).after([puzzle_points(puzzle.advice)], [0, 1] if right else [1, 0])
        return {
            "right": right,
            "cost": puzzle.advice.cost(body.action),
            "advice": puzzle.advice.asdict(),
            "moves": puzzle.moves,
            "skill": {"mu": after.mu, "sigma": after.sigma},
            "rating": after.points,
            "half_width": after.half_width,
        }


def _move_of(asked: Mapping[str, str]) -> int:
    text = asked.get("move", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 9):
        raise CardgymError(f"move {quoted(text)}: give the number of a move")
    return int(text)

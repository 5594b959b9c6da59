"""A person's record: finished and unfinished games, their reviews, and how they get in and out."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardgym.engine.registry import find, registered
from cardgym.table.coach.history import Reviewer, reports
from cardgym.table.coach.ratings import ratings
from cardgym.table.coach.review import names_of
from cardgym.table.game_entries import export_line, parse_entries
from cardgym.table.game_log import GameLog
from cardgym.table.people import people_of, with_names
from cardgym.table.presentation import view_of
from cardgym.table.session import replay
from cardgym.table.setup import AGAIN, LESSON, PERSON, RESIGNED
from cardgym.table.web import lobby
from cardgym.table.web.safety import Answer, body_of, dump, whole
from cardgym.table.web.tables import Tables

ID = re.compile(r"[A-Za-z0-9_-]{22,26}")
"""What ids of tables and browsers look like."""

MAX_IMPORT = 8 << 20
"""Maximum number of bytes of an import."""

_MAX_LISTED = 500


class Record:
    """What each address of the record answers."""

    def __init__(self, game_log: GameLog, tables: Tables, owner_of: Callable[[Request], str]) -> None:
        """Answer from a game log; `owner_of` says whose games a browser may list."""
        self._game_log = game_log
        self._tables = tables
        self._owner_of = owner_of
        self._reviewer = Reviewer(game_log)
        self._progress: dict[str, tuple[int, int]] = {}
        self._reviewed = lru_cache(maxsize=64)(self._review)
        self._replayed = lru_cache(maxsize=16)(self._replay)

    def routes(self) -> list[Route]:
        """The addresses."""
        return [
            Route("/api/history", self.history),
            Route("/api/history/export", self.export),
            Route("/api/history/import", self.imported, methods=["POST"]),
            Route("/api/history/{id}/delete", self.delete, methods=["POST"]),
            Route("/api/history/{id}/review", self.review),
            Route("/api/history/{id}/replay", self.replay),
            Route("/api/history/{id}/progress", self.progress),
            Route("/api/history/{id}/again", self.again, methods=["POST"]),
        ]

    async def history(self, request: Request) -> Response:
        def read() -> dict[str, Any]:
            owner = self._owner_of(request)
            entries = list(self._game_log.entries(finished=True, owner=owner))
            unfinished = self._game_log.entries(finished=False, owner=owner, limit=_MAX_LISTED)
            found = [{**report, "unit": _unit(report["env"])} for report, _ in reports(entries)]
            return {
                "games": [*map(listed, entries[-_MAX_LISTED:])][::-1],
                "unfinished": [*map(listed, unfinished)][::-1],
                "reports": found,
                "ratings": ratings(entries),
                **self._reviewer.costs(entries),
            }

        return Answer(await self._tables.work(lambda: dump(read())))

    async def export(self, request: Request) -> Response:
        """All games of a browser as JSON lines, for `cardgym report --import`."""
        entries = await self._tables.work(lambda: self._game_log.entries(owner=self._owner_of(request)))
        headers = {"Content-Disposition": 'attachment; filename="cardgym_games.jsonl"'}
        finished = [entry for entry in entries if entry["finished"]]  # The seed of others determines cards to come.
        return Response("".join(map(export_line, finished)), media_type="application/x-ndjson", headers=headers)

    async def imported(self, request: Request) -> Response:
        """Add the finished games of an export to those of this browser."""
        body = await body_of(request, ("lines",), MAX_IMPORT)
        lines = body.get("lines")
        if not isinstance(lines, str):
            raise HTTPException(400, "lines: send the text of an export")

        def work() -> int:
            entries = parse_entries(lines.encode(errors="replace"), "this file")
            finished = [entry for entry in entries if entry["finished"] and entry["env"] in registered()]
            return self._game_log.import_entries(finished, self._owner_of(request))

        return Answer({"added": await self._tables.work(work)})

    async def delete(self, request: Request) -> Response:
        """Delete a game of this browser, finished or not."""
        await body_of(request, ())
        id = id_of(request)
        if not await self._tables.work(lambda: self._game_log.entries(id=id, owner=self._owner_of(request))):
            raise HTTPException(404, "you have no such game")
        await self._tables.remove(id)
        return Answer({})

    async def review(self, request: Request) -> Response:
        return Answer(await self._tables.work(self._reviewed, id_of(request)))

    async def progress(self, request: Request) -> Response:
        """How many moves of a game that is being reviewed are done, and of how many."""
        done, total = self._progress.get(id_of(request), (0, 0))
        return Answer({"done": done, "total": total})

    async def again(self, request: Request) -> Response:
        """A new table at a decision of a finished game, with the same opponents and the same cards to come."""
        body, id = await body_of(request, ("move",)), id_of(request)
        entry = await self._tables.work(self.ended, id)
        move = whole(body, "move", 0, len(entry["moves"]) - 1)
        if not _alone(entry) or entry["moves"][move][0] != entry["person"]:
            raise HTTPException(400, f"move {move} is not a decision of yours in a game against players")
        table = await self._tables.branch(entry, move, self._owner_of(request))
        return Answer({"table": table.session.id}, 201)

    async def replay(self, request: Request) -> Response:
        return Answer(await self._tables.work(self._replayed, id_of(request)))

    def ended(self, id: str) -> dict[str, Any]:
        """A finished game, whose cards may be shown."""
        for entry in self._game_log.entries(id=id):
            if not entry["finished"]:
                raise HTTPException(409, "the game is not over yet")
            return entry
        raise HTTPException(404, "there is no such game")

    def _review(self, id: str) -> bytes:
        entry = self.ended(id)
        game = lobby.game_called(entry["env"])
        people = people_of(entry)
        try:
            reviewed = self._reviewer.review(entry, lambda *done: self._progress.update({id: done})).asdict()
        finally:
            self._progress.pop(id, None)
        events = replay(entry)
        for decision in reviewed["decisions"]:
            before, moves = events[decision["move"]].before, (decision["chosen"], decision["best"])
            items = view_of(game, before, decision["seat"], moves)["actions"]
            decision["chosen_items"], decision["best_items"] = (items[move] for move in moves)
        reviewed = with_names(reviewed, people, entry["person"] or 0)
        return dump({**reviewed, "players": people, "again": _alone(entry)})

    def _replay(self, id: str) -> bytes:
        """All moves of a finished game, with all cards shown."""
        entry = self.ended(id)
        game = lobby.game_called(entry["env"])
        played = replay(entry)
        people = people_of(entry)
        events = [
            {
                "move": number,
                "seat": event.seat,
                "text": event.text,
                "view": with_names(view_of(game, event.after, -1), people, -1),
            }
            for number, event in enumerate(played)
            if event.text or event.seat >= 0 or any(later.seat >= 0 for later in played[number + 1 : number + 2])
        ]
        events = with_names(events, people, -1)
        return dump({"game": entry["env"], "players": entry["players"], "seed": str(entry["seed"]), "events": events})


def id_of(request: Request) -> str:
    id = str(request.path_params["id"])
    if not ID.fullmatch(id):
        raise HTTPException(404, "there is no such table")
    return id


def listed(entry: dict[str, Any]) -> dict[str, Any]:
    """A game as lists show it; the seed of an unfinished game is withheld."""
    listed = {"table": entry["id"]}
    listed |= {key: entry.get(key) for key in ("env", "options", "time", "finished", "max_score", "players", "person")}
    listed["unit"] = _unit(entry["env"])
    marks = {"again": AGAIN, "lesson": LESSON, "resigned": RESIGNED}
    listed |= {mark: key in (entry.get("about") or {}) for mark, key in marks.items()}
    listed["people"] = people_of(entry)
    return listed


def _unit(env: str) -> str:
    return find(env).unit if env in registered() else ""


def _alone(entry: dict[str, Any]) -> bool:
    """Whether one person played a game against players."""
    return entry["person"] is not None and names_of(entry).count(PERSON) == 1

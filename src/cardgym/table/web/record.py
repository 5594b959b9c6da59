"""The record's routes: finished and unfinished games, their reviews, and how they get in and out."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardgym.errors import CardgymError
from cardgym.table.coach.history import Reviewer, reports
from cardgym.table.coach.ratings import ratings
from cardgym.table.coach.review import MAX_MOVES, names_of
from cardgym.table.game_entries import export_line, parse_entries
from cardgym.table.game_log import GameLog
from cardgym.table.people import people_of
from cardgym.table.presentation import view_of
from cardgym.table.session import replay
from cardgym.table.setup import PERSON
from cardgym.table.web import lobby
from cardgym.table.web.requests import (
    Body,
    Move,
    Reply,
    cookie_of,
    dump,
    get,
    id_of,
    owner_of,
    paid_in,
    post,
    summaries,
    work,
)
from cardgym.table.web.seats import without_browsers
from cardgym.table.web.tables import Tables

MAX_IMPORT = 8 << 20
"""Maximum number of bytes of an import."""

_MAX_LISTED = 500

_MAX_COUNTED = 1000
"""A person's latest games, finished or not, which the record counts."""


class _Import(Body):
    lines: str
    """The text of an export."""


class _Again(Body):
    move: Move


class Record:
    """Handlers of the record's routes."""

    def __init__(self, game_log: GameLog, tables: Tables) -> None:
        self._game_log = game_log
        self._tables = tables
        self._reviewer = Reviewer(game_log)
        self._progress: dict[str, tuple[int, int]] = {}
        self._review = lru_cache(maxsize=64)(self._review_of)
        self._replay = lru_cache(maxsize=16)(self._replay_of)

    def routes(self) -> list[Route]:
        return [
            get("/api/history", self.history, slow=True),
            get("/api/history/export", self.export, slow=True),
            post("/api/history/import", self.add, _Import, MAX_IMPORT, slow=True),
            post("/api/history/{id}/delete", self.delete, Body),
            get("/api/history/{id}/review", lambda request: Reply(self._review(id_of(request))), slow=True),
            get("/api/history/{id}/replay", lambda request: Reply(self._replay(id_of(request))), slow=True),
            get("/api/history/{id}/progress", self.progress),
            post("/api/history/{id}/again", self.again, _Again),
        ]

    def history(self, request: Request) -> dict[str, Any]:
        owner = owner_of(request)
        found, unreadable = self._game_log.read(owner=owner, limit=_MAX_COUNTED)
        entries = [entry for entry in found if entry["finished"]]
        unfinished = [entry for entry in found if not entry["finished"]][-_MAX_LISTED:]
        return {
            "games": summaries(entries[-_MAX_LISTED:]),
            "unfinished": summaries(unfinished),
            "unreadable": [{"table": id, "reason": reason} for id, reason in unreadable.items()][-_MAX_LISTED:],
            "reports": [{**report, **paid_in(report["env"])} for report in reports(entries)],
            "ratings": ratings(entries),
            "older": max(self._game_log.count(owner=owner) - _MAX_COUNTED, 0),
            **self._reviewer.costs(entries, owner),
        }

    def export(self, request: Request) -> Response:
        """Send a browser's finished games as JSON lines, for `cardgym report --import`."""
        entries = self._game_log.entries(owner=owner_of(request))
        headers = {"Content-Disposition": 'attachment; filename="cardgym_games.jsonl"'}
        finished = [entry for entry in entries if entry["finished"]]  # The seed of others determines cards to come.
        return Response("".join(map(export_line, finished)), media_type="application/x-ndjson", headers=headers)

    def add(self, request: Request, body: _Import) -> dict[str, Any]:
        """Add the finished games of an export to those of this browser."""
        if request.app.state.shared:
            cookie_of(request)  # Without one it would never see them.
        entries, refused = parse_entries(body.lines.encode(), "this file")
        finished = [without_browsers(entry) for entry in entries if entry["finished"]]
        return {"added": self._game_log.import_entries(finished, owner_of(request)), "refused": refused}

    async def delete(self, request: Request, body: Body) -> dict[str, Any]:
        """Delete a game of this browser, finished or not."""
        id, owner = id_of(request), owner_of(request)
        if not await work(lambda: self._game_log.count(id=id, owner=owner)):
            raise HTTPException(404, "you have no such game")
        await self._tables.remove(id)
        for shown in (self._review, self._replay):
            shown.cache_clear()
        return {}

    def progress(self, request: Request) -> dict[str, int]:
        """Say how many moves of a game that is being reviewed are done, and of how many."""
        done, total = self._progress.get(id_of(request), (0, 0))
        return {"done": done, "total": total}

    async def again(self, request: Request, body: _Again) -> Reply:
        """Open a table at a decision of a finished game, with the same opponents and the same cards to come."""
        entry = await work(ended, self._game_log, id_of(request))
        seats = [seat for seat, _ in entry["moves"]]
        if not _alone(entry) or seats[body.move : body.move + 1] != [entry["person"]]:
            raise CardgymError(f"move {body.move} is not a decision of yours in a game against players")
        table = await self._tables.branch(entry, body.move, owner_of(request, opens=True))
        return Reply({"table": table.session.id}, 201)

    def _review_of(self, id: str) -> bytes:
        entry = ended(self._game_log, id)
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
        return dump({**reviewed, "players": people, "again": _alone(entry)})

    def _replay_of(self, id: str) -> bytes:
        """Describe all moves of a finished game, with all cards shown; deals in a row are one."""
        entry = ended(self._game_log, id)
        game, people, played = lobby.game_called(entry["env"]), people_of(entry), replay(entry)
        events = [
            {"move": number, "seat": event.seat, "text": event.text, "view": view_of(game, event.after, -1, (), people)}
            for number, event in enumerate(played)
            if event.text or event.seat >= 0 or any(later.seat >= 0 for later in played[number + 1 : number + 2])
        ]
        return dump({"game": entry["env"], "players": entry["players"], "seed": str(entry["seed"]), "events": events})


def ended(game_log: GameLog, id: str) -> dict[str, Any]:
    """Find a finished game, whose cards may be shown."""
    if not game_log.num_rows(id):
        raise HTTPException(404, "there is no such game")
    entry = game_log.entry(id)
    if not entry["finished"]:
        raise HTTPException(409, "the game is not over yet")
    if len(entry["moves"]) > MAX_MOVES:
        raise HTTPException(409, f"only games of up to {MAX_MOVES:,} moves are shown here; use `cardgym review`")
    return entry


def _alone(entry: dict[str, Any]) -> bool:
    """Whether one person played a game against players."""
    return entry["person"] is not None and names_of(entry).count(PERSON) == 1

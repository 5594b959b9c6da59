"""The server: what each address answers; docs/play.md lists them, with the server's guarantees."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError
from cardgym.table.advice import HINTS
from cardgym.table.drawings.shapes import sprite
from cardgym.table.game_entries import export_line
from cardgym.table.game_log import GameLog, StaleGameError
from cardgym.table.history import Reviewer, reports
from cardgym.table.people import shown_name, shown_names, with_names
from cardgym.table.presentation import presentation_of, view_of
from cardgym.table.puzzles import find_puzzle
from cardgym.table.review import names_of
from cardgym.table.session import replay
from cardgym.table.setup import AGAIN, PERSON
from cardgym.table.web import lobby
from cardgym.table.web.puzzles import Puzzles
from cardgym.table.web.safety import LOOPBACK, Answer, Guard, body_of, dump, refusal, whole
from cardgym.table.web.tables import MAX_FOLLOWERS, Table, Tables

STATIC = Path(__file__).parent / "static"
OWNER = "cardgym_owner"
"""On a shared server, the cookie that says which tables belong to a browser."""

_ID = re.compile(r"[A-Za-z0-9_-]{22,26}")
_PATH = re.compile(r"(?:[A-Za-z]:)?(?:[/\\\\][^/\\\\:\s]+){2,}")
_MAX_LISTED = 500
_PUZZLE_GAMES = 40  # A person's latest games, from which puzzles are taken.
_FOREVER = 365 * 24 * 3600


def make_app(
    game_log: GameLog,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    shared: bool = False,
    max_tables: int = 2_000,
    idle_seconds: float = 900.0,
) -> Starlette:
    """The server's application.

    Args:
        game_log: where games are saved.
        hosts: the server's names and addresses; None for any address and this machine's names.
        shared: whether other people can reach the server: each browser then lists only its own tables.
        max_tables: the maximum number of tables in memory.
        idle_seconds: how long a table must be idle before a new one may replace it.
    """
    server = _Server(game_log, Tables(game_log, max_tables, idle_seconds), shared)
    routes = [
        Route("/", server.page),
        Route("/symbols/{game}.svg", server.symbols),
        Route("/api/lobby", server.lobby),
        Route("/api/games/{game}/opponents", server.opponents),
        Route("/api/games/{game}/rules", server.rules),
        Route("/api/tables", server.open, methods=["POST"]),
        Route("/api/tables/{id}", server.table),
        Route("/api/tables/{id}/action", server.action, methods=["POST"]),
        Route("/api/tables/{id}/undo", server.undo, methods=["POST"]),
        Route("/api/tables/{id}/step", server.step, methods=["POST"]),
        Route("/api/tables/{id}/advice", server.advice),
        Route("/api/tables/{id}/rules", server.table_rules),
        Route("/api/tables/{id}/standing", server.standing),
        Route("/api/tables/{id}/review", server.review),
        Route("/api/tables/{id}/stream", server.stream),
        Route("/api/puzzles/{game}", server.puzzle),
        Route("/api/puzzles/{id}/solve", server.solve, methods=["POST"]),
        Route("/api/history", server.history),
        Route("/api/history/export", server.export),
        Route("/api/history/{id}/delete", server.delete, methods=["POST"]),
        Route("/api/history/{id}/review", server.review),
        Route("/api/history/{id}/replay", server.replay),
        Route("/api/history/{id}/progress", server.progress),
        Route("/api/history/{id}/again", server.again, methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
    ]
    handlers: dict[Any, Any] = {HTTPException: _refused, CardgymError: _bad_input}
    guard = Middleware(Guard, hosts=hosts)
    app = Starlette(routes=routes, exception_handlers=handlers, middleware=[guard])
    app.router.redirect_slashes = False
    app.state.tables = server.tables
    app.state.shared = shared
    return app


async def _refused(request: Request, error: HTTPException) -> Response:
    return refusal(error.status_code, error.detail)


async def _bad_input(request: Request, error: CardgymError) -> Response:
    text = str(error)
    if request.app.state.shared:  # Other people need not know where this machine keeps its files.
        text = _PATH.sub("...", text)
    return refusal(409 if isinstance(error, StaleGameError) else 400, text)


class _Server:
    def __init__(self, game_log: GameLog, tables: Tables, shared: bool) -> None:
        self._game_log = game_log
        self.tables = tables
        self._shared = shared
        self._reviewer = Reviewer(game_log)
        self._puzzles = Puzzles()
        self._progress: dict[str, tuple[int, int]] = {}
        self._reviewed = lru_cache(maxsize=64)(self._review)
        self._replayed = lru_cache(maxsize=16)(self._replay)

    def _owner(self, request: Request) -> str:
        """Whose tables a browser may list: this machine's, or those of its cookie."""
        owner = request.cookies.get(OWNER, "")
        return (owner if _ID.fullmatch(owner) else "nobody") if self._shared else ""

    # -- the page and the lobby ---------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        answer = FileResponse(STATIC / "index.html")
        if self._shared and self._owner(request) == "nobody":
            cookie = secrets.token_urlsafe(16)
            answer.set_cookie(OWNER, cookie, max_age=_FOREVER, httponly=True, samesite="strict")
        return answer

    async def symbols(self, request: Request) -> Response:
        game = lobby.game_called(request.path_params["game"])
        svg = await self.tables.work(_sprite, game)
        return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "no-cache"})

    async def lobby(self, request: Request) -> Response:
        def read() -> dict[str, Any]:
            entries = self._game_log.entries(finished=False, owner=self._owner(request), limit=50)
            return {"games": lobby.games(), "hints": list(HINTS), "tables": [*map(_listed, entries)][::-1]}

        return Answer(await self.tables.work(read))

    async def opponents(self, request: Request) -> Response:
        return Answer(await self.tables.work(lambda: lobby.opponents(*_options_of(request))))

    async def rules(self, request: Request) -> Response:
        return Answer(await self.tables.work(lambda: lobby.rules(*_options_of(request))))

    async def open(self, request: Request) -> Response:
        body = await body_of(request, lobby.KEYS)
        setup = await self.tables.work(lobby.parse, body)
        table = await self.tables.open(setup, self._owner(request))
        return Answer({"table": table.session.id}, 201)

    # -- a table ------------------------------------------------------------------------------------------------------

    async def table(self, request: Request) -> Response:
        async with self.tables.at(_id(request)) as table:
            return Answer(await self.tables.work(lambda: dump(table.shown())))

    async def action(self, request: Request) -> Response:
        body = await body_of(request, ("action", "version", "others"))
        action, others = whole(body, "action", 0, 2**31 - 1), body.get("others", True)
        if not isinstance(others, bool):
            raise HTTPException(400, "others: allowed are true and false")
        return await self._change(
            request, body, lambda table: table.shown_events(table.session.act(action, others=others))
        )

    async def undo(self, request: Request) -> Response:
        def undo(table: Table) -> list[Any]:
            table.session.undo()
            return []

        return await self._change(request, await body_of(request, ("version",)), undo)

    async def step(self, request: Request) -> Response:
        body = await body_of(request, ("version",))
        return await self._change(request, body, lambda table: table.shown_events(table.session.step()))

    async def _change(
        self, request: Request, body: dict[str, Any], change: Callable[[Table], list[dict[str, Any]]]
    ) -> Response:
        """Change a table unless it has changed since; answer with what happened and its new state."""
        version = whole(body, "version", 0, 2**31 - 1)
        async with self.tables.at(_id(request)) as table:
            if version != table.session.version:
                state = await self.tables.work(table.shown)
                return refusal(409, "the game was continued in another window", state=state)
            answer = await self.tables.work(lambda: dump({"events": change(table), "state": table.shown()}))
        self.tables.changed(table.session.id)
        return Answer(answer)

    async def table_rules(self, request: Request) -> Response:
        async with self.tables.at(_id(request)) as table:
            session = table.session
            return Answer(await self.tables.work(lobby.rules, session.game, session.options))

    async def advice(self, request: Request) -> Response:
        async with self.tables.at(_id(request)) as table:
            return Answer(await self.tables.work(table.advice))

    async def stream(self, request: Request) -> Response:
        """Server-sent events: the table's version now and after every change."""
        id = _id(request)
        async with self.tables.at(id):
            if self.tables.followers(id) >= MAX_FOLLOWERS:
                raise HTTPException(429, "too many pages follow this table")

        async def lines() -> AsyncIterator[str]:
            async for version in self.tables.versions(id):
                yield ":\n\n" if version is None else f'retry: 2000\ndata: {{"version": {version}}}\n\n'

        return StreamingResponse(lines(), media_type="text/event-stream")

    # -- puzzles ------------------------------------------------------------------------------------------------------

    async def puzzle(self, request: Request) -> Response:
        game, owner = lobby.game_called(request.path_params["game"]), self._owner(request)

        def make() -> dict[str, Any]:
            options = game.parse_options()
            own = self._game_log.entries(game.id, finished=True, owner=owner, limit=_PUZZLE_GAMES)
            own = [entry for entry in own if entry["person"] is not None and entry["options"] == options.asdict()]
            return self._puzzles.add(find_puzzle(game, options, secrets.randbits(62), own))

        return Answer(await self.tables.work(make))

    async def solve(self, request: Request) -> Response:
        body = await body_of(request, ("action",))
        return Answer(self._puzzles.solve(_id(request), whole(body, "action", 0, 2**31 - 1)))

    # -- the history --------------------------------------------------------------------------------------------------

    async def history(self, request: Request) -> Response:
        def read() -> dict[str, Any]:
            owner = self._owner(request)
            entries = list(self._game_log.entries(finished=True, owner=owner))
            unfinished = self._game_log.entries(finished=False, owner=owner, limit=_MAX_LISTED)
            found = []
            for report, _ in reports(entries):
                names = [player["name"] for player in report["players"]]
                person = names.index(PERSON) if PERSON in names else None
                unit = find(report["env"]).unit if report["env"] in registered() else ""
                found.append({**report, "people": shown_names(names, person), "unit": unit})
            costs = self._reviewer.costs(entries)
            for cost in costs["costs"]:
                cost["people"] = ", ".join(shown_name(name) for name in cost["opponents"].split(", ") if name)
            return {
                "games": [*map(_listed, entries[-_MAX_LISTED:])][::-1],
                "unfinished": [*map(_listed, unfinished)][::-1],
                "reports": found,
                **costs,
            }

        return Answer(await self.tables.work(lambda: dump(read())))

    async def export(self, request: Request) -> Response:
        """All games of a browser as JSON lines, for `cardgym report --import`."""
        entries = await self.tables.work(lambda: self._game_log.entries(owner=self._owner(request)))
        headers = {"Content-Disposition": 'attachment; filename="cardgym_games.jsonl"'}
        finished = [entry for entry in entries if entry["finished"]]  # The seed of others determines cards to come.
        return Response("".join(map(export_line, finished)), media_type="application/x-ndjson", headers=headers)

    async def delete(self, request: Request) -> Response:
        """Delete a game of this browser, finished or not."""
        await body_of(request, ())
        id = _id(request)
        if not await self.tables.work(lambda: self._game_log.entries(id=id, owner=self._owner(request))):
            raise HTTPException(404, "there is no such game of yours")
        await self.tables.remove(id)
        return Answer({})

    async def standing(self, request: Request) -> Response:
        async with self.tables.at(_id(request)) as table:
            return Answer(await self.tables.work(table.standing))

    async def review(self, request: Request) -> Response:
        return Answer(await self.tables.work(self._reviewed, _id(request)))

    async def progress(self, request: Request) -> Response:
        """How many moves of a game that is being reviewed are done, and of how many."""
        done, total = self._progress.get(_id(request), (0, 0))
        return Answer({"done": done, "total": total})

    async def again(self, request: Request) -> Response:
        """A new table at a decision of a finished game, with the same opponents and the same cards to come."""
        body, id = await body_of(request, ("move",)), _id(request)
        entry = await self.tables.work(self._ended, id)
        move = whole(body, "move", 0, len(entry["moves"]) - 1)
        if entry["person"] is None or entry["moves"][move][0] != entry["person"]:
            raise HTTPException(400, f"move {move} is not a decision of yours")
        table = await self.tables.branch(entry, move, self._owner(request))
        return Answer({"table": table.session.id}, 201)

    async def replay(self, request: Request) -> Response:
        return Answer(await self.tables.work(self._replayed, _id(request)))

    def _ended(self, id: str) -> dict[str, Any]:
        """A finished game, whose cards may be shown."""
        for entry in self._game_log.entries(id=id):
            if not entry["finished"]:
                raise HTTPException(409, "the game is not over yet")
            return entry
        raise HTTPException(404, "there is no such game")

    def _review(self, id: str) -> bytes:
        entry = self._ended(id)
        game = lobby.game_called(entry["env"])
        people = shown_names(names_of(entry), entry["person"])
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
        return dump({**reviewed, "players": people, "again": entry["person"] is not None})

    def _replay(self, id: str) -> bytes:
        """All moves of a finished game, with all cards shown."""
        entry = self._ended(id)
        game = lobby.game_called(entry["env"])
        played = replay(entry)
        people = shown_names(names_of(entry), entry["person"])
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


def _options_of(request: Request) -> tuple[Game, Options]:
    """The game that a request is about, and its options from the query."""
    game = lobby.game_called(request.path_params["game"])
    values = dict(request.query_params)
    if len(values) > lobby.MAX_OPTIONS or any(len(value) > 40 for value in values.values()):
        raise HTTPException(400, "options: send names and values")
    return game, game.parse_options(values)


def _id(request: Request) -> str:
    id = str(request.path_params["id"])
    if not _ID.fullmatch(id):
        raise HTTPException(404, "there is no such table")
    return id


def _listed(entry: dict[str, Any]) -> dict[str, Any]:
    """A game as lists show it; the seed of an unfinished game is withheld."""
    listed = {"table": entry["id"]}
    listed |= {key: entry.get(key) for key in ("env", "options", "time", "finished", "max_score", "players", "person")}
    listed["unit"] = find(entry["env"]).unit if entry["env"] in registered() else ""
    listed["again"] = AGAIN in (entry.get("about") or {})
    listed["people"] = shown_names(names_of(entry), entry["person"])
    return listed


@lru_cache(maxsize=16)
def _sprite(game: Game) -> str:
    return sprite(presentation_of(game).symbols())

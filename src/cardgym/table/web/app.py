"""The server: what each address answers; docs/play.md lists them, with the server's guarantees."""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.table.advice import HINTS
from cardgym.table.drawings.shapes import sprite
from cardgym.table.game_log import GameLog, StaleGameError
from cardgym.table.history import Reviewer, reports
from cardgym.table.presentation import presentation_of, view_of
from cardgym.table.session import replay
from cardgym.table.web import lobby
from cardgym.table.web.safety import LOOPBACK, Answer, Guard, body_of, dump, refusal, whole
from cardgym.table.web.tables import MAX_FOLLOWERS, Table, Tables

STATIC = Path(__file__).parent / "static"
OWNER = "cardgym_owner"
"""On a shared server, the cookie that says which tables belong to a browser."""

_ID = re.compile(r"[A-Za-z0-9_-]{22,26}")
_MAX_LISTED = 500
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
        Route("/api/tables", server.open, methods=["POST"]),
        Route("/api/tables/{id}", server.table),
        Route("/api/tables/{id}/action", server.action, methods=["POST"]),
        Route("/api/tables/{id}/undo", server.undo, methods=["POST"]),
        Route("/api/tables/{id}/step", server.step, methods=["POST"]),
        Route("/api/tables/{id}/advice", server.advice),
        Route("/api/tables/{id}/review", server.review),
        Route("/api/tables/{id}/stream", server.stream),
        Route("/api/history", server.history),
        Route("/api/history/{id}/review", server.review),
        Route("/api/history/{id}/replay", server.replay),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
    ]
    handlers: dict[Any, Any] = {HTTPException: _refused, CardgymError: _bad_input}
    guard = Middleware(Guard, hosts=hosts)
    app = Starlette(routes=routes, exception_handlers=handlers, middleware=[guard])
    app.router.redirect_slashes = False
    app.state.tables = server.tables
    return app


def uvicorn_config(app: Starlette, host: str, port: int, max_tables: int) -> uvicorn.Config:
    """How uvicorn serves the application: no log, and limits on connections and request heads."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="critical",  # Its warnings and errors would quote requests.
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        limit_concurrency=2 * max_tables + 1_000,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16 * 1024,
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        CardgymError: if the port is taken or the host is not an address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        raise CardgymError(f"cannot listen on {host}:{port}: {error.strerror or error}; try another --port") from None
    return listener


async def _refused(request: Request, error: HTTPException) -> Response:
    return refusal(error.status_code, error.detail)


async def _bad_input(request: Request, error: CardgymError) -> Response:
    return refusal(409 if isinstance(error, StaleGameError) else 400, str(error))


class _Server:
    def __init__(self, game_log: GameLog, tables: Tables, shared: bool) -> None:
        self._game_log = game_log
        self.tables = tables
        self._shared = shared
        self._reviewer = Reviewer(game_log)
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
        body = await body_of(request, ("action", "version"))
        action = whole(body, "action", 0, 2**31 - 1)
        return await self._change(request, body, lambda table: table.shown_events(table.session.act(action)))

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

    # -- the history --------------------------------------------------------------------------------------------------

    async def history(self, request: Request) -> Response:
        def read() -> dict[str, Any]:
            entries = list(self._game_log.entries(finished=True, owner=self._owner(request)))
            listed = [*map(_listed, entries[-_MAX_LISTED:])][::-1]
            found = [report for report, _ in reports(entries)]
            return {"games": listed, "reports": found, **self._reviewer.costs(entries)}

        return Answer(await self.tables.work(lambda: dump(read())))

    async def review(self, request: Request) -> Response:
        return Answer(await self.tables.work(self._reviewed, _id(request)))

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
        return dump(self._reviewer.review(self._ended(id)).asdict())

    def _replay(self, id: str) -> bytes:
        """All moves of a finished game, with all cards shown."""
        entry = self._ended(id)
        game = lobby.game_called(entry["env"])
        played = replay(entry)
        events = [
            {"move": number, "seat": event.seat, "text": event.text, "view": view_of(game, event.after, -1)}
            for number, event in enumerate(played)
            if event.text or event.seat >= 0 or any(later.seat >= 0 for later in played[number + 1 : number + 2])
        ]
        return dump({"game": entry["env"], "players": entry["players"], "seed": str(entry["seed"]), "events": events})


def _id(request: Request) -> str:
    id = str(request.path_params["id"])
    if not _ID.fullmatch(id):
        raise HTTPException(404, "there is no such table")
    return id


def _listed(entry: dict[str, Any]) -> dict[str, Any]:
    """A game as lists show it; the seed of an unfinished game is withheld."""
    listed = {"table": entry["id"]}
    listed |= {key: entry.get(key) for key in ("env", "options", "time", "finished", "max_score", "players", "person")}
    return listed


@lru_cache(maxsize=16)
def _sprite(game: Game) -> str:
    return sprite(presentation_of(game).symbols())

"""The HTTP routes. See docs/play.md for what the server guarantees."""

from __future__ import annotations

import contextlib
import re
import secrets
import sys
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from cardgym.engine.compilation import COMPILE_TIME_HINT, compiling
from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError, DecisionError, EndpointError
from cardgym.table.drawings.shapes import sprite
from cardgym.table.game_log import GameLog, StaleGameError
from cardgym.table.narration import PUBLIC, Event
from cardgym.table.presentation import presentation_of
from cardgym.table.session import Session
from cardgym.table.web import seats
from cardgym.table.web.clients import Limit
from cardgym.table.web.explore import Explore
from cardgym.table.web.lobby import Lobby, NewTable, game_called, rules
from cardgym.table.web.preparation import Preparation
from cardgym.table.web.puzzles import Puzzles
from cardgym.table.web.record import Record
from cardgym.table.web.requests import (
    OWNER,
    Body,
    Move,
    Reply,
    Version,
    browser_of,
    client_of,
    cookie_of,
    get,
    id_of,
    owner_of,
    post,
    refusal,
    summaries,
    turn_of,
    work,
    work_for,
    work_slowly,
)
from cardgym.table.web.safety import LOOPBACK, Guard
from cardgym.table.web.tables import MAX_FOLLOWERS, Table, Tables

STATIC = Path(__file__).parent / "static"
_ZIPPED = Middleware(GZipMiddleware)
_PATH = re.compile(r"(?:[A-Za-z]:)?(?:[/\\\\][^/\\\\:\s]+){2,}")
_SAID = Limit(10)
"""How many lines on stderr about models that do not answer a client causes in a minute."""
_FOREVER = 365 * 24 * 3600


class _Seated(Body):
    seat: int | str = ""
    """The seat that the page asks for, at a screen that people share."""


class _Change(_Seated):
    version: Version
    """The version of the table that the page shows."""


class _Action(_Change):
    action: Move
    others: bool = True


class _Join(Body):
    code: str = ""
    name: str = ""


def make_app(
    game_log: GameLog,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    shared: bool = False,
    max_tables: int = 2_000,
    max_unfinished: int = 100,
    address: str = "",
    players: Mapping[str, str] | None = None,
) -> Starlette:
    """Make the server's application.

    Args:
        game_log: where games are saved.
        hosts: the server's names and addresses; None for any address and this machine's names.
        shared: whether other people can reach the server: each browser then lists only its own tables.
        max_tables: the maximum number of tables in memory; a new one replaces the one that was idle longest.
        max_unfinished: the maximum number of unfinished games per person.
        address: the server's address for people at other devices, if they can reach it.
        players: further players that people can meet: a name for people, and the path or the program that it stands
            for.

    Raises:
        CardgymError: for a name in `players` that is taken, or one without a file or program.
    """
    lobby = Lobby(players)
    tables = Tables(game_log, lobby.player_called, max_tables, max_unfinished)
    routes = [
        Route("/", _page, middleware=[_ZIPPED]),
        Route("/symbols/{game}.svg", _symbols, middleware=[_ZIPPED]),
        *Routes(game_log, lobby, tables, address).routes(),
        *Puzzles(game_log).routes(),
        *Record(game_log, tables).routes(),
        *Explore(game_log).routes(),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False), middleware=[_ZIPPED]),
    ]
    handlers: dict[Any, Any] = {HTTPException: _refused, CardgymError: _bad_input}
    guard = Middleware(Guard, hosts=hosts)
    app = Starlette(routes=routes, exception_handlers=handlers, middleware=[guard])
    app.router.redirect_slashes = False
    app.state.tables = tables
    app.state.shared = shared
    app.state.turns = WeakValueDictionary()
    return app


async def _refused(request: Request, error: HTTPException) -> Response:
    return refusal(error.status_code, error.detail)


async def _bad_input(request: Request, error: CardgymError) -> Response:
    text = error.in_public if isinstance(error, DecisionError) else str(error)  # It shows what a seat sees.
    if request.app.state.shared:  # Other people need not know where this machine keeps its files and its models.
        if isinstance(error, EndpointError):
            _say(text, client_of(request))
            text = error.in_public
        text = _PATH.sub("...", text)
    return refusal(409 if isinstance(error, StaleGameError) else 400, text)


def _say(text: str, client: str) -> None:
    """Tell the person who started the server; no client can fill the terminal."""
    if not _SAID.is_reached(client):
        _SAID.count(client)
        print(f"cardgym: {text}", file=sys.stderr, flush=True)


# -- the page ---------------------------------------------------------------------------------------------------------


async def _page(request: Request) -> Response:
    page = HTMLResponse(_html())
    if not browser_of(request):
        page.set_cookie(OWNER, secrets.token_urlsafe(16), max_age=_FOREVER, httponly=True, samesite="strict")
    return page


@cache
def _html() -> str:
    """Return the page, which asks for all modules at once: they import one another in a chain."""
    links = "".join(f'<link rel="modulepreload" href="/static/{path.name}">' for path in sorted(STATIC.glob("*.js")))
    return (STATIC / "index.html").read_text().replace("</head>", f"{links}</head>")


async def _symbols(request: Request) -> Response:
    svg = await work(_sprite, game_called(request.path_params["game"]))
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "max-age=600"})


@lru_cache(maxsize=16)
def _sprite(game: Game) -> str:
    return sprite(presentation_of(game).symbols())


# -- the lobby and the tables -----------------------------------------------------------------------------------------


class Routes:
    """Handlers of the routes of the lobby and the tables."""

    def __init__(self, game_log: GameLog, lobby: Lobby, tables: Tables, address: str) -> None:
        self._game_log, self._lobby = game_log, lobby
        self._tables, self._address = tables, address
        self._codes = seats.Codes(game_log)
        self._preparation = Preparation()

    def routes(self) -> list[Route]:
        return [
            get("/api/lobby", self.lobby),
            get("/api/games/{game}/opponents", lambda request: self._lobby.opponents(*_options_of(request))),
            get("/api/games/{game}/rules", lambda request: rules(*_options_of(request))),
            get("/api/busy", self.busy),
            post("/api/prepare", self.prepare, NewTable),
            post("/api/tables", self.open, NewTable),
            post("/api/join", self.join, _Join),
            get("/api/tables/{id}", self.table),
            post("/api/tables/{id}/action", self.action, _Action),
            post("/api/tables/{id}/undo", self.undo, _Change),
            post("/api/tables/{id}/step", self.step, _Change),
            post("/api/tables/{id}/resign", self.resign, _Seated),
            get("/api/tables/{id}/advice", self.advice),
            get("/api/tables/{id}/standing", self.standing),
            get("/api/tables/{id}/stream", self.stream),
        ]

    def lobby(self, request: Request) -> dict[str, Any]:
        entries = self._game_log.entries(finished=False, owner=owner_of(request), limit=50)
        return {"games": self._lobby.games(), "tables": summaries(entries)}

    async def busy(self, request: Request) -> dict[str, str]:
        """Say what requests wait for, while something is compiled."""
        found = compiling()
        if found is None:
            return {}
        what, seconds = found
        return {"doing": f"Compiling {what}, once: {seconds:.0f} s so far; it takes {COMPILE_TIME_HINT}"}

    def prepare(self, request: Request, body: NewTable) -> dict[str, Any]:
        """Compile in the background what a table needs that a person may open soon, and its coach."""
        if self._lobby.own.keys().isdisjoint(body.opponents):  # No language model is asked before a person sits down.
            with contextlib.suppress(CardgymError):  # A form may be half filled in; whoever opens the table is told.
                self._preparation.ask(self._lobby.parse(body))
        return {}

    async def open(self, request: Request, body: NewTable) -> Reply:
        """Open a table. For a rematch by link, the others at the finished table learn the code to join."""
        if not body.rematch:
            return Reply({"table": (await self._open(request, body)).session.id}, 201)
        async with self._tables.locked(body.rematch) as finished:
            await work(seats.check_rematch, finished.session, cookie_of(request))
            session = (await self._open(request, body)).session
            await work(lambda: finished.session.add_about(**{seats.REMATCH: session.about.get(seats.JOIN, "")}))
        self._tables.changed(body.rematch)
        return Reply({"table": session.id}, 201)

    async def _open(self, request: Request, body: NewTable) -> Table:
        setup = await work(self._lobby.parse, body)
        # A screen that several people share is one browser, if others can reach the server.
        bound = seats.JOIN in setup.about or (request.app.state.shared and seats.NONCE in setup.about)
        browser = cookie_of(request) if bound else ""
        table = await self._tables.open(setup, owner_of(request, opens=True))
        if bound:
            async with table.lock:
                await work(seats.keep_first, table.session, browser)
        return table

    async def join(self, request: Request, body: _Join) -> dict[str, Any]:
        """Take a seat at the table whose code another person has."""
        browser = cookie_of(request)
        id = await work(self._codes.find, body.code, client_of(request))
        async with self._tables.locked(id) as table:
            await work(seats.join, table.session, browser, body.name)
        self._tables.changed(id)
        return {"table": id}

    async def table(self, request: Request) -> dict[str, Any]:
        since, seat = request.query_params.get("since", ""), request.query_params.get("seat", "")
        start = int(since) if since.isdecimal() and len(since) < 10 else None
        table = self._tables.meanwhile(id_of(request))
        viewer = _viewer_of(request, table, seat) if table else PUBLIC
        if table and viewer in table.meanwhile:
            state, events = table.meanwhile[viewer]
        else:
            async with self._tables.locked(id_of(request)) as table:
                viewer = _viewer_of(request, table, seat)
                state, events = await work(table.look, viewer)
                state |= await work(table.own_copy, self._game_log, viewer, owner_of(request))
        if free := len(seats.open_seats(table.session)):
            state = {**state, "free": free, "address": self._address}
        if start is None:
            return state
        return {"events": await work(table.events_as_json, events[start:], viewer), "state": state}

    async def action(self, request: Request, body: _Action) -> Response:
        def act(session: Session, viewer: int) -> list[Event]:
            if len(session.persons) > 1 and session.turn != viewer:
                raise HTTPException(409, "it is not your turn")
            return session.act(body.action, others=body.others)

        return await self._change(request, body, act)

    async def undo(self, request: Request, body: _Change) -> Response:
        def undo(session: Session, viewer: int) -> list[Event]:
            session.undo()
            return []

        return await self._change(request, body, undo)

    async def step(self, request: Request, body: _Change) -> Response:
        def step(session: Session, viewer: int) -> list[Event]:
            return [] if session.turn in session.persons else session.step()

        return await self._change(request, body, step, lenient=True)

    async def resign(self, request: Request, body: _Seated) -> dict[str, bool]:
        """Give a game up; one in which nothing was decided is deleted."""
        async with self._tables.locked(id_of(request)) as table:
            session, viewer = table.session, _viewer_of(request, table, body.seat)
            if not seats.may_sit(session, browser_of(request)):
                raise HTTPException(403, "you have no seat at this table")
            alone = not seats.by_link(session)
            if alone and not session.choices and not session.over:
                await self._tables.remove(session.id)
                return {"deleted": True}
            await work(session.resign, session.viewer if alone else viewer)
            await work(table.own_copy, self._game_log, viewer, owner_of(request))
        self._tables.changed(session.id)
        return {"deleted": False}

    async def _change(
        self, request: Request, body: _Change, change: Callable[[Session, int], list[Event]], lenient: bool = False
    ) -> Response:
        """Change a table unless it has changed since; reply with what happened and its new state.

        If it has changed, a `lenient` request learns what happened; others are refused.
        """
        async with self._tables.locked(id_of(request)) as table:
            session, viewer = table.session, _viewer_of(request, table, body.seat)
            if viewer == PUBLIC:
                raise HTTPException(403, "you have no seat at this table")
            before, current = session.version, body.version == table.version(viewer)
            if not current and not lenient:
                state = await work(table.as_json, viewer)
                return refusal(409, "the game was continued in another window", state=state)

            def make() -> Reply:
                happened = change(session, viewer) if current else table.since(body.version, viewer)
                state = table.as_json(viewer) | table.own_copy(self._game_log, viewer, owner_of(request))
                return Reply({"events": table.events_as_json(happened, viewer), "state": state})

            if not session.plays_alone:
                await work(table.keep)
            try:
                reply = await work_for(session, make)
            finally:
                table.meanwhile = {}
        if before != session.version:
            self._tables.changed(session.id)
        return reply

    async def advice(self, request: Request) -> dict[str, Any]:
        asked = request.query_params
        return await self._coached(
            request, lambda table: table.advice(_viewer_of(request, table, asked.get("seat", "")), "glance" in asked)
        )

    async def standing(self, request: Request) -> dict[str, Any]:
        asked = request.query_params
        return await self._coached(request, lambda table: table.standing(asked.get("at", ""), "judge" in asked))

    async def _coached(self, request: Request, prepare: Callable[[Table], Callable[[], Any]]) -> dict[str, Any]:
        async with turn_of(request):
            async with self._tables.locked(id_of(request)) as table:
                ask = await work(prepare, table)
            async with table.coaching:
                return await work_slowly(ask)

    async def stream(self, request: Request) -> Response:
        """Send the table's version now and after every change that its reader can see, as server-sent events."""
        id, browser = id_of(request), browser_of(request)
        async with self._tables.locked(id) as table:
            follower = browser if seats.has_seat(table.session, browser) else client_of(request)
            # A person's new page takes the place of their oldest one; those who watch have to wait.
            if not seats.may_sit(table.session, browser) and self._tables.followers(id, follower) >= MAX_FOLLOWERS:
                raise HTTPException(429, "too many pages of yours follow this table")

        async def lines() -> AsyncIterator[str]:
            shown = 0
            async for moved in self._tables.versions(id, follower):
                if moved is None:
                    yield ":\n\n"
                    continue
                async with self._tables.locked(id) as table:
                    version, seen = await work(table.seen, _viewer_of(request, table, ""))
                if seen != shown:  # Else it would count decisions that its reader is not told of.
                    yield f'retry: 2000\ndata: {{"version": {version}}}\n\n'
                shown = seen

        return StreamingResponse(lines(), media_type="text/event-stream")


def _viewer_of(request: Request, table: Table, asked: int | str) -> int:
    """Find the seat from which a browser sees a table; the page asks for one at a shared screen."""
    seat = int(asked) if str(asked).isdecimal() and len(str(asked)) < 3 else PUBLIC
    return seats.viewer_of(table.session, browser_of(request), seat)


def _options_of(request: Request) -> tuple[Game, Options]:
    """Read the game that a request is about, and its options from the query."""
    game = game_called(request.path_params["game"])
    return game, game.parse_options(dict(request.query_params))

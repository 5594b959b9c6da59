"""The server: what each address answers; docs/play.md has its guarantees."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.table.coach.puzzles import find_puzzle
from cardgym.table.coach.ratings import Skill
from cardgym.table.drawings.shapes import sprite
from cardgym.table.game_log import GameLog, StaleGameError
from cardgym.table.narration import PUBLIC, Event
from cardgym.table.presentation import presentation_of
from cardgym.table.web import lobby, seats
from cardgym.table.web.explore import Explore
from cardgym.table.web.puzzles import Puzzles
from cardgym.table.web.record import ID, Record, id_of, listed
from cardgym.table.web.safety import LOOPBACK, Answer, Guard, body_of, dump, number, refusal, whole
from cardgym.table.web.tables import MAX_FOLLOWERS, Table, Tables

STATIC = Path(__file__).parent / "static"
_ZIPPED = Middleware(GZipMiddleware)
OWNER = "cardgym_owner"
"""On a shared server, the cookie that says which tables belong to a browser."""

_PATH = re.compile(r"(?:[A-Za-z]:)?(?:[/\\\\][^/\\\\:\s]+){2,}")
_PUZZLE_GAMES = 40  # A person's latest games, from which puzzles are taken.
_FOREVER = 365 * 24 * 3600


def make_app(
    game_log: GameLog,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    shared: bool = False,
    max_tables: int = 2_000,
    idle_seconds: float = 900.0,
    max_unfinished: int = 100,
    address: str = "",
) -> Starlette:
    """The server's application.

    Args:
        game_log: where games are saved.
        hosts: the server's names and addresses; None for any address and this machine's names.
        shared: whether other people can reach the server: each browser then lists only its own tables.
        max_tables: the maximum number of tables in memory.
        idle_seconds: how long a table must be idle before a new one may replace it.
        max_unfinished: how many unfinished games a person may have.
        address: the server's address for people at other devices, if they can reach it.
    """
    server = _Server(game_log, Tables(game_log, max_tables, idle_seconds, max_unfinished), shared, address)
    record = Record(game_log, server.tables, server.owner)
    routes = [
        Route("/", server.page, middleware=[_ZIPPED]),
        Route("/symbols/{game}.svg", server.symbols, middleware=[_ZIPPED]),
        Route("/api/lobby", server.lobby),
        Route("/api/games/{game}/opponents", server.opponents),
        Route("/api/games/{game}/rules", server.rules),
        Route("/api/tables", server.open, methods=["POST"]),
        Route("/api/join", server.join, methods=["POST"]),
        Route("/api/tables/{id}", server.table),
        Route("/api/tables/{id}/action", server.action, methods=["POST"]),
        Route("/api/tables/{id}/undo", server.undo, methods=["POST"]),
        Route("/api/tables/{id}/step", server.step, methods=["POST"]),
        Route("/api/tables/{id}/resign", server.resign, methods=["POST"]),
        Route("/api/tables/{id}/advice", server.advice),
        Route("/api/tables/{id}/rules", server.table_rules),
        Route("/api/tables/{id}/standing", server.standing),
        Route("/api/tables/{id}/stream", server.stream),
        Route("/api/puzzles/{game}", server.puzzle),
        Route("/api/puzzles/{id}/solve", server.solve, methods=["POST"]),
        *record.routes(),
        *Explore(server.tables, record.ended).routes(),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False), middleware=[_ZIPPED]),
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
    def __init__(self, game_log: GameLog, tables: Tables, shared: bool, address: str) -> None:
        self._game_log = game_log
        self.tables = tables
        self._shared = shared
        self._address = address
        self._codes = seats.Codes(game_log)
        self._puzzles = Puzzles()

    def owner(self, request: Request) -> str:
        """Whose tables a browser may list: this machine's, or those of its cookie."""
        return (self._browser(request) or "nobody") if self._shared else ""

    def _browser(self, request: Request) -> str:
        """The browser's cookie, empty if it has none."""
        browser = request.cookies.get(OWNER, "")
        return browser if ID.fullmatch(browser) else ""

    # -- the page and the lobby ---------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        answer = HTMLResponse(_page())
        if not self._browser(request):
            cookie = secrets.token_urlsafe(16)
            answer.set_cookie(OWNER, cookie, max_age=_FOREVER, httponly=True, samesite="strict")
        return answer

    async def symbols(self, request: Request) -> Response:
        game = lobby.game_called(request.path_params["game"])
        svg = await self.tables.work(_sprite, game)
        return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "max-age=600"})

    async def lobby(self, request: Request) -> Response:
        def read() -> dict[str, Any]:
            entries = self._game_log.entries(finished=False, owner=self.owner(request), limit=50)
            return {"games": lobby.games(), "tables": [*map(listed, entries)][::-1]}

        return Answer(await self.tables.work(read))

    async def opponents(self, request: Request) -> Response:
        return Answer(await self.tables.work(lambda: lobby.opponents(*_options_of(request))))

    async def rules(self, request: Request) -> Response:
        return Answer(await self.tables.work(lambda: lobby.rules(*_options_of(request))))

    async def open(self, request: Request) -> Response:
        body = await body_of(request, lobby.KEYS)
        setup = await self.tables.work(lobby.parse, body)
        browser = self._browser(request)
        if seats.JOIN in setup.about and not browser:
            raise HTTPException(400, "your browser keeps no cookies, so nobody could tell people apart; allow them")
        table = await self.tables.open(setup, self.owner(request))
        if seats.JOIN in setup.about:
            async with table.lock:
                await self.tables.work(seats.join, table.session, browser, "")
            if self._address:
                where = f"open {self._address}#/join and type {setup.about[seats.JOIN]}"
                print(f"cardgym: a table of {setup.game.id} waits for another person: {where}", flush=True)
        return Answer({"table": table.session.id}, 201)

    async def join(self, request: Request) -> Response:
        """Take a seat at the table whose code another person has."""
        body, browser = await body_of(request, ("code", "name")), self._browser(request)
        if not browser:
            raise HTTPException(400, "your browser keeps no cookies, so nobody could tell people apart; allow them")
        id = await self.tables.work(self._codes.find, body.get("code"))
        async with self.tables.at(id) as table:
            await self.tables.work(seats.join, table.session, browser, body.get("name", ""))
        self.tables.changed(id)
        return Answer({"table": id})

    def _viewer(self, request: Request, table: Table, wanted: object = None) -> int:
        """The seat from which a browser sees a table; `wanted` or the query names it at a shared screen."""
        asked = request.query_params.get("seat", "") if wanted is None else str(wanted)
        seat = int(asked) if asked.isdecimal() and len(asked) < 3 else PUBLIC
        return seats.viewer_of(table.session, self._browser(request), seat)

    # -- a table ------------------------------------------------------------------------------------------------------

    async def table(self, request: Request) -> Response:
        since = request.query_params.get("since", "")
        async with self.tables.at(id_of(request)) as table:
            viewer = self._viewer(request, table)
            own = await self.tables.work(self._own_copy, request, table, viewer)
            state = await self.tables.work(table.shown, viewer) | self._joining(table) | own
            if since.isdecimal() and len(since) < 10:  # With what happened since the page last looked.
                events = table.session.events[int(since) :]
                return Answer({"events": await self.tables.work(table.shown_events, events, viewer), "state": state})
            return Answer(state)

    async def action(self, request: Request) -> Response:
        body = await body_of(request, ("action", "version", "others", "seat"))
        action, others = whole(body, "action", 0, 2**31 - 1), body.get("others", True)
        if not isinstance(others, bool):
            raise HTTPException(400, "others: allowed are true and false")

        def act(table: Table, viewer: int) -> list[Event]:
            if len(table.session.persons) > 1 and table.session.turn != viewer:
                raise HTTPException(409, "it is not your turn")
            return table.session.act(action, others=others)

        return await self._change(request, body, act)

    async def undo(self, request: Request) -> Response:
        def undo(table: Table, viewer: int) -> list[Event]:
            table.session.undo()
            return []

        return await self._change(request, await body_of(request, ("version",)), undo)

    async def step(self, request: Request) -> Response:
        body = await body_of(request, ("version", "seat"))

        def step(table: Table, viewer: int) -> list[Event]:
            session = table.session
            return [] if session.turn in session.persons else session.step()

        return await self._change(request, body, step, lenient=True)

    async def resign(self, request: Request) -> Response:
        """Give a game up; one in which nothing was decided is deleted."""
        body = await body_of(request, ("seat",))
        async with self.tables.at(id_of(request)) as table:
            session, viewer = table.session, self._viewer(request, table, body.get("seat"))
            alone = not seats.by_link(session)
            if alone and not session.choices and not session.over:
                await self.tables.remove(session.id)
                return Answer({"deleted": True})
            await self.tables.work(session.resign, session.viewer if alone else viewer)
        self.tables.changed(session.id)
        return Answer({"deleted": False})

    async def _change(
        self,
        request: Request,
        body: dict[str, Any],
        change: Callable[[Table, int], list[Event]],
        lenient: bool = False,
    ) -> Response:
        """Change a table unless it has changed since; answer with what happened and its new state.

        If it has changed, a `lenient` request learns what happened; others are refused.
        """
        version = whole(body, "version", 0, 2**31 - 1)
        async with self.tables.at(id_of(request)) as table:
            viewer = self._viewer(request, table, body.get("seat"))
            if viewer == PUBLIC:
                raise HTTPException(403, "you have no seat at this table")
            if version != table.session.version and not lenient:
                state = await self.tables.work(table.shown, viewer)
                return refusal(409, "the game was continued in another window", state=state)

            def work() -> bytes:
                session = table.session
                happened = change(table, viewer) if version == session.version else session.events[version:]
                events = table.shown_events(happened, viewer)
                return dump({"events": events, "state": table.shown(viewer) | self._own_copy(request, table, viewer)})

            answer = await self.tables.work(work)
        if version != table.session.version:
            self.tables.changed(table.session.id)
        return Answer(answer)

    def _joining(self, table: Table) -> dict[str, Any]:
        """What people need to know to join a table: where, and whether seats are free."""
        free = len(seats.open_seats(table.session))
        return {"free": free, "address": self._address} if free else {}

    def _own_copy(self, request: Request, table: Table, viewer: int) -> dict[str, str]:
        """A finished game in the record of another person than the one who opened the table, as their own."""
        session, owner = table.session, self.owner(request)
        if not session.over or viewer not in session.persons[1:] or not seats.by_link(session) or not owner:
            return {}
        return {"record": seats.copy_for(self._game_log, session, viewer, owner)}

    async def table_rules(self, request: Request) -> Response:
        async with self.tables.at(id_of(request)) as table:
            session = table.session
            return Answer(await self.tables.work(lobby.rules, session.game, session.options))

    async def advice(self, request: Request) -> Response:
        async with self.tables.at(id_of(request)) as table:
            return Answer(await self.tables.work(table.advice, self._viewer(request, table)))

    async def standing(self, request: Request) -> Response:
        async with self.tables.at(id_of(request)) as table:
            return Answer(await self.tables.work(table.standing))

    async def stream(self, request: Request) -> Response:
        """Server-sent events: the table's version now and after every change."""
        id = id_of(request)
        async with self.tables.at(id):
            if self.tables.followers(id) >= MAX_FOLLOWERS:
                raise HTTPException(429, "too many pages follow this table")

        async def lines() -> AsyncIterator[str]:
            async for version in self.tables.versions(id):
                yield ":\n\n" if version is None else f'retry: 2000\ndata: {{"version": {version}}}\n\n'

        return StreamingResponse(lines(), media_type="text/event-stream")

    # -- puzzles ------------------------------------------------------------------------------------------------------

    async def puzzle(self, request: Request) -> Response:
        game, owner = lobby.game_called(request.path_params["game"]), self.owner(request)

        def make() -> dict[str, Any]:
            options = game.parse_options()
            own = self._game_log.entries(game.id, finished=True, owner=owner, limit=_PUZZLE_GAMES)
            own = [entry for entry in own if entry["person"] is not None and entry["options"] == options.asdict()]
            return self._puzzles.add(find_puzzle(game, options, secrets.randbits(62), own))

        return Answer(await self.tables.work(make))

    async def solve(self, request: Request) -> Response:
        body = await body_of(request, ("action", "mu", "sigma"))
        usual = Skill()  # The browser keeps it.
        skill = Skill(number(body, "mu", -100, 150, usual.mu), number(body, "sigma", 0.1, 10, usual.sigma))
        return Answer(self._puzzles.solve(id_of(request), whole(body, "action", 0, 2**31 - 1), skill))


def _options_of(request: Request) -> tuple[Game, Options]:
    """The game that a request is about, and its options from the query."""
    game = lobby.game_called(request.path_params["game"])
    values = dict(request.query_params)
    if len(values) > lobby.MAX_OPTIONS or any(len(value) > 40 for value in values.values()):
        raise HTTPException(400, "options: send names and values")
    return game, game.parse_options(values)


@cache
def _page() -> str:
    """The page, which asks for all modules at once: they import one another in a chain."""
    links = "".join(f'<link rel="modulepreload" href="/static/{path.name}">' for path in sorted(STATIC.glob("*.js")))
    return (STATIC / "index.html").read_text().replace("</head>", f"{links}</head>")


@lru_cache(maxsize=16)
def _sprite(game: Game) -> str:
    return sprite(presentation_of(game).symbols())

"""What every route uses: reading requests, replying with JSON, and threads for what may be slow."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import re
import secrets
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Annotated, Any, TypeVar
from weakref import WeakValueDictionary

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardgym.engine.registry import find, registered
from cardgym.files.documents import Document, parse_document
from cardgym.files.schema import ConfigDict, Field
from cardgym.table.game_entries import GAME_ID
from cardgym.table.people import people_of
from cardgym.table.session import Session
from cardgym.table.setup import AGAIN, HELPED, LESSON, RESIGNED
from cardgym.table.web.clients import client_at

T = TypeVar("T")
B = TypeVar("B", bound="Body")

MAX_BODY = 16 * 1024
"""Maximum number of bytes of a request's body."""

BODY_SECONDS = 10.0
"""How long a body may take to arrive."""

OWNER = "cardgym_owner"
"""On a shared server, the cookie that says which tables belong to a browser."""

_ID = re.compile(GAME_ID)

_THREADS = ThreadPoolExecutor(8, "table")
"""How many tables can be worked on at once."""

_SLOW_THREADS = ThreadPoolExecutor(4, "slow")
"""Threads for advice, reviews and whole records, so that no table waits for them."""

Move = Annotated[int, Field(ge=0, le=2**31 - 1)]
"""An action, an outcome of chance, or a number of moves."""

Seed = Annotated[int, Field(ge=0, le=2**53 - 1)]
"""A seed. JavaScript represents no larger integer exactly."""

Version = Seed
"""How a table was; each undo counts as a million moves."""


class Body(Document):
    """Base of the models of requests' bodies; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class Reply(Response):
    """Plain values as JSON; ASCII, so that any text can be sent."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else dump(content)


def dump(content: Any) -> bytes:
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def refusal(status: int, message: str, **more: Any) -> Reply:
    """Reply to an invalid request: one line that says why."""
    return Reply({"error": " ".join(message.split())[:500], **more}, status)


async def work(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function that may be slow, in a thread."""
    return await _in_thread(_THREADS, function, *arguments)


async def work_for(session: Session, function: Callable[..., T], *arguments: Any) -> T:
    """Call a function that lets the players of a game move, in a thread.

    Players that may take minutes have threads of their own: no other table waits for them, nor does Ctrl-C.
    """
    if session.plays_alone or sys.platform == "emscripten":
        return await work(function, *arguments)
    answer = Future[T]()

    def answering() -> None:
        answer.set_running_or_notify_cancel()
        try:
            answer.set_result(function(*arguments))
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=answering, daemon=True).start()
    return await asyncio.wrap_future(answer)


async def work_slowly(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function that takes long by design, in a thread of those for such work; see `turn_of`."""
    return await _in_thread(_SLOW_THREADS, function, *arguments)


async def _in_thread(threads: ThreadPoolExecutor, function: Callable[..., T], *arguments: Any) -> T:
    if sys.platform == "emscripten":  # A page has no threads.
        return function(*arguments)
    return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)


def turn_of(request: Request) -> asyncio.Lock:
    """Return a lock for slow work: each client has one such request worked on at a time."""
    turns: WeakValueDictionary[str, asyncio.Lock] = request.app.state.turns
    return turns.setdefault(client_of(request), asyncio.Lock())


# -- routes -----------------------------------------------------------------------------------------------------------


def get(path: str, handler: Callable[[Request], Any], *, slow: bool = False) -> Route:
    """Route GET to a handler that returns plain values or a response; unless it is a coroutine, it runs in a thread.

    A `slow` one waits for its client's turn; see `turn_of`.
    """

    async def endpoint(request: Request) -> Response:
        return await _reply(handler, slow, request)

    return Route(path, endpoint)


def post(
    path: str, handler: Callable[[Request, B], Any], model: type[B], most: int = MAX_BODY, *, slow: bool = False
) -> Route:
    """Route POST likewise; `model` validates the body of at most `most` bytes, which the handler gets, too."""

    async def endpoint(request: Request) -> Response:
        return await _reply(handler, slow, request, await body_of(request, model, most))

    return Route(path, endpoint, methods=["POST"])


async def _reply(handler: Callable[..., Any], slow: bool, request: Request, *arguments: Any) -> Response:
    if inspect.iscoroutinefunction(handler):
        return _response(await handler(request, *arguments))

    def reply() -> Response:
        return _response(handler(request, *arguments))

    if not slow:
        return await work(reply)
    async with turn_of(request):
        return await work_slowly(reply)


def _response(content: Any) -> Response:
    return content if isinstance(content, Response) else Reply(content)


async def body_of(request: Request, model: type[B], most: int = MAX_BODY) -> B:
    """Read a request's body of at most `most` bytes, and validate it."""
    content = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                content += chunk
                if len(content) > most:
                    raise HTTPException(413, f"at most {most} bytes")
    except TimeoutError:
        raise HTTPException(408, "the body took too long") from None
    return parse_document(model, bytes(content), "body")


# -- what requests are about ------------------------------------------------------------------------------------------


def id_of(request: Request) -> str:
    """Read the id in a request's path."""
    id = str(request.path_params["id"])
    if not _ID.fullmatch(id):
        raise HTTPException(404, "there is no such table")
    return id


def browser_of(request: Request) -> str:
    """Read the browser's cookie; empty if it has none."""
    browser = request.cookies.get(OWNER, "")
    return browser if _ID.fullmatch(browser) else ""


def cookie_of(request: Request) -> str:
    """Read the browser's cookie, which tells people apart; refuse a browser that has none."""
    if not (browser := browser_of(request)):
        raise HTTPException(400, "your browser keeps no cookies, so nobody could tell people apart; allow them")
    return browser


def client_of(request: Request) -> str:
    """Name the client; behind a proxy that uvicorn trusts, the one that the proxy names (`X-Forwarded-For`)."""
    return client_at(request.client.host if request.client else "")


def owner_of(request: Request, *, opens: bool = False) -> str:
    """Say whose tables a browser may list: this machine's, or on a shared server those of its cookie, as a hash.

    Browsers that keep no cookie cannot be told apart: they list nothing there, and the tables that they open (`opens`)
    count together.
    """
    if not request.app.state.shared:
        return ""
    browser = browser_of(request) or ("" if opens else secrets.token_hex())
    return hashlib.sha256(f"owner {browser}".encode()).hexdigest()[:32]


def summaries(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Shorten games for a list, the latest first."""
    paid = {env: paid_in(env) for env in {entry["env"] for entry in entries}}
    return [_summary(entry, paid[entry["env"]]) for entry in reversed(entries)]


def _summary(entry: dict[str, Any], paid: dict[str, str]) -> dict[str, Any]:
    """Shorten a game, without the seed, which determines all cards."""
    about = entry["about"]
    values = {key: entry.get(key) for key in ("env", "options", "time", "finished", "max_score", "players", "person")}
    if not entry["finished"]:  # What counts so far may depend on cards that the person does not see.
        values["players"] = [{"name": player["name"], "seat": player["seat"]} for player in entry["players"]]
    marks = {"again": AGAIN in about, "lesson": LESSON in about, "resigned": RESIGNED in about}
    marks |= {"helped": entry["finished"] and HELPED in about, "undone": entry["undone"] > 0}
    return {"table": entry["id"], **values, **paid, **marks, "people": people_of(entry)}


def paid_in(env_id: str) -> dict[str, str]:
    """Say what results are: the `unit`, and the `payoff`, a metric or `return`; "" if the game is not installed."""
    game = find(env_id) if env_id in registered() else None
    return {"unit": game.unit if game else "", "payoff": game.payoff if game else ""}

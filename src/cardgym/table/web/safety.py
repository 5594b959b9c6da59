"""Checks of every request: its origin, its size and its values. Invalid requests are answered with one line of JSON.

A page of another origin cannot act: browsers name the origin of a request (`Origin`, `Sec-Fetch-Site`), and a body must
be declared as JSON, which other origins may not send without asking. A domain name that someone else points at this
machine (DNS rebinding) is not in the list of hosts.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
import sys
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cardgym.files.json_values import parse_json

MAX_BODY = 16 * 1024
"""Maximum number of bytes of a request's body."""

BODY_SECONDS = 10.0
"""How long a body may take to arrive."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")

_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'; object-src 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Answer(Response):
    """Plain values as JSON; ASCII, so that any text can be sent."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else dump(content)


def dump(content: Any) -> bytes:
    """Plain values as JSON in bytes."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def refusal(status: int, message: str, **more: Any) -> Answer:
    """The answer to an invalid request: one line that says why."""
    return Answer({"error": " ".join(message.split())[:500], **more}, status)


class Guard:
    """The outermost layer: refuses requests from elsewhere, adds headers and hides errors."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None) -> None:
        """Set the server's names and addresses; None allows any address and this machine's names."""
        self._app = app
        self._hosts = {name.lower() for name in hosts or (*LOOPBACK, socket.gethostname())}
        self._addresses = hosts is None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        started = False

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                kept = scope["path"].startswith("/static/")  # A browser asks whether they have changed.
                headers.setdefault("Cache-Control", "no-cache" if kept else "no-store")
            await send(message)

        answer = self._refusal(scope)
        try:
            await (answer or self._app)(scope, receive, send_safely)
        except ClientDisconnect:
            pass
        except Exception as error:  # Our fault: the client gets no traceback, and stderr gets no cards.
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "?"
            print(f"cardgym: {type(error).__name__} at {where}, in answer to {scope['method']}", file=sys.stderr)
            if not started:
                await refusal(500, "error on the server; your game is saved")(scope, receive, send_safely)

    def _refusal(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return refusal(400, "this server does not have that name")
        if not path.isprintable() or len(path) > 300:
            return refusal(400, "there is no such page")
        origins, site = headers.getlist("origin"), headers.get("sec-fetch-site", "same-origin")
        own = [f"{scheme}://{hosts[0]}" for scheme in ("http", "https")]
        if any(origin not in own for origin in origins) or (site not in ("same-origin", "none") and path != "/"):
            return refusal(403, "pages of other origins are not allowed")
        if scope["method"] == "POST" and headers.get("content-type", "").split(";")[0].strip() != "application/json":
            return refusal(415, "send JSON, with Content-Type: application/json")
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            return name in self._hosts or (self._addresses and bool(ipaddress.ip_address(name)))
        except ValueError:  # Neither one of our names nor an address.
            return False


# -- values of requests -----------------------------------------------------------------------------------------------


async def body_of(request: Request, allowed: Collection[str], most: int = MAX_BODY) -> dict[str, Any]:
    """The JSON object of a request's body of at most `most` bytes, whose keys are all in `allowed`."""
    content = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                content += chunk
                if len(content) > most:
                    raise HTTPException(413, f"at most {most} bytes")
    except TimeoutError:
        raise HTTPException(408, "the body took too long") from None
    try:
        body = parse_json(bytes(content), "body")
    except ValueError:
        raise HTTPException(400, "the body is not JSON") from None
    if not isinstance(body, dict) or not body.keys() <= set(allowed):
        raise HTTPException(400, f"send an object with only the keys {', '.join(allowed)}")
    return body


def whole(body: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """The whole number of that name, from `low` to `high`."""
    value = body.get(name) if isinstance(body, dict) else None
    if type(value) is not int or not low <= value <= high:
        raise HTTPException(400, f"{name}: allowed are whole numbers from {low} to {high}")
    return value


def number(body: Mapping[str, Any], name: str, low: float, high: float, default: float) -> float:
    """The number of that name, from `low` to `high`."""
    value = body.get(name, default)
    if type(value) not in (int, float) or not low <= value <= high:
        raise HTTPException(400, f"{name}: allowed are numbers from {low:g} to {high:g}")
    return float(value)


def one_of(body: Mapping[str, Any], name: str, allowed: Collection[str], default: str | None = None) -> str:
    """The word of that name, one of `allowed`."""
    value = body.get(name, default)
    if not isinstance(value, str) or value not in allowed:
        raise HTTPException(400, f"{name}: allowed are {', '.join(allowed)}")
    return value

"""Check where every request comes from; others are refused with one line of JSON.

A page of another origin cannot act: browsers name the origin of a request (`Origin`, `Sec-Fetch-Site`), and a body must
be declared as JSON, which other origins may not send without asking. A domain name that someone else points at this
machine (DNS rebinding) is not in the list of hosts.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
import traceback
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cardgym.table.web.requests import refusal

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


class Guard:
    """The outermost layer: refuse requests from elsewhere, add headers and hide errors."""

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
            frame = traceback.extract_tb(error.__traceback__, -1)[0]
            where = f"{frame.filename}:{frame.lineno}, in answer to {scope['method']}"
            print(f"cardgym: {type(error).__name__} at {where}", file=sys.stderr)
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
        allowed = [f"{scheme}://{hosts[0]}" for scheme in ("http", "https")]
        if any(origin not in allowed for origin in origins) or (site not in ("same-origin", "none") and path != "/"):
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

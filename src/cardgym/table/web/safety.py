"""Check where every request comes from; others are refused with one line of JSON.

A page of another origin cannot act: browsers name the origin of a request (`Origin`, `Sec-Fetch-Site`), and a body must
be declared as JSON, which other origins may not send without asking. A domain name that someone else points at this
machine (DNS rebinding) is not in the list of hosts.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import sys
import traceback
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cardgym.table.web.clients import Limit, client_at
from cardgym.table.web.requests import refusal

LOOPBACK = ("localhost", "127.0.0.1", "::1")

_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_.-]+))(?::(?P<port>[0-9]{0,5}))?", re.IGNORECASE)
"""A `Host` header: a name or an address, IPv6 in brackets, and perhaps a port (RFC 9110, 7.2; RFC 3986, 3.2)."""

_MAX_REPORTS = 10
"""Lines on stderr about the errors of one client's requests in a minute."""

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
        self._hosts = {_canonical(name) for name in hosts or (*LOOPBACK, socket.gethostname())}
        self._addresses = hosts is None
        self._reports = Limit(_MAX_REPORTS)

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
            self._report(error, scope)
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

    def _report(self, error: Exception, scope: Scope) -> None:
        """Say on stderr where an error happened; no client can fill the log."""
        client = client_at((scope.get("client") or ("",))[0])
        if self._reports.is_reached(client):
            return
        self._reports.count(client)
        frame = traceback.extract_tb(error.__traceback__, -1)[0]
        where = f"{frame.filename}:{frame.lineno}, in answer to {scope['method']}"
        print(f"cardgym: {type(error).__name__} at {where}", file=sys.stderr)

    def _is_ours(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        if parts is None or int(parts["port"] or 0) > 65_535:
            return False
        name = _canonical(parts["ipv6"] or parts["name"])
        if bool(parts["ipv6"]) != (":" in name):  # Brackets are for IPv6 alone.
            return False
        return name in self._hosts or (self._addresses and _address(name) is not None)


def _canonical(name: str) -> str:
    """Return a name as it is compared: in lower case, without the dot at its end; an address in its usual form."""
    name = name.lower().removesuffix(".")
    return str(_address(name) or name)


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None

"""Sockets and connections: how the application is served, with limits on what clients may keep waiting."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from cardgym.errors import CardgymError
from cardgym.table.web.clients import Limit, client_at

MESSAGE_SECONDS = 15.0
"""How long the head of a request may take to arrive, and its body after that."""

ANSWER_SECONDS = 60.0
"""How long a client may take to read what was sent to it."""

MAX_CONNECTIONS = 256
"""Connections of one client, unless it is this machine, where a proxy may run."""

_THIS_MACHINE = ("127.0.0.1", client_at("::1"))
_LOG = logging.getLogger(__name__)
_BROKEN = Limit(10)
"""How many broken messages of a client are logged in a minute."""


class TimedProtocol(H11Protocol):
    """uvicorn's protocol, with limits on what each client may keep waiting.

    Requests and answers have to make progress, whether or not the application reads a body. A connection without any
    byte counts as a head that has begun; idle ones after an answer are uvicorn's to close.
    """

    _timer: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None
    _awaited: tuple[Any, Any] | None = None
    """The part of a request that the timer is for, and the request before or of it."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # `pause_writing` then means that a client has not read everything.
        client = self._client()
        same = sum(other._client() == client for other in self.connections if isinstance(other, TimedProtocol))
        if same > MAX_CONNECTIONS and client not in _THIS_MACHINE:
            transport.abort()
        self._check()

    def _client(self) -> str:
        return client_at(self.client[0] if self.client else "")

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._check()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._check()  # The beginning of the next head may have come already.

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._timer, self._writing):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._writing = self.loop.call_later(ANSWER_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP; if an answer has begun or was sent, only close the connection."""
        client = self._client()
        if not _BROKEN.is_reached(client):
            _BROKEN.count(client)
            _LOG.debug("a message from %s is not HTTP", client)
        if self.cycle is not None:
            self.cycle.disconnected = True  # The application may still be about to answer.
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _check(self) -> None:
        """Limit the time for the rest of a head or of a body, from its first byte on."""
        state = self.conn.their_state
        begun = self.cycle is None or bool(self.conn.trailing_data[0])
        awaited = (state, self.cycle) if state is h11.SEND_BODY or (state is h11.IDLE and begun) else None
        if awaited == self._awaited:
            return
        self._awaited = awaited
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if awaited is None else self.loop.call_later(MESSAGE_SECONDS, self.transport.abort)


def uvicorn_config(app: Starlette, host: str, port: int, max_tables: int) -> uvicorn.Config:
    """Configure uvicorn: no log, and limits on connections and request heads."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,  # Its own would close the log handlers of the process, such as TensorBoard's.
        log_level="critical",  # Its warnings and errors would quote requests.
        access_log=False,
        server_header=False,
        http=TimedProtocol,
        lifespan="off",
        ws="none",
        limit_concurrency=2 * max_tables + 1_000,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16 * 1024,
    )


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens; `CardgymError` if the port is taken or the host not an address of this machine."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        raise CardgymError(f"cannot listen on {host}:{port}: {error.strerror or error}; try another --port") from None
    return listener

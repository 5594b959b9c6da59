"""Sockets and connections: how the application is served, with limits on what clients may keep waiting."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from cardgym.errors import CardgymError

HEAD_SECONDS = 15.0
"""How long the head of a request may take to arrive."""


class TimedProtocol(H11Protocol):
    """uvicorn's protocol, with a limit on the time between the first byte of a head and its last one.

    A connection without any byte counts as a head that has begun; idle ones after an answer are uvicorn's to close.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._check()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._check()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._check()  # The beginning of the next head may have come already.

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _check(self) -> None:
        begun = self.cycle is None or bool(self.conn.trailing_data[0])
        if self.conn.their_state is not h11.IDLE or not begun:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


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

"""Connections: what clients may keep waiting, and what they can make the server say."""

import logging
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from web_server import Served, serving

from cardgym.table.web import lobby, protocol
from cardgym.table.web.clients import Limit

_HEAD = b"Host: localhost\r\nContent-Type: application/json\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n"


HEADS = [
    b"POST /nope HTTP/1.1\r\n" + _HEAD + b"Content-Length: 100\r\n",
    b"POST /nope HTTP/1.1\r\n" + _CHUNKED,
    b"POST /api/tables HTTP/1.1\r\n" + _HEAD + b"Origin: http://evil.example\r\nContent-Length: 100\r\n",
    b"POST /api/tables HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100\r\n",
    b"POST /api/tables HTTP/1.1\r\n" + _HEAD + b"Content-Length: 100\r\n",
    b"POST /api/tables HTTP/1.1\r\n" + _HEAD + b"Expect: 100-continue\r\nContent-Length: 100\r\n",
    b"GET /api/lobby HTTP/1.1\r\n" + _HEAD + b"Content-Length: 100\r\n",
    b"HEAD / HTTP/1.1\r\n" + _CHUNKED,
    b"PUT /api/lobby HTTP/1.1\r\n" + _HEAD + b"Content-Length: 100\r\n",
    b"GET / HTTP/1.1\r\n" + _CHUNKED,
]
"""Requests whose bodies nobody reads, or not to their end."""


def test_bodies_time_out_whether_or_not_anyone_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then keeps no connection open."""
    monkeypatch.setattr(protocol, "MESSAGE_SECONDS", 0.3)
    with serving(tmp_path / "games.sqlite") as served:
        opened = {head: socket.create_connection(("127.0.0.1", served.port), timeout=30) for head in HEADS}
        for head, connection in opened.items():
            connection.sendall(head + b"\r\n")
        began = time.monotonic()
        while opened and time.monotonic() - began < 10:
            for head, connection in list(opened.items()):
                try:
                    connection.sendall(b"1\r\n1\r\n" if b"chunked" in head else b"1")
                except ConnectionError:
                    opened.pop(head).close()
            time.sleep(0.05)
        assert list(opened) == []


@pytest.mark.parametrize("answered", [True, False])
def test_a_broken_chunk_is_a_line_for_debugging_and_they_are_few(
    server: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: Any, answered: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(protocol, "_BROKEN", Limit(10))
    path = b"/nope" if answered else b"/api/tables"
    for _ in range(15):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(b"POST " + path + b" HTTP/1.1\r\n" + _CHUNKED + b"\r\n5\r\n{")
            if answered:
                assert connection.recv(1 << 16).startswith(b"HTTP/1.1 404")
            connection.sendall(b"aaaaaaaaaa\r\nZZ\r\n")
            while connection.recv(1 << 16):
                pass
    assert [record.levelname for record in caplog.records if record.name == protocol.__name__] == ["DEBUG"] * 10
    assert not [record for record in caplog.records if record.levelno > logging.DEBUG]
    assert capfd.readouterr() == ("", "")


def test_a_client_has_a_number_of_connections(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_CONNECTIONS", 5)
    address, stranger = ("127.0.0.1", server.port), ("127.0.0.9", 0)
    opened = [socket.create_connection(address, source_address=stranger) for _ in range(6)]
    assert opened[-1].recv(1) == b""
    assert server.client.get("/api/lobby")
    for connection in opened:
        connection.close()


def test_one_client_fills_no_log(server: Served, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.setattr(lobby.Lobby, "games", lambda self: 1 / 0)
    for _ in range(30):
        assert server.client.raw("GET", "/api/lobby")[0] == 500
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 10
    assert all(line.startswith("cardgym: ZeroDivisionError at ") for line in lines)


def test_half_sent_heads_time_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MESSAGE_SECONDS", 0.3)
    answered = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving(tmp_path / "games.sqlite") as served:
        for first in (b"", answered):
            with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
                if first:
                    connection.sendall(first)
                    connection.recv(1 << 20)
                connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
                while connection.recv(1 << 20):
                    pass  # The rest of the first answer; then the server closes.


@pytest.mark.parametrize("size", [1 << 15, 1 << 24])
def test_a_client_that_reads_nothing_loses_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Neither a small answer nor a large one waits for ever."""
    monkeypatch.setattr(protocol, "ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(lobby.Lobby, "games", lambda self: "x" * size)
    with serving(tmp_path / "games.sqlite") as served:
        [listener] = served._server.servers[0].sockets
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)  # The kernel keeps as little as it can.
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            connection.connect(("127.0.0.1", served.port))
            connection.sendall(b"GET /api/lobby HTTP/1.1\r\n" + _HEAD + b"\r\n")
            assert connection.recv(1)
            deadline = time.monotonic() + 30
            while served._server.server_state.connections:
                assert time.monotonic() < deadline
                time.sleep(0.02)

"""Serve the table in the browser: play against agents, watch them, and see your games. Everything works offline."""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import sys
import webbrowser
from typing import Any

from cardgym.cli.parser import Parser, whole
from cardgym.errors import CardgymError


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="who may come: 127.0.0.1 is this machine alone, 0.0.0.0 whoever can reach it (127.0.0.1)",
    )
    parser.add_argument("--port", type=whole(0, 65535), default=8000, metavar="N", help="the port; 0 for any (8000)")
    parser.add_argument("--open", action="store_true", help="open a browser")
    parser.add_argument(
        "--tables", type=whole(1, 100_000), default=2_000, metavar="N", help="the most tables in memory (2000)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    from cardgym.table.game_log import GameLog
    from cardgym.table.web.app import make_app
    from cardgym.table.web.safety import LOOPBACK

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # Before torch is loaded: small networks are fastest on one.
    alone = arguments.host in LOOPBACK
    wildcard = arguments.host in ("0.0.0.0", "::", "")
    hosts = LOOPBACK if alone else None if wildcard else (arguments.host, *LOOPBACK)
    app = make_app(GameLog(), hosts=hosts, shared=not alone, max_tables=arguments.tables)
    config = configuration(app, arguments.host, arguments.port, arguments.tables)
    with _listening(arguments.host, arguments.port) as listener:
        host, port = listener.getsockname()[:2]
        shown = "localhost" if wildcard else f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{port}/"
        print(f"cardgym: {url} (Ctrl-C stops; games go on at the next start)", flush=True)
        if not alone:
            print("cardgym: whoever can reach this machine can play here", file=sys.stderr)
        if arguments.open:
            webbrowser.open(url)
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])


def configuration(app: Any, host: str, port: int, tables: int) -> Any:
    """How uvicorn serves the application: quiet, and bounded in connections and in the size of a request's head."""
    import uvicorn

    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="critical",  # Its warnings and errors would quote requests.
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        limit_concurrency=2 * tables + 1_000,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16 * 1024,
    )


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        raise CardgymError(f"cannot listen on {host}:{port}: {error.strerror or error}; try another --port") from None
    return listener

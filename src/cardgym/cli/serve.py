"""Play in the browser against agents, watch them play, and review your games. Everything works offline."""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import sys
import webbrowser

from cardgym.cli.flags import add_models, limit_models, open_log
from cardgym.console.arguments import Parser, parse_assignments, whole


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="who can connect: 127.0.0.1 is this machine only, 0.0.0.0 anyone who can reach it (127.0.0.1)",
    )
    parser.add_argument("--port", type=whole(0, 65535), default=8000, metavar="N", help="the port; 0 for any (8000)")
    parser.add_argument("--open", action="store_true", help="open a browser")
    parser.add_argument(
        "--tables", type=whole(1, 100_000), default=2_000, metavar="N", help="maximum number of tables in memory (2000)"
    )
    parser.add_argument(
        "--unfinished",
        type=whole(1, 100_000),
        default=100,
        metavar="N",
        help="maximum number of unfinished games per person (100)",
    )
    parser.add_argument(
        "--player",
        action="append",
        default=[],
        metavar="NAME=PLAYER",
        dest="players",
        help="offer a player by a name of yours: a path, or ./bot.py:choose, which runs here; may be repeated",
    )

    add_models(parser)


def run(arguments: argparse.Namespace) -> None:
    import uvicorn

    from cardgym.table.web.app import make_app
    from cardgym.table.web.protocol import listen, uvicorn_config
    from cardgym.table.web.safety import LOOPBACK

    limit_models(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # Before torch is loaded: small networks are fastest on one thread.
    players = parse_assignments(arguments.players, "mine=./bot.py:choose")
    private = arguments.host in LOOPBACK
    wildcard = arguments.host in ("0.0.0.0", "::", "")
    hosts = LOOPBACK if private else None if wildcard else (arguments.host, *LOOPBACK)
    with open_log() as game_log, listen(arguments.host, arguments.port) as listener:
        host, port = listener.getsockname()[:2]
        if not private:
            print("cardgym: anyone who can reach this machine can play here", file=sys.stderr, flush=True)
        name = _own_address() if wildcard else f"[{host}]" if ":" in host else host
        url = f"http://{name}:{port}/"
        address = "" if private else url
        limits = {"max_tables": arguments.tables, "max_unfinished": arguments.unfinished}
        app = make_app(game_log, hosts=hosts, shared=not private, address=address, players=players, **limits)
        print(f"cardgym: {url} (Ctrl-C stops the server; games continue at the next start)", flush=True)
        if not private:
            print("cardgym: people at other devices open this address; a table by link has a code to join", flush=True)
        config = uvicorn_config(app, arguments.host, arguments.port, arguments.tables)
        if arguments.open:
            webbrowser.open(url)
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])


def _own_address() -> str:
    """Get this machine's address on the local network, for people at other devices; `localhost` without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # Sends nothing: it only chooses the interface.
            return str(probe.getsockname()[0])
        except OSError:
            return "localhost"

"""Flags that several commands share, and what they mean."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cardgym.console.arguments import Parser, parse_assignments, whole
from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.scaling import ENGINES, Engine, make

if TYPE_CHECKING:
    from cardgym.table.game_log import GameLog

MAX_WORKERS = 100_000


def first_word(words: Sequence[str], prog: str, name: str, help: str) -> str | None:
    """Return the first word of a command whose other arguments depend on it; None after printing `help`."""
    if words and words[0] in ("-h", "--help"):
        print(f"usage: {prog} {name} ...\n\n{help.strip()}\n\n{prog} {name} --help lists its arguments.")
        return None
    if not words or words[0].startswith("-"):
        raise CardgymError(f"{name} comes first (see {prog} --help)")
    return words[0]


def add_game(parser: Parser) -> None:
    parser.add_argument("env", metavar="ENV", help="the game's id, as `cardgym games` lists it")
    add_options(parser)


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="options",
        help="an option of the game, such as num_players=4; may be repeated",
    )


def add_matches(parser: Parser, games: int) -> None:
    parser.add_argument(
        "--players",
        nargs="+",
        required=True,
        metavar="PLAYER",
        help="one per seat: a name that `cardgym games` lists, a path (.json, .safetensors, .zip), or ./bot.py:choose",
    )
    parser.add_argument("--games", type=whole(1, 10**40), default=games, metavar="N", help=f"number of games ({games})")
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="the seed of the deals (0)")


def add_models(parser: Parser) -> None:
    group = parser.add_argument_group("Language models, players llm:MODEL or llm:MODEL,KEY=VALUE,...")
    group.add_argument(
        "--max-requests", type=whole(0), metavar="N", help="stop after so many requests to the endpoint (no limit)"
    )
    group.add_argument(
        "--transcripts",
        type=Path,
        metavar="FILE",
        help="requests and answers as JSON lines; a run goes on from those it has (runs/llm/MODEL.jsonl)",
    )


def limit_models(arguments: argparse.Namespace) -> None:
    """Let the flags of `add_models` hold for all models of this process."""
    from cardgym.players.llm.settings import MAX_REQUESTS, TRANSCRIPTS

    for name, value in ((MAX_REQUESTS, arguments.max_requests), (TRANSCRIPTS, arguments.transcripts)):
        if value is not None:
            os.environ[name] = str(value)  # Processes that this one starts read it, too.


def add_engine(parser: Parser) -> None:
    group = parser.add_argument_group("Where it runs")
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in ENGINES.items())
    group.add_argument("--engine", choices=list(ENGINES), default="local", help=f"{meanings} (local)")
    group.add_argument(
        "--workers", type=whole(1, MAX_WORKERS), metavar="N", help="number of tasks that run at once (one per core)"
    )
    group.add_argument(
        "--address",
        metavar="HOST:PORT",
        help="the head of the Ray cluster (RAY_ADDRESS, or the cluster on this machine)",
    )


def open_engine(arguments: argparse.Namespace) -> Engine:
    return make(arguments.engine, arguments.workers, arguments.address)


def game_of(arguments: argparse.Namespace) -> tuple[Game, Options]:
    game = find(arguments.env)
    return game, game.parse_options(parse_assignments(arguments.options))


@contextlib.contextmanager
def open_log(path: Path | None = None) -> Iterator[GameLog]:
    """Open a game log, or the user's own.

    Where that one cannot be written, one line on stderr says so, and games are forgotten at the end.
    """
    from cardgym.table.game_log import GameLog, default_path

    with contextlib.ExitStack() as stack:
        try:
            path = path or _writable(default_path())
        except CardgymError as error:
            print(f"cardgym: games are not saved: {error}", file=sys.stderr, flush=True)
            folder = tempfile.TemporaryDirectory(prefix="cardgym-games-", ignore_cleanup_errors=True)
            path = Path(stack.enter_context(folder)) / "games.sqlite"
        yield stack.enter_context(contextlib.closing(GameLog(path)))


def _writable(path: Path) -> Path:
    """Check that a file can be written, or made with the folders that it needs, by trying it.

    What the system says of permissions is no answer: a root without its powers, a full quota or /proc refuse later.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):  # SQLite also writes beside its file.
            if path.exists():
                path.open("r+b").close()
    except OSError as error:
        raise CardgymError(
            f"cannot write {path}: {error.strerror or error}; name another folder with CARDGYM_DATA_DIR"
        ) from None
    return path

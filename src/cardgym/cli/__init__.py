"""The command `cardgym`. Each command is a module of its own here, imported when it is called.

A command's module has `add_arguments(parser)` and `run(arguments)`; its line of help stands in `COMMANDS`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence

from cardgym.cli.parser import Parser
from cardgym.errors import CardgymError, unknown

COMMANDS = {
    "games": "list the games, their options and players",
    "play": "play a game in the terminal",
    "evaluate": "play players against each other and report with intervals",
    "record": "write the transitions (s, a, r, s') of played games to a file",
    "solve": "solve a game of one player, or Coda with one tile each, and value its players exactly",
    "reproduce": "make a paper's results anew, as pages for people",
    "bench": "measure speed on this machine",
    "advise": "rank the 15 ways to toss a hand of cribbage",
    "cribbage-stats": "count the statistics of every hand of cribbage, exactly",
    "report": "make tables of saved evaluations and of your own games",
}
"""The commands: module names here (with _ for -), and what each does."""

BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
"""Exit codes besides 0; the last two are those of a shell for SIGINT and SIGPIPE."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: the words after `cardgym`; None takes them from `sys.argv`.

    Returns:
        The exit code: 0, 2 for bad input or a failing disk (with one line on stderr), 130 after Ctrl-C.
    """
    try:
        try:
            code = _run(list(sys.argv[1:] if argv is None else argv))
        except SystemExit as stop:  # argparse, after --help
            code = stop.code if isinstance(stop.code, int) else 0
        sys.stdout.flush()
        return code
    except CardgymError as error:
        return _fail(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "cardgym").startswith("cardgym"):
            raise
        return _fail(f"this needs the package {error.name}: pip install 'cardgym[learn]'")
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _silence_stdout()
        where = f" {error.filename}" if error.filename else ""
        return _fail(f"cannot read or write{where}: {error.strerror or error}")
    except KeyboardInterrupt:
        print("cardgym: interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if words[0] in ("-V", "--version"):
        from cardgym import __version__

        print(f"cardgym {__version__}")
        return 0
    name = words[0]
    if name not in COMMANDS:
        raise unknown("option" if name.startswith("-") else "command", name, COMMANDS)
    command = importlib.import_module(f"cardgym.cli.{name.replace('-', '_')}")
    parser = Parser(prog=f"cardgym {name}", description=command.__doc__)
    command.add_arguments(parser)
    return int(command.run(parser.parse_args(words[1:])) or 0)


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {what}" for name, what in COMMANDS.items()]
    return "\n".join(
        [
            "usage: cardgym COMMAND ...",
            "",
            "Card games as Gymnasium environments, and agents that learn them.",
            "",
            *lines,
            "",
            "cardgym COMMAND --help tells what a command takes.",
        ]
    )


def _fail(message: str) -> int:
    print(f"cardgym: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


def _silence_stdout() -> None:
    """Nothing more can be written there; let Python's flush at exit not say so again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

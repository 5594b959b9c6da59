"""Find and run a command, a module of this package.

The module is imported only when the command is called. It has either `add_arguments(parser)` and
`run(arguments)`, or `main(words) -> int` if it parses its own words.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence

from cardgym.console.arguments import Parser
from cardgym.console.streams import guarded
from cardgym.errors import CardgymError, nearest, quoted, unknown

COMMANDS = {
    "games": "list the games with their options and players",
    "play": "play a game in the terminal",
    "serve": "play in the browser",
    "train": "train an agent",
    "sweep": "train with several seeds and settings and report them together",
    "benchmark": "compare algorithms on small games by exact exploitability",
    "evaluate": "play players against each other and report with intervals",
    "tournament": "play every player against every other and rank them",
    "record": "write the decisions of played games to a dataset",
    "export": "write a network as an ONNX file",
    "exploit": "measure how much a player can be exploited",
    "solve": "solve a game exactly and value its players",
    "reproduce": "reproduce a paper's results as a page",
    "review": "review a recorded game: what every decision cost, and why",
    "report": "print your games as tables, export and import them",
    "compile": "compile games before they are used",
}
"""The commands, and their lines of help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0, 2 for bad input or a failing disk, 130 after Ctrl-C."""
    words = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: _run(words))


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if words[0] in ("-V", "--version"):
        from cardgym import __version__

        print(f"cardgym {__version__}")
        return 0
    name = words[0]
    if name.startswith("-"):
        hint = nearest(name, ("--help", "--version"))
        raise CardgymError(f"unknown option {quoted(name)}: {hint}a command comes first (see cardgym --help)")
    if name not in COMMANDS:
        raise unknown("command", name, COMMANDS)
    return _run_module(name, words[1:])


def _run_module(name: str, words: list[str]) -> int:
    module = importlib.import_module(f"cardgym.cli.{name}")
    if hasattr(module, "main"):
        return int(module.main(words))
    parser = Parser(prog=f"cardgym {name}", description=module.__doc__)
    module.add_arguments(parser)
    return int(module.run(parser.parse_args(words)) or 0)


def listing(lines: Mapping[str, str]) -> str:
    """Return names in a column, each with its line of help."""
    width = max(map(len, lines), default=0)
    return "\n".join(f"  {name:<{width}}  {line}" for name, line in lines.items())


def _help() -> str:
    return "\n".join(
        [
            "usage: cardgym COMMAND ...",
            "",
            "Card games as Gymnasium environments, and agents that learn them.",
            "",
            listing(COMMANDS),
            "",
            "cardgym COMMAND --help lists the arguments of a command.",
        ]
    )

"""What the coach says of a decision: each legal action with its value, the best first, and why.

The position is a decision of a game in the game log, or in a file that `cardgym report --export` wrote: the game's
number as `cardgym review --list` shows it, and the decision's as its review does. A game may also take a position in
words of its own.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.cli.parser import Parser, add_trust, first_word, whole
from cardgym.engine.registry import find, package_of
from cardgym.errors import CardgymError

if TYPE_CHECKING:
    from cardgym.table.advice import Advice

_LOGGED = ("--decision", "--game", "--log", "--coach")


def main(words: list[str]) -> int:
    """Advise on a decision of a saved game, or on a position in a game's own words.

    A game's module for positions has `add_arguments(parser)`, which adds `env` too, and `run(arguments)`.
    """
    name = first_word(words, "cardgym advise", "ENV", __doc__ or "")
    if name is None:
        return 0
    game = find(name)
    package = package_of(game)
    logged = any(word.partition("=")[0] in _LOGGED for word in words)
    if package is not None and package.positions and not logged:
        module = importlib.import_module(package.positions)
        parser = Parser(prog="cardgym advise", description=f"{module.__doc__}\n{_RECORDED}")
        module.add_arguments(parser)
        return int(module.run(parser.parse_args(words)) or 0)
    parser = Parser(prog=f"cardgym advise {game.id}", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="none: this game takes no position in words")
    parser.add_argument("--decision", type=whole(1), metavar="N", help="the decision's number in its review")
    parser.add_argument("--game", type=whole(1), metavar="N", help="the game's number (the last one of this game)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="a game log or its export (your own log)")
    parser.add_argument("--coach", metavar="PLAYER", help="a player for rollouts, or a Q-network (the game's adviser)")
    add_trust(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(words[1:])
    if arguments.words:
        raise CardgymError(
            f"advise: {game.id} takes no position in words such as {arguments.words[0]!r}; name a decision of a "
            "saved game with --decision (and --game), as `cardgym review` numbers them"
        )
    if arguments.decision is None:
        raise CardgymError("--decision is required: the number of a decision, as `cardgym review` shows it")
    advice, lines = _advise(game.id, arguments)
    if arguments.json:
        print(json.dumps(advice.asdict(), indent=2, allow_nan=False))
    else:
        from cardgym.table.terminal.style import Style

        print(Style.of().cards("\n".join(lines)))
    return 0


_RECORDED = """
A decision of a saved game instead: cardgym advise ENV --decision N [--game N] [--log FILE] [--coach PLAYER]."""


def _advise(env: str, arguments: Any) -> tuple[Advice, list[str]]:
    """The advice, and the position with the advice as lines."""
    from cardgym.cli.review import entries_of, entry_of
    from cardgym.table.coach import Coach
    from cardgym.table.presentation import board_of
    from cardgym.table.review import decisions_of
    from cardgym.table.terminal.style import fitted, size

    game = find(env)
    entry = entry_of(entries_of(arguments.log, env), arguments.game)
    events = decisions_of(entry)
    if arguments.decision > len(events):
        raise CardgymError(f"--decision {arguments.decision}: this game has {len(events)}")
    _, event = events[arguments.decision - 1]
    options = game.parse_options(entry["options"])
    advice = Coach(game, options, arguments.coach).advise(event.before, event.seat)
    width = size()[0]
    heading = fitted(f"Values ({advice.unit}, by {advice.source}):", width)
    lines = [*fitted(board_of(game, event.before, event.seat), width), "", *heading]
    for one in advice.actions:
        mark = ">" if one.action == event.move else " "
        error = f" +-{one.error:.2f}" if one.error else ""
        reason = f" ({one.reason})" if one.reason else ""
        lines += fitted(f" {mark} {one.value:7.2f}{error}  {one.text}{reason}", width)
    return advice, [*lines, "> is what was played."]

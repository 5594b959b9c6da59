"""Print the coach's advice on a decision: each legal action with its value and reason, best first.

The decision is one of a saved game, from your game log or from a file that `cardgym report --export` wrote: name the
game by its number in `cardgym review --list --env ENV` and the decision by its number in the review. Some games also
take a position as text.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from cardgym.cli.flags import first_word
from cardgym.console.arguments import Parser, whole
from cardgym.engine.contract import Game
from cardgym.engine.registry import find, package_of
from cardgym.errors import CardgymError

_OF_SAVED_GAMES = ("--decision", "--game", "--log", "--coach")
_SAVED_GAME = """
For a decision of a saved game: cardgym advise ENV --decision N [--game N] [--log FILE] [--coach PLAYER]."""


def main(words: list[str]) -> int:
    """Advise on a decision of a saved game or on a position as text.

    A game's module for positions has `add_arguments(parser)`, which adds `env` too, and `run(arguments)`.
    """
    name = first_word(words, "cardgym advise", "ENV", __doc__ or "")
    if name is None:
        return 0
    game = find(name)
    package = package_of(game)
    of_saved_game = any(word.partition("=")[0] in _OF_SAVED_GAMES for word in words)
    if package is not None and package.positions and not of_saved_game:
        module = package.positions()
        parser = Parser(prog="cardgym advise", description=f"{module.__doc__}\n{_SAVED_GAME}")
        module.add_arguments(parser)
        return int(module.run(parser.parse_args(words)) or 0)
    parser = Parser(prog=f"cardgym advise {game.id}", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="none: this game does not take positions as text")
    parser.add_argument("--decision", type=whole(1), metavar="N", help="the decision's number in the review")
    parser.add_argument("--game", type=whole(1), metavar="N", help="the game's number (the latest of this game)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="a game log or its export (your own log)")
    parser.add_argument("--coach", metavar="PLAYER", help="a player for playouts (the game's adviser)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(words[1:])
    if arguments.words:
        raise CardgymError(
            f"advise: {game.id} takes no position in words such as {arguments.words[0]!r}; name a decision of a "
            "saved game with --decision (and --game), as `cardgym review` numbers them"
        )
    if arguments.decision is None:
        raise CardgymError("--decision is required: the number of a decision, as `cardgym review` shows it")
    _advise(game, arguments)
    return 0


def _advise(game: Game, arguments: argparse.Namespace) -> None:
    from cardgym.cli.review import entry_of
    from cardgym.table.coach.coach import Coach
    from cardgym.table.coach.history import saved_games
    from cardgym.table.coach.review import decisions_of, names_of
    from cardgym.table.people import people_of
    from cardgym.table.terminal.review import advice_lines
    from cardgym.table.terminal.screen import Screen

    entry = entry_of(saved_games(arguments.log, game.id), arguments.game, game.id)
    decisions = decisions_of(entry)
    if arguments.decision > len(decisions):
        raise CardgymError(f"--decision {arguments.decision}: this game has {len(decisions)}")
    event = decisions[arguments.decision - 1]
    coach = Coach(game, game.parse_options(entry["options"]), arguments.coach)
    advice = coach.advise(event.before, event.seat, names_of(entry))
    if arguments.json:
        print(json.dumps(advice.asdict(), indent=2, allow_nan=False))
    else:
        screen = Screen()
        lines = advice_lines(game, event, advice, [event.seat], people_of(entry), screen)
        strength = screen.fitted(f"The coach: as a player it {advice.strength}.") if advice.strength else []
        screen.show([*lines, *strength])

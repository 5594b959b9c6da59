"""Playing any game in the terminal, in the words of its own `describe`, `action_text` and `narrate`."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardgym.play.human_game import HumanGame, Move
from cardgym.play.log import append

PERSON = "human"
"""The person's name in logs and reports."""


class Quit(Exception):  # noqa: N818 - no error: the person has had enough.
    """The person wants to leave."""


class Terminal:
    """A person at a table, asked and told in a terminal.

    Attributes:
        table: the table.
        log: where games are logged.
    """

    def __init__(
        self,
        table: HumanGame,
        log: Path,
        seed: int,
        ask: Callable[[str], str] = input,
        tell: Callable[[str], None] = print,
    ) -> None:
        self.table = table
        self.log = log
        self._seed = seed
        self._ask = ask
        self._tell = tell

    def play(self) -> None:
        """Play games until the person leaves. A game left unfinished is logged as such, if it was begun."""
        try:
            while True:
                self._game()
                self._prompt("Enter for another game, q to quit: ")
        except (Quit, EOFError, KeyboardInterrupt):
            self._tell("")
            if not self.table.over and self.table.decisions:
                self._write(finished=False)
                self._tell(f"Left unfinished; noted in {self.log}")

    def _game(self) -> None:
        table = self.table
        table.start()
        names = table.names("you")
        self._tell(f"\n{table.game.id}, game {table.number + 1} of seed {self._seed}")
        self._tell("\n".join(f"  seat {seat}: {name}" for seat, name in enumerate(names)))
        moves = table.advance()
        while not table.over:
            self._tell(_RULE)
            self._tell_moves(moves)
            actions = table.legal_actions()
            if len(actions) == 1:
                self._tell(f"  (all you can do: {table.game.words.action_text(table.state, actions[0])})")
                moves = table.advance(actions[0])
            else:
                moves = table.advance(self._choose(actions))
        self._tell(_RULE)
        self._tell_moves(moves)
        self._tell_result()
        self._write(finished=True)

    def _choose(self, actions: list[int]) -> int:
        self._show(actions)
        while True:
            answer = self._prompt(f"Your move (1-{len(actions)}, ? to see the table, q to quit): ")
            if answer == "?":
                self._show(actions)
            elif answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(actions):
                return actions[int(answer) - 1]
            else:
                what = f"{answer!r} is no move here" if answer else "Choose a move"
                self._tell(f"{what}: type a number from 1 to {len(actions)}, or q to quit.")

    def _prompt(self, text: str) -> str:
        try:
            answer = self._ask(text).strip()
        except UnicodeDecodeError:  # Bytes that are no text: no answer either.
            answer = "\N{REPLACEMENT CHARACTER}"
        if answer.lower() in ("q", "quit", "exit"):
            raise Quit
        return answer

    def _show(self, actions: list[int]) -> None:
        table = self.table
        self._tell("")
        self._tell(table.game.words.describe(table.state, table.seat))
        self._tell("")
        width = len(str(len(actions)))
        words = [
            f"{number:>{width}}  {table.game.words.action_text(table.state, action)}"
            for number, action in enumerate(actions, 1)
        ]
        self._tell(in_columns(words))

    def _tell_moves(self, moves: list[Move]) -> None:
        for move in moves:
            told = self.table.game.words.narrate(move.before, move.move, move.after, self.table.seat)
            for line in told.splitlines():
                self._tell(f"  {line}")

    def _tell_result(self) -> None:
        result = self._result(finished=True)
        self._tell(f"\nThe game is over. Won of {result['contests']:g}:")
        for player in sorted(result["players"], key=lambda player: int(player["seat"])):
            name = "you" if player["name"] == PERSON else player["name"]
            extra = "".join(
                f", {figure.replace('_', ' ')} {value:+g}"
                for figure, value in player["extra"].items()
                if not figure.endswith("_games") or value
            )
            self._tell(f"  seat {player['seat']}, {name}: {player['won']:g}, return {player['return']:+g}{extra}")
        self._tell(f"Noted in {self.log}")

    def _write(self, finished: bool) -> None:
        append(self.log, self._result(finished))

    def _result(self, finished: bool) -> dict[str, Any]:
        """The game as a line of the log; the person first, then the others in the order of play."""
        table = self.table
        game, state, num_seats = table.game, table.state, table.options.num_players
        names = table.names(PERSON)
        order = [(table.seat + ahead) % num_seats for ahead in range(num_seats)]
        return {
            "env": game.id,
            "settings": table.options.asdict(),
            "seed": self._seed,
            "game": table.number,
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "finished": finished,
            "contests": float(game.rules.max_score(state)),
            "players": [
                {
                    "name": names[seat],
                    "seat": seat,
                    "won": float(game.rules.score(state, seat)),
                    "return": float(table.paid[seat]),
                    "extra": {name: float(figure(state, seat)) for name, figure in game.metrics.items()},
                }
                for seat in order
            ],
        }


_RULE = "-" * 60


def in_columns(words: list[str], few: int = 12) -> str:
    """Words one a line, or side by side where there are more than a few."""
    if len(words) <= few:
        return "\n".join(f"  {word}" for word in words)
    wide = max(map(len, words)) + 3
    columns = max((shutil.get_terminal_size().columns - 2) // wide, 1)
    height = -(-len(words) // columns)
    return "\n".join(
        "  " + "".join(word.ljust(wide) for word in words[line::height]).rstrip() for line in range(height)
    )

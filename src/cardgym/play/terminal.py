"""Any game in the terminal, in the game's own words: `describe`, `action_text` and `narrate`."""

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


class Quit(Exception):  # noqa: N818 - leaving is no error.
    """The person wants to leave."""


class Terminal:
    """A person's games in a terminal.

    Attributes:
        human_game: the games.
        log: the file that games are logged in.
    """

    def __init__(
        self,
        human_game: HumanGame,
        log: Path,
        seed: int,
        ask: Callable[[str], str] = input,
        show: Callable[[str], None] = print,
    ) -> None:
        """Take the games, and the ways to ask the person and to show a text."""
        self.human_game = human_game
        self.log = log
        self._seed = seed
        self._ask = ask
        self._show = show

    def play(self) -> None:
        """Play games until the person leaves. A game left after the first decision is logged as unfinished."""
        try:
            while True:
                self._play_one()
                self._prompt("Enter for another game, q to quit: ")
        except (Quit, EOFError, KeyboardInterrupt):
            self._show("")
            if not self.human_game.over and self.human_game.decisions:
                append(self.log, self._result(finished=False))
                self._show(f"Left unfinished; logged in {self.log}")

    def _play_one(self) -> None:
        current = self.human_game
        current.start()
        names = current.names("you")
        self._show(f"\n{current.game.id}, game {current.number + 1} of seed {self._seed}")
        self._show("\n".join(f"  seat {seat}: {name}" for seat, name in enumerate(names)))
        moves = current.advance()
        while not current.over:
            self._show(_RULE)
            self._show_moves(moves)
            actions = current.legal_actions()
            if len(actions) == 1:
                self._show(f"  (your only move: {current.game.words.action_text(current.state, actions[0])})")
                moves = current.advance(actions[0])
            else:
                moves = current.advance(self._choose(actions))
        self._show(_RULE)
        self._show_moves(moves)
        self._show_result()
        append(self.log, self._result(finished=True))

    def _choose(self, actions: list[int]) -> int:
        self._show_decision(actions)
        while True:
            answer = self._prompt(f"Your move (1-{len(actions)}, ? to see the game again, q to quit): ")
            if answer == "?":
                self._show_decision(actions)
            elif answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(actions):
                return actions[int(answer) - 1]
            else:
                problem = f"{answer!r} is no move here" if answer else "Choose a move"
                self._show(f"{problem}: type a number from 1 to {len(actions)}, or q to quit.")

    def _prompt(self, text: str) -> str:
        try:
            answer = self._ask(text).strip()
        except UnicodeDecodeError:  # Bytes that are no text are no valid answer.
            answer = "\N{REPLACEMENT CHARACTER}"
        if answer.lower() in ("q", "quit", "exit"):
            raise Quit
        return answer

    def _show_decision(self, actions: list[int]) -> None:
        words, state = self.human_game.game.words, self.human_game.state
        self._show(f"\n{words.describe(state, self.human_game.seat)}\n")
        width = len(str(len(actions)))
        lines = [f"{number:>{width}}  {words.action_text(state, action)}" for number, action in enumerate(actions, 1)]
        self._show(in_columns(lines))

    def _show_moves(self, moves: list[Move]) -> None:
        for move in moves:
            text = self.human_game.game.words.narrate(move.before, move.move, move.after, self.human_game.seat)
            for line in text.splitlines():
                self._show(f"  {line}")

    def _show_result(self) -> None:
        result = self._result(finished=True)
        self._show(f"\nThe game is over. Scores out of {result['max_score']:g}:")
        for player in sorted(result["players"], key=lambda player: int(player["seat"])):
            name = "you" if player["name"] == PERSON else player["name"]
            metrics = "".join(
                f", {metric.replace('_', ' ')} {value:+g}"
                for metric, value in player["metrics"].items()
                if not metric.endswith("_games") or value
            )
            self._show(f"  seat {player['seat']}, {name}: {player['score']:g}, return {player['return']:+g}{metrics}")
        self._show(f"Logged in {self.log}")

    def _result(self, finished: bool) -> dict[str, Any]:
        """The game as a line of the log; the person first, then the others in the order of play."""
        current = self.human_game
        game, state, num_seats = current.game, current.state, current.options.num_players
        names = current.names(PERSON)
        order = [(current.seat + ahead) % num_seats for ahead in range(num_seats)]
        return {
            "env": game.id,
            "settings": current.options.asdict(),
            "seed": self._seed,
            "game": current.number,
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "finished": finished,
            "max_score": float(game.rules.max_score(state)),
            "players": [
                {
                    "name": names[seat],
                    "seat": seat,
                    "score": float(game.rules.score(state, seat)),
                    "return": float(current.paid[seat]),
                    "metrics": {name: float(metric(state, seat)) for name, metric in game.metrics.items()},
                }
                for seat in order
            ],
        }


_RULE = "-" * 60


def in_columns(texts: list[str], few: int = 12) -> str:
    """Texts one below the other, or in columns where there are more than `few`."""
    if len(texts) <= few:
        return "\n".join(f"  {text}" for text in texts)
    width = max(map(len, texts)) + 3
    columns = max((shutil.get_terminal_size().columns - 2) // width, 1)
    height = -(-len(texts) // columns)
    return "\n".join(
        "  " + "".join(text.ljust(width) for text in texts[line::height]).rstrip() for line in range(height)
    )

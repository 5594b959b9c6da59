"""Long commands take moments: large numbers on their command lines are replaced by small ones, for tests."""

from argparse import SUPPRESS
from typing import Any

import pytest

from cardgym.console.arguments import Parser

MOST: dict[str, float] = {
    # Arguments of commands.
    "budget": 1_000, "decisions": 1_000, "games": 20, "iterations": 1_000, "repeats": 1, "search": 4, "seconds": 0.05,
    "seeds": 1, "worlds": 64,
    # Keys of configs.
    "eval_games": 20, "final_games": 20, "games_per_iteration": 20, "learning_starts": 1_000, "num_envs": 64,
    "num_iterations": 5, "seed_deals": 200, "table_size": 100_000, "total_games": 256, "total_steps": 3_000,
    "update_epochs": 1,
}  # fmt: skip
"""The largest value of each argument; a key of a config has it even if the command line does not name the key."""
BY_ITSELF = {"budget", "games", "search"}
"""Arguments whose values a command chooses, large ones, where its line has none."""
SLOW = {"CorellianSpike-v0": "champion"}
"""By game, the player that `cardgym exploit` leaves out of those that it tries."""
_parse = Parser.parse_args


def parse_args(self: Parser, args: Any = None, namespace: Any = None) -> Any:
    """As `Parser.parse_args`, with small numbers."""
    values = vars(arguments := _parse(self, args, namespace))
    for action in self._actions:
        most = MOST.get(action.dest)
        given = values.get(action.dest, most if action.default is SUPPRESS else None)
        given = most if given is None and action.dest in BY_ITSELF else given
        if most is not None and isinstance(given, int | float):
            values[action.dest] = min(given, most)
        elif action.dest == "seeds" and isinstance(given, str):
            values[action.dest] = given.partition("-")[0]  # The first seed of a range.
        elif action.dest == "without" and values["env"] in SLOW:
            values["without"] = [*values["without"], SLOW[values["env"]]]
    return arguments


def shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process's commands short until the test ends."""
    monkeypatch.setattr(Parser, "parse_args", parse_args)

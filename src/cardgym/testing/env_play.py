"""What the checks of envs share: arguments to try, random legal actions, and outputs as plain values to compare."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options


def last_legal(observation: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> int:
    """A player that Python calls: the legal action of the highest number."""
    return int(np.flatnonzero(mask)[-1])


def env_arguments(
    game: Game, options: Options, players: Sequence[str] | None = None, observations: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Arguments of envs that together use every observation and every way to take and to oppose a seat.

    Args:
        game: the game.
        options: its options.
        players: the names of those to seat; `random` and all that the game brings if None.
        observations: the names of the observations, the default one first; all of the game if None.
    """
    own = options.asdict()
    last = options.num_players - 1
    players = ["random", *game.players] if players is None else players
    mixed = [players[i % len(players)] if i % 3 != 2 else last_legal for i in range(last)]
    arguments: list[dict[str, Any]] = [
        {**own},
        {**own, "seat": last, "opponent": players[-1] if last else "random"},
        {**own, "seat": "random", "opponent": mixed if last else "random", "obs_mode": "dict"},
        {**own, "seat": "all"},
    ]
    # The named players get the default observation: they are compiled with it anyway, and with others only for this.
    names = list(game.observations if observations is None else observations)
    for place, name in zip((1, 0, 2, 3), itertools.cycle(names), strict=False):
        arguments[place]["obs"] = name
    arguments += [{**own, "obs": name} for name in names[len(arguments) :]]
    return arguments


def call_text(game: Game, arguments: dict[str, Any]) -> str:
    """An env's making, as an error message names it."""
    return f"{game.id}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


class ActionChooser:
    """Random legal actions, from a stream of random numbers for each row."""

    def __init__(self, seed: int, num_rows: int) -> None:
        self._streams = [np.random.default_rng((seed, row)) for row in range(num_rows)]

    def one(self, mask: npt.NDArray[np.int8], row: int = 0) -> int:
        """An action for one row; `mask` is (actions,) int8."""
        actions = np.flatnonzero(mask)
        return int(actions[self._streams[row].integers(len(actions))])

    def many(self, masks: npt.NDArray[np.int8], rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Actions of all rows, (rows,) int64; 0 for those not in `rows`, (rows,) bool."""
        return np.array([self.one(mask, row) if rows[row] else 0 for row, mask in enumerate(masks)], np.int64)


def plain(data: Any) -> Any:
    """An observation or an info as nested plain values with their dtypes, to compare bit for bit."""
    if isinstance(data, np.ndarray):
        return (data.dtype.str, data.shape, data.tobytes()) if data.ndim else data.item()
    if isinstance(data, dict):
        return {name: plain(part) for name, part in data.items() if not name.startswith("_")}
    if isinstance(data, list | tuple):
        return [plain(part) for part in data]
    return data.item() if isinstance(data, np.generic) else data


def row_of(data: Any, row: int) -> Any:
    """One row of a vector env's observations or infos."""
    if isinstance(data, dict):
        return {name: row_of(part, row) for name, part in data.items() if not name.startswith("_")}
    return data[row]

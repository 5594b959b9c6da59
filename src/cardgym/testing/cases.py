"""Sets of options, arguments of envs and random legal actions for the checks; and outputs as values to compare."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError

# -- options -----------------------------------------------------------------------------------------------------------


def option_cases(game: Game, limit: int = 12) -> list[Options]:
    """Sets of options: the defaults, then others in which every option takes its values in turn.

    Numeric options with a wide range stay near their minimum or default, so that games are short. Invalid combinations
    are left out.
    """
    first = game.parse_options()
    values: dict[str, list[Any]] = {}
    for spec in dataclasses.fields(game.options):
        default = getattr(first, spec.name)
        if "choices" in spec.metadata:
            others = list(spec.metadata["choices"])
        else:
            low, high, step = (int(spec.metadata[key]) for key in ("low", "high", "step"))
            whole = range(low, high + 1, step)
            others = list(whole) if len(whole) <= 8 else [low, low + step, min(default + step, high)]
        values[spec.name] = [default, *(value for value in others if value != default)]
    cases: list[Options] = [first]
    for number in range(1, 4 * limit):
        chosen, stride_of = {}, dict.fromkeys(map(len, values.values()), 1)
        for name, allowed in values.items():
            chosen[name] = allowed[number // stride_of[len(allowed)] % len(allowed)]
            stride_of[len(allowed)] *= len(allowed)
        with contextlib.suppress(CardgymError):
            case = game.options(**chosen)
            if case not in cases:
                cases.append(case)
        if len(cases) == limit:
            break
    return cases


# -- envs --------------------------------------------------------------------------------------------------------------


def last_legal(observation: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> int:
    """A Python player: the legal action with the highest number."""
    return int(np.flatnonzero(mask)[-1])


def env_arguments(
    game: Game, options: Options, players: Sequence[str] | None = None, observations: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Arguments of envs that together use every observation, kind of seat and kind of opponent.

    Args:
        players: the names of the players to seat; by default `random` and all players of the game.
        observations: the names of the observations, the default one first; by default all of the game.
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
    # Compiled players get the default observation: other observations would need more kernels to be compiled.
    names = list(game.observations if observations is None else observations)
    for place, name in zip((1, 0, 2, 3), itertools.cycle(names), strict=False):
        arguments[place]["obs"] = name
    arguments += [{**own, "obs": name} for name in names[len(arguments) :]]
    return arguments


def call_text(game: Game, arguments: dict[str, Any]) -> str:
    """The call that creates an env, for error messages."""
    return f"{game.id}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


class ActionChooser:
    """Random legal actions, with a generator for each row."""

    def __init__(self, seed: int, num_rows: int) -> None:
        self._streams = [np.random.default_rng((seed, row)) for row in range(num_rows)]

    def one(self, mask: npt.NDArray[np.int8], row: int = 0) -> int:
        """An action for one row; `mask` is (actions,) int8."""
        actions = np.flatnonzero(mask)
        return int(actions[self._streams[row].integers(len(actions))])

    def many(self, masks: npt.NDArray[np.int8], rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """An action for each row, (rows,) int64; 0 where `rows`, (rows,) bool, is False."""
        return np.array([self.one(mask, row) if rows[row] else 0 for row, mask in enumerate(masks)], np.int64)


def plain(data: Any) -> Any:
    """An observation or info as nested plain values with dtypes, for exact comparison."""
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

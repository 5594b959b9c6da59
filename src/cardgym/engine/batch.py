"""Many games of one kind, stepped together by their kernel."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ADDRESSES, ANSWER, CALLER, PENALIZE, PER_ROW, ROW, kernel_of
from cardgym.engine.numba.compilation import name_entry_point
from cardgym.engine.states import NO_POLICY_TABLES, look
from cardgym.files.limits import check_memory

_FLOAT32, _INT8 = np.dtype(np.float32), np.dtype(np.int8)
_empty = np.empty
ROWS_PER_THREAD = 512
"""Threads share the rows of a step if each has at least so many: for fewer, handing them over takes longer."""


class Batch:
    """Many games of one kind, stepped together; each is a row.

    Attributes:
        game: the game.
        options: its options, the same in every row.
        kernel: the compiled functions.
        observation_size: how many float32 an observation has.
        num_actions: how many actions there are.
        plain_states: the records, one a row, as a structured array, which compiled functions take fastest.
        plain_rows: the bookkeeping of each row (`ROW`), likewise.
        answers: how each row stands after a step, an array (rows,) for each of `ANSWER`.
        paid: what the last step paid each seat, (rows, num_players), float64.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_rows: int,
        observation_name: str | None = None,
        policy_tables: npt.NDArray[np.int8] = NO_POLICY_TABLES,
        players: Iterable[str] = (),
        num_threads: int = 1,
    ) -> None:
        """Games in which compiled `players`, by name, may be seated besides `random` and the policy tables.

        With `num_threads`, that many threads share the rows of a step if there are enough (`ROWS_PER_THREAD`); what
        they play does not depend on it.

        Raises:
            CardgymError: for more games than fit in memory.
        """
        self.game = game
        self.options = options
        self.kernel = kernel_of(game, observation_name or game.default_observation, players)
        self.policy_tables = policy_tables
        self.num_actions = game.actions(options)
        self.observation_size = game.observation(self.kernel.observation_name).size(options)
        row_bytes = game.state.itemsize + ROW.itemsize + sum(dtype.itemsize for dtype in ANSWER.values()) + 9
        row_bytes += 8 * options.num_players + 2 * (
            4 * self.observation_size + self.num_actions
        )  # A step's outputs, and those of the last one.
        check_memory(f"{num_rows:,} games of {game.id} side by side", num_rows * row_bytes, "play fewer at once")
        # Every batch shares one dtype object: Numba recognises it at once, and would compare an equal copy each call.
        # Zeros: assigning skips the gaps between fields, and equal states must be equal bytes.
        self.plain_states: npt.NDArray[Any] = np.zeros(num_rows, game.state)
        self.plain_states[:] = np.asarray(game.new_record(options))
        self.plain_rows: npt.NDArray[Any] = np.zeros(num_rows, ROW)
        self.plain_rows["current_player"] = -1
        self.plain_rows["forfeited"] = -1
        self.plain_rows["lineup"] = CALLER
        self.answers = {name: np.zeros(num_rows, dtype) for name, dtype in ANSWER.items()}
        self.paid = np.zeros((num_rows, options.num_players))
        self._actions = np.zeros(num_rows, np.int64)
        self._commands = np.zeros(num_rows, np.uint8)
        self._num_ranges = max(1, min(num_threads, num_rows // ROWS_PER_THREAD))
        if self._num_ranges > 1:
            from cardgym.engine.threads import Crew

            self._crew = Crew(num_threads - 1)
        self._find_addresses()
        self._name_kernel()

    def _find_addresses(self) -> None:
        """Write down where the arrays lie, once for each range of rows that a thread steps."""
        bounds = [len(self) * part // self._num_ranges for part in range(self._num_ranges + 1)]
        self._ranges = [slice(*bound) for bound in itertools.pairwise(bounds)]
        self._addresses = np.zeros(self._num_ranges, ADDRESSES)
        arrays: dict[str, npt.NDArray[Any]] = {"states": self.plain_states, "rows": self.plain_rows, "paid": self.paid}
        arrays |= {"actions": self._actions, "commands": self._commands, **self.answers}
        for at, rows in zip(self._addresses, self._ranges, strict=True):
            for name, array in arrays.items():
                at[name] = array[rows].ctypes.data
            at["num_rows"] = rows.stop - rows.start
            at["tables"] = self.policy_tables.ctypes.data
            at["num_tables"], at["table_size"] = self.policy_tables.shape
        self._address = self._addresses.ctypes.data

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The arrays of a copy lie elsewhere."""
        self.__dict__.update(state)
        self._find_addresses()

    def _name_kernel(self) -> None:
        players = " and players" if len(self.kernel.players) > 1 else ""
        name_entry_point(f"{self.game.id} ({self.kernel.observation_name}{players})", self.kernel.step)

    def __len__(self) -> int:
        return len(self.plain_rows)

    @property
    def states(self) -> np.recarray[Any, Any]:
        """The records as an `np.recarray`, whose rows have the fields as attributes: for plain Python."""
        return self.plain_states.view(np.recarray)

    @property
    def rows(self) -> np.recarray[Any, Any]:
        """The bookkeeping of each row as an `np.recarray`."""
        return self.plain_rows.view(np.recarray)

    def new_outputs(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Fresh arrays for `step` to fill: observations (rows, size), float32, and masks (rows, actions), int8."""
        return (
            np.empty((len(self.plain_rows), self.observation_size), np.float32),
            np.empty((len(self.plain_rows), self.num_actions), np.int8),
        )

    def step(
        self,
        actions: npt.NDArray[np.integer[Any]] | int,
        commands: npt.NDArray[np.integer[Any]] | int,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        *,
        illegal: int = PENALIZE,
        skip: bool = False,
    ) -> tuple[float, int]:
        """Step every row as its command says; write the observation and the mask of the seat to decide then.

        Args:
            actions: (rows,), whole numbers; read where the command is STEP.
            commands: (rows,), or the same for all: NOOP, STEP or RESET.
            observations: (rows, size), float32, C-contiguous, filled but for rows that do nothing.
            masks: (rows, actions), int8, likewise; all ones at the end of a game.
            illegal: PENALIZE or RANDOM.
            skip: start another game where the caller would have nothing to decide in one.

        Returns:
            Of row 0: the caller's reward, and the seat to decide (-1 at the end).
        """
        command = PER_ROW
        if type(actions) is int and type(commands) is int:  # The quick way, for single envs.
            command = commands
        else:
            self._actions[:] = actions
            self._commands[:] = commands
            actions = 0
        how = actions, command, illegal, skip
        result: tuple[float, int]
        if self._num_ranges == 1:
            result = self.kernel.step(self._address, *how, observations.reshape(-1), masks.reshape(-1))
        else:
            calls: list[Any] = []
            for number, rows in enumerate(self._ranges):
                address = self._address + number * ADDRESSES.itemsize
                outputs = observations[rows].reshape(-1), masks[rows].reshape(-1)
                calls.append((self.kernel.step, (address, *how, *outputs)))
            result = self._crew.run(calls)
        return result

    def step_one(
        self, action: int, command: int, illegal: int, skip: bool
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8], tuple[float, int]]:
        """`step` in a batch of one row, but faster.

        Returns:
            Its observation (size,), float32, and mask (actions,), int8, both fresh, and what `step` returns.
        """
        observation = _empty(self.observation_size, _FLOAT32)
        mask = _empty(self.num_actions, _INT8)
        return observation, mask, self.kernel.step(self._address, action, command, illegal, skip, observation, mask)

    def look(
        self, seats: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """What a seat of each row knows: observations, masks (all 0 unless it is to decide) and state keys."""
        return look(self.game, self.options, self.plain_states, seats, self.kernel.observation_name)

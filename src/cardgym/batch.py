"""Many tables of one game, stepped together by its kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.compilation import announce
from cardgym.kernel import ANSWER, CALLER, PENALIZE, ROW, kernel_of
from cardgym.rules import Game, Options

NO_TABLES: npt.NDArray[np.int8] = np.zeros((1, 1), np.int8)


class Batch:
    """Many tables of one game, stepped together.

    Attributes:
        game: the game.
        options: its options, the same at every table.
        kernel: the compiled functions.
        observation_size: how many float32 an observation has.
        num_actions: how many actions there are.
        plain_states: the records, one a row, as a structured array, which compiled functions take fastest.
        plain_rows: the bookkeeping of each row (`ROW`), likewise.
        answers: how each row stood after the last step (`ANSWER`).
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_rows: int,
        encoding: str | None = None,
        tables: npt.NDArray[np.int8] = NO_TABLES,
        players: Iterable[str] = (),
    ) -> None:
        """Tables at which compiled `players`, by name, may be seated besides `random` and the tables of actions."""
        self.game = game
        self.options = options
        self.kernel = kernel_of(game, encoding or game.default_encoding, players)
        self.tables = tables
        self.num_actions = game.actions(options)
        self.observation_size = game.encoding(self.kernel.encoding).size(options)
        # Of the very dtype object that every batch has: Numba knows it at a glance, an equal one only by comparing.
        # Zeros, for assigning does not reach the gaps between fields: equal states are equal bytes.
        self.plain_states: npt.NDArray[Any] = np.zeros(num_rows, game.state)
        self.plain_states[:] = np.asarray(game.new_record(options))
        self.plain_rows: npt.NDArray[Any] = np.zeros(num_rows, ROW)
        self.plain_rows["actor"] = -1
        self.plain_rows["forfeited"] = -1
        self.plain_rows["lineup"] = CALLER
        self.answers: npt.NDArray[Any] = np.zeros(num_rows, ANSWER)
        self._actions = np.zeros(num_rows, np.int64)
        self._activities = np.zeros(num_rows, np.uint8)
        announce(f"{game.id} ({self.kernel.encoding}{' and players' if len(self.kernel.players) > 1 else ''})")

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
        activity: npt.NDArray[np.integer[Any]] | int,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        *,
        illegal: int = PENALIZE,
        skip: bool = False,
    ) -> tuple[float, int, int]:
        """Step every row as `activity` says; write the observation and the mask of the seat to decide then.

        Args:
            actions: (rows,), whole numbers; read where a row is ACTING.
            activity: (rows,), or the same for all: RESTING, ACTING or STARTING.
            observations: (rows, size), float32, filled but for resting rows.
            masks: (rows, actions), int8, likewise; all ones at the end of a game.
            illegal: PENALIZE or RANDOM.
            skip: start another game where the caller would have nothing to decide in one.

        Returns:
            Of row 0: the caller's reward, the seat to decide (-1 at the end), and the state's code.
        """
        if isinstance(actions, int) and isinstance(activity, int):  # The quick way, for single envs.
            self._actions.fill(actions)
            self._activities.fill(activity)
        else:
            self._actions[:] = actions
            self._activities[:] = activity
        result: tuple[float, int, int] = self.kernel.step(
            self.plain_states,
            self.plain_rows,
            self.tables,
            self._actions,
            self._activities,
            illegal,
            skip,
            observations,
            masks,
            self.answers,
        )
        return result

    def look(
        self, seats: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """What a seat of each row knows: observations, masks (all 0 unless it is to decide) and state codes."""
        observations, masks = self.new_outputs()
        codes = np.empty(len(self.plain_rows), np.int64)
        self.kernel.look(self.plain_states, seats, observations, masks, codes)
        return observations, masks, codes

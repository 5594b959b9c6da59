"""Games stepped together by one kernel, what a seat sees in them, and random legal actions for them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cardgym.engine.binding import bind_rules
from cardgym.engine.compilation import bound, compiled, name_entry_point, template
from cardgym.engine.contract import Float32s, Game, Int8s, Int64s, Options
from cardgym.engine.kernel import ADDRESSES, ANSWER, CALLER, PENALIZE, PER_ROW, ROW, kernel_of
from cardgym.engine.rules import Generator, derive, uniform_legal

NO_POLICY_TABLES: Int8s = np.zeros((1, 1), np.int8)
_FLOAT32, _INT8 = np.dtype(np.float32), np.dtype(np.int8)
_empty = np.empty
ROWS_PER_THREAD = 512
"""The minimum number of rows per thread; with fewer, handing them over costs more than it saves."""


class Follower(Protocol):
    """What is told of every step of a batch, such as a `cardgym.engine.chronicle.Chronicle`."""

    def follow(
        self, states: npt.NDArray[Any], rows: npt.NDArray[Any], actions: Any, commands: Any, illegal: int
    ) -> None:
        """Take note of a step; `states` and `rows`, (rows,), are copies from before it, the rest is `Batch.step`'s."""


class Batch:
    """Games with the same rules and options, stepped together; each game is a row.

    Attributes:
        num_actions: the length of an action mask.
        plain_states: the states, (rows,), as a structured array, which is the fastest to pass to compiled functions.
        plain_rows: the bookkeeping of the rows (`ROW`), (rows,), as a structured array.
        answers: what is known of each row after a step: an array (rows,) for each name in `ANSWER`.
        paid: what the last step paid each seat, (rows, num_players) float64.
        follower: what is told of every step; None for nothing.
    """

    follower: Follower | None = None

    def __init__(
        self,
        game: Game,
        options: Options,
        num_rows: int,
        observation_name: str | None = None,
        policy_tables: Int8s = NO_POLICY_TABLES,
        players: Iterable[str] = (),
        num_threads: int = 1,
    ) -> None:
        """Create the games.

        Args:
            observation_name: an observation; the game's default if None.
            policy_tables: (tables, info states) int8, actions by info state index.
            players: names of compiled players to include in addition to `random`.
            num_threads: the maximum number of threads that share a step; each gets at least `ROWS_PER_THREAD` rows.
                The games do not depend on it.

        Raises:
            CardgymError: if the games do not fit in memory.
        """
        self.game = game
        self.options = options
        self.kernel = kernel_of(game, observation_name or game.default_observation, players)
        self.policy_tables = policy_tables
        self.num_actions = game.actions(options)
        self.observation_size = game.observation(self.kernel.observation_name).size(options)
        row_bytes = game.state.itemsize + ROW.itemsize + sum(dtype.itemsize for dtype in ANSWER.values()) + 9
        outputs = 4 * self.observation_size + self.num_actions
        row_bytes += 8 * options.num_players + 2 * outputs  # Those of this step and of the last one.
        if num_rows > 1:
            from cardgym.files.limits import check_memory

            check_memory(f"{num_rows:,} games of {game.id} side by side", num_rows * row_bytes, "play fewer at once")
        # All batches share one dtype object, because Numba compares dtypes by identity first.
        # Zeros, because assignment skips the gaps between fields and equal states must have equal bytes.
        self.plain_states: npt.NDArray[Any] = np.zeros(num_rows, game.state)
        self.plain_states[:] = np.asarray(game.blank_state(options))
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
            from cardgym.engine.threads import ThreadPool

            self._threads = ThreadPool(num_threads - 1)
        self._find_addresses()
        seated = " and players" if len(self.kernel.players) > 1 else ""
        name_entry_point(f"{game.id} ({self.kernel.observation_name}{seated})", self.kernel.step)

    def _find_addresses(self) -> None:
        """Store the addresses of the arrays, once for the rows of each thread."""
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
        """Restore a copy, whose arrays have new addresses."""
        self.__dict__.update(state)
        self._find_addresses()

    def __len__(self) -> int:
        return len(self.plain_rows)

    @property
    def states(self) -> np.recarray[Any, Any]:
        """The states as an `np.recarray`, whose rows have the fields as attributes: for plain Python."""
        return self.plain_states.view(np.recarray)

    @property
    def rows(self) -> np.recarray[Any, Any]:
        """The bookkeeping of the rows as an `np.recarray`."""
        return self.plain_rows.view(np.recarray)

    def new_outputs(self) -> tuple[Float32s, Int8s]:
        """Return new arrays for `step` to fill: observations (rows, size) float32 and masks (rows, actions) int8."""
        return (
            np.empty((len(self.plain_rows), self.observation_size), np.float32),
            np.empty((len(self.plain_rows), self.num_actions), np.int8),
        )

    def step(
        self,
        actions: npt.NDArray[np.integer[Any]] | int,
        commands: npt.NDArray[np.integer[Any]] | int,
        observations: Float32s,
        masks: Int8s,
        *,
        illegal: int = PENALIZE,
        skip: bool = False,
    ) -> tuple[float, int]:
        """Execute every row's command, then write the observation and mask of the seat to decide.

        Args:
            actions: (rows,) integers, used where the command is STEP; or one for all rows.
            commands: (rows,): NOOP, STEP or RESET; or one for all rows.
            observations: (rows, size) float32, C-contiguous; rows that do nothing are unchanged.
            masks: (rows, actions) int8, C-contiguous; all ones at the end of a game.
            illegal: PENALIZE or RANDOM.
            skip: on reset, skip games in which the caller has no decision.

        Returns:
            The caller's reward and the seat to decide (-1 at the end), both of row 0.
        """
        if self.follower is not None:
            before, given = (self.plain_states.copy(), self.plain_rows.copy()), (actions, commands)
        command = PER_ROW
        if type(actions) is int and type(commands) is int:  # Faster, for single envs.
            command = commands
        else:
            self._actions[:] = actions
            self._commands[:] = commands
            actions = 0
        arguments = actions, command, illegal, skip
        result: tuple[float, int]
        if self._num_ranges == 1:
            result = self.kernel.step(self._address, *arguments, observations.reshape(-1), masks.reshape(-1))
        else:
            calls: list[Any] = []
            for number, rows in enumerate(self._ranges):
                address = self._address + number * ADDRESSES.itemsize
                outputs = observations[rows].reshape(-1), masks[rows].reshape(-1)
                calls.append((self.kernel.step, (address, *arguments, *outputs)))
            result = self._threads.run(calls)
        if self.follower is not None:
            self.follower.follow(*before, *given, illegal)
        return result

    def step_one(
        self, action: int, command: int, illegal: int, skip: bool
    ) -> tuple[Float32s, Int8s, tuple[float, int]]:
        """Step a batch of one row: `step`, but faster.

        Returns a new observation (size,) float32, a new mask (actions,) int8, and the result of `step`.
        """
        observation = _empty(self.observation_size, _FLOAT32)
        mask = _empty(self.num_actions, _INT8)
        if self.follower is not None:
            before = self.plain_states.copy(), self.plain_rows.copy()
        answer = self.kernel.step(self._address, action, command, illegal, skip, observation, mask)
        if self.follower is not None:
            self.follower.follow(*before, action, command, illegal)
        return observation, mask, answer


# -- what a seat sees --------------------------------------------------------------------------------------------------


def look(
    game: Game,
    options: Options,
    states: npt.NDArray[Any],
    seats: Int64s,
    observation_name: str | None = None,
) -> tuple[Float32s, Int8s, Int64s]:
    """Return what `seats[i]` sees in `states[i]`, in any of the game's observations.

    Returns observations (rows, size) float32; masks (rows, actions) int8, all 0 unless the seat is to decide; and keys
    of what the seats know, (rows,) int64.
    """
    name = observation_name or game.default_observation
    observations = np.empty((len(states), game.observation(name).size(options)), np.float32)
    masks = np.empty((len(states), game.actions(options)), np.int8)
    keys = np.empty(len(states), np.int64)
    look_into(game, name, np.asarray(states).view(game.state), seats, observations, masks, keys)
    return observations, masks, keys


def look_into(
    game: Game,
    observation_name: str,
    states: npt.NDArray[Any],
    seats: Int64s,
    observations: Float32s,
    masks: Int8s,
    keys: Int64s,
) -> None:
    """Write the results of `look` into the given arrays."""
    bind_rules(_look, game, observation_name)(states, seats, observations, masks, keys)


@template
def _look(states: Any, seats: Any, observations: Any, masks: Any, keys: Any) -> None:
    for i in range(states.shape[0]):
        state = states[i]
        masks[i, :] = 0
        if bound.num_chance_outcomes(state) == 0 and bound.current_player(state) == seats[i]:
            bound.legal_action_mask(state, masks[i])
        bound.observe(state, seats[i], observations[i])
        keys[i] = bound.info_state_key(state, seats[i])


# -- random actions ----------------------------------------------------------------------------------------------------


class LegalSampler:
    """Draws actions uniformly over the legal ones: `actions = sampler(info["action_mask"])`.

    Samplers with the same seed draw the same actions.
    """

    def __init__(self, seed: int = 0) -> None:
        self._generator: Generator = np.array([derive(np.uint64(seed), np.uint64(0)), 0], np.uint64)

    def __call__(self, masks: Int8s) -> Int64s:
        """Actions, (rows,) int64, for masks (rows, actions) int8 with at least one legal action in each row."""
        actions = np.empty(len(masks), np.int64)
        _sample(np.ascontiguousarray(masks), self._generator, actions)
        return actions


@compiled
def _sample(masks: Int8s, generator: Generator, actions: Int64s) -> None:
    for row in range(masks.shape[0]):
        actions[row] = uniform_legal(masks[row], generator)

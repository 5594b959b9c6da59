"""A batch whose seats are taken by players, so that only the caller's decisions come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import NO_POLICY_TABLES, Batch
from cardgym.engine.contract import Game, Options
from cardgym.engine.generator import derive
from cardgym.engine.kernel import CALLER, MAX_PLAYERS, NOOP, PENALIZE, RESET, STEP, kernel_of
from cardgym.players.base import BatchPolicy, CompiledPlayer, Player, TablePlayer, checked_actions


class SeatedBatch:
    """Many tables of one game, with a roster of players to seat at them.

    Attributes:
        batch: the tables.
        roster: the players that can be seated; `numbers[i]` is the policy number of `roster[i]`.
        paid: what the last step paid each seat, (rows, 8), float64; the next step may overwrite it.
        observations: what the seat to decide knows, (rows, size), float32, after each step.
        masks: what it may do, (rows, actions), int8.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_rows: int,
        roster: Sequence[Player] = (),
        observation_name: str | None = None,
    ) -> None:
        self.roster = tuple(roster)
        tables = [player.actions for player in self.roster if isinstance(player, TablePlayer)]
        names = [player.name for player in self.roster if isinstance(player, CompiledPlayer)]
        self.batch = Batch(
            game, options, num_rows, observation_name, np.stack(tables) if tables else NO_POLICY_TABLES, names
        )
        self._outside: dict[int, BatchPolicy] = {}
        self.numbers: list[int] = []
        next_table = len(self.batch.kernel.players)
        for player in self.roster:
            if isinstance(player, CompiledPlayer):
                self.numbers.append(self.batch.kernel.players.index(player.name))
            elif isinstance(player, TablePlayer):
                self.numbers.append(next_table)
                next_table += 1
            else:
                self.numbers.append(CALLER - 1 - len(self._outside))
                self._outside[self.numbers[-1]] = player
        self.observations, self.masks = self.batch.new_outputs()
        self.paid = np.zeros((num_rows, MAX_PLAYERS), np.float64)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Of a copy, `paid` is again what its own rows were paid, and no array of its own."""
        self.__dict__.update(state)
        if not self._outside:
            self.paid = self.batch.plain_rows["paid"]

    def seed(self, keys: npt.NDArray[np.uint64], games: npt.NDArray[np.uint64] | int = 0) -> None:
        """Give each row its key and the number of its next game; a game's cards depend on the two alone."""
        self.batch.plain_rows["key"] = keys
        self.batch.plain_rows["games"] = games

    def seat(self, lineup: Sequence[int], rows: npt.NDArray[np.int64] | slice = slice(None), wish: int = 0) -> None:
        """Take seats from the next game on.

        Args:
            lineup: policy numbers in the order of play; `CALLER` for the caller.
            rows: which rows.
            wish: the seat of the first of them, ANY_SEAT or EVERY_SEAT.
        """
        self.batch.plain_rows["lineup"][rows, : len(lineup)] = lineup
        self.batch.plain_rows["requested_seat"][rows] = wish

    def step(
        self,
        actions: npt.NDArray[np.int64] | int,
        command: npt.NDArray[np.uint8] | int,
        *,
        illegal: int = PENALIZE,
        skip: bool = False,
    ) -> None:
        """Step the rows, and ask the players outside the kernel until the caller is to decide or games have ended.

        New arrays `observations` and `masks` are filled; resting rows keep theirs. See `Batch.step`.
        """
        rows = self.batch.plain_rows
        observations, masks = self.batch.new_outputs()
        if np.any(command == NOOP):
            observations[:] = self.observations
            masks[:] = self.masks
        self.batch.step(actions, command, observations, masks, illegal=illegal, skip=skip)
        self.paid = rows["paid"].copy() if self._outside else rows["paid"]
        while self._outside:
            waiting = (rows["pending_policy"] < CALLER) & (command != NOOP)
            if not waiting.any():
                break
            answers = np.zeros(len(rows), np.int64)
            for number, player in self._outside.items():
                asked = np.flatnonzero(waiting & (rows["pending_policy"] == number))
                if len(asked):
                    answers[asked] = self._ask(player, asked, observations, masks)
            self.batch.step(answers, np.where(waiting, STEP, NOOP).astype(np.uint8), observations, masks)
            self.paid[waiting] += rows["paid"][waiting]
            if skip:
                self._start_again(command, observations, masks)
        self.observations, self.masks = observations, masks

    def act(self, action: int, illegal: int) -> tuple[float, int, int]:
        """Play an action in a batch of one row; the quick way to `step` for single envs.

        Returns:
            The caller's reward, the seat to decide (-1 at the end), and the state's code.
        """
        action = action if -1 < action < 2**31 else -1
        if self._outside:
            self.step(action, STEP, illegal=illegal)
            answer = self.batch.answers[0]
            return float(answer["reward"]), int(answer["current_player"]), int(answer["code"])
        self.observations, self.masks = self.batch.new_outputs()
        return self.batch.step(action, STEP, self.observations, self.masks, illegal=illegal)

    def _start_again(
        self,
        command: npt.NDArray[np.uint8] | int,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
    ) -> None:
        """Rows that were to start, and ended while outside players decided, start once more."""
        rows = self.batch.plain_rows
        again = (command == RESET) & (rows["pending_policy"] == 0)
        if again.any():
            self.batch.step(
                np.zeros(len(again), np.int64),
                np.where(again, RESET, NOOP).astype(np.uint8),
                observations,
                masks,
                skip=True,
            )
            self.paid[again] = rows["paid"][again]

    def _ask(
        self,
        player: BatchPolicy,
        rows: npt.NDArray[np.int64],
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
    ) -> npt.NDArray[np.int64]:
        seen = observations[rows]
        if player.observation_name not in (None, self.batch.kernel.observation_name):
            seen = self.look(
                rows, self.batch.plain_rows["current_player"][rows].astype(np.int64), player.observation_name
            )[0]
        return checked_actions(player, player.act(seen, masks[rows]), masks[rows])

    def answers(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What players outside the kernel do in rows that wait for one, (rows,) int64; nothing is played."""
        actions = np.empty(len(rows), np.int64)
        waits_for = self.batch.plain_rows["pending_policy"][rows]
        for number, player in self._outside.items():
            places = np.flatnonzero(waits_for == number)
            if len(places):
                asked = rows[places]
                seen, masks, _ = self.look(
                    asked, self.batch.plain_rows["current_player"][asked].astype(np.int64), player.observation_name
                )
                actions[places] = checked_actions(player, player.act(seen, masks), masks)
        return actions

    def look(
        self, rows: npt.NDArray[np.int64], seats: npt.NDArray[np.int64], observation_name: str | None = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """What `seats[i]` of row `rows[i]` knows in any encoding: observations, masks and state codes."""
        game = self.batch.game
        kernel = kernel_of(game, observation_name or self.batch.kernel.observation_name)
        observations = np.empty(
            (len(rows), game.observation(kernel.observation_name).size(self.batch.options)), np.float32
        )
        masks = np.empty((len(rows), self.batch.num_actions), np.int8)
        codes = np.empty(len(rows), np.int64)
        kernel.look(self.batch.plain_states[rows], seats, observations, masks, codes)
        return observations, masks, codes


def game_keys(seed: int, num_games: int) -> npt.NDArray[np.uint64]:
    """Keys, uint64, that `num_games` games of one seed are dealt from; the same for every line-up."""
    return np.array([derive(np.uint64(seed), np.uint64(number)) for number in range(num_games)], np.uint64)

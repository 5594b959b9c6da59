"""What the seats of a batch's games are told of every move, those inside the kernel included."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import Batch
from cardgym.engine.contract import State
from cardgym.engine.kernel import NOOP, RANDOM, RESET
from cardgym.engine.rules import uniform_legal
from cardgym.engine.sight import narrate
from cardgym.engine.states import SingleGame, record, row_moves
from cardgym.engine.text import TextView, view_in_text


class Chronicle:
    """What the seats of some players have been told of the game in each row of a batch.

    A kernel plays many moves in a step and keeps none. After each step, the moves are therefore made again from a copy
    of the row, whose generators draw the same.

    Attributes:
        readers: the policy numbers of the players whose seats are told.
    """

    def __init__(self, batch: Batch) -> None:
        self.readers: set[int] = set()
        self._batch = batch
        self._told: list[dict[int, list[str]]] = [{} for _ in range(len(batch))]
        self._num_old: list[dict[int, int]] = [{} for _ in range(len(batch))]

    def view(self, row: int, seat: int, parses: bool = True) -> TextView:
        """Return the game of a row in words, as `seat` knows it; see `view_in_text`."""
        batch = self._batch
        state, game = batch.states[row], batch.game
        position = SingleGame(game, batch.options, batch.plain_states[row : row + 1])
        position.refresh()
        decides = position.current_player == seat and batch.plain_rows["forfeited"][row] < 0
        legal = position.legal_actions() if decides else []
        told, num_old = self._told[row].get(seat, ()), self._num_old[row].get(seat, 0)
        return view_in_text(game, batch.options, state, seat, legal, told, num_old, parses)

    def begin(self, row: int) -> None:
        """Forget the game of a row: the next one begins."""
        self._told[row], self._num_old[row] = {}, {}

    def tell(self, row: int, mover: int, before: State, move: int, after: State) -> None:
        """Tell the seats of the readers about a move; `mover` is the seat that decided, or CHANCE."""
        game, policies = self._batch.game, self._batch.plain_rows["policies"][row]
        for seat in range(self._batch.options.num_players):
            if policies[seat] in self.readers:
                told = self._told[row].setdefault(seat, [])
                if seat == mover:
                    self._num_old[row][seat] = len(told)
                told += filter(None, [narrate(game, before, move, after, seat)])

    def follow(
        self, states: npt.NDArray[Any], rows: npt.NDArray[Any], actions: Any, commands: Any, illegal: int
    ) -> None:
        """Tell of the moves of a step, see `Batch.step`; `states` and `rows`, (rows,), are copies from before it."""
        actions, commands = (np.broadcast_to(values, len(rows)) for values in (actions, commands))
        for row in np.flatnonzero(commands != NOOP).tolist():
            state, line = states[row : row + 1], rows[row : row + 1]
            self._follow(row, state, line, int(actions[row]), int(commands[row]), illegal)

    def _follow(
        self, row: int, state: npt.NDArray[Any], line: npt.NDArray[Any], action: int, command: int, illegal: int
    ) -> None:
        batch = self._batch
        start, next_move = row_moves(batch.kernel)
        position = SingleGame(batch.game, batch.options, state)
        mask, move = np.zeros(batch.num_actions, np.int8), -1
        if command == RESET:
            self.begin(row)
            line["games"] = batch.plain_rows["games"][row] - np.uint64(1)  # Earlier ones were skipped.
            start(state, line)
        position.refresh()
        if command != RESET:
            move = action
            if not position.allows(move):
                if illegal != RANDOM:
                    return  # The seat has forfeited the game.
                move = int(uniform_legal(position.legal_action_mask(), line[0]["choice"]))
        while True:
            if move >= 0:
                mover, before = position.current_player, record(state.copy())
                position.apply_action(move)
                self.tell(row, mover, before, move, record(state.copy()))
            move = int(next_move(state, line, batch.policy_tables, mask))
            if move < 0:
                return

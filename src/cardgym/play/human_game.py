"""A game that a person plays, move by move, so that every move can be shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import announce, bound, template
from cardgym.engine.contract import Game, Options, Record
from cardgym.engine.generator import derive
from cardgym.engine.kernel import ANY_SEAT, CALLER, NOBODY, Kernel
from cardgym.errors import CardgymError
from cardgym.players.base import Player
from cardgym.players.seating import SeatedBatch

_STREAM = np.uint64(0x91A7)
"""The stream of the deals of people's games."""


@dataclass(frozen=True)
class Move:
    """A move that was made: the state before and after it, and the seat that decided, -1 for chance."""

    before: Record
    move: int
    after: Record
    seat: int


class HumanGame:
    """Games of a person with players: `start` starts the next one, `advance` plays up to the person's decision.

    Attributes:
        game: the game.
        options: its options.
        seat: the person's seat in this game.
        number: the number of this game, from 0.
        paid: what this game has paid each seat, (num_players,), float64.
        decisions: how many decisions the person has made in it.
    """

    def __init__(
        self, game: Game, options: Options, opponents: Sequence[Player], *, seat: int | None, seed: int
    ) -> None:
        """Seat the players.

        Args:
            game: the game.
            options: its options.
            opponents: the players in the other seats, in the order of play after the person.
            seat: the person's seat; None draws it for each game.
            seed: the seed of the deals.
        """
        self.game = game
        self.options = options
        self._opponents = tuple(opponents)
        self._played = SeatedBatch(game, options, 1, opponents)
        self._played.seat([CALLER, *self._played.numbers], requested_seat=ANY_SEAT if seat is None else seat)
        self._played.seed(np.array([derive(np.uint64(seed), _STREAM)], np.uint64))
        self._start, self._next, self._apply = _compiled(self._played.batch.kernel)
        self._mask = np.zeros(game.actions(options), np.int8)
        self._row = self._played.batch.rows[0]
        self.seat = 0
        self.number = -1
        self.paid: npt.NDArray[np.float64] = np.zeros(options.num_players, np.float64)
        self.decisions = 0
        announce(f"{game.id} (play)", self._next)

    @property
    def state(self) -> Record:
        """The state of the game."""
        return self._played.batch.states[0]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._row.pending_policy == NOBODY)

    def start(self) -> None:
        """Start the next game."""
        batch = self._played.batch
        self._start(batch.plain_states, batch.plain_rows)
        self.seat = int(self._row.seat)
        self.number += 1
        self.paid[:] = 0.0
        self.decisions = 0

    def names(self, person: str) -> list[str]:
        """The names by seat; the person goes by `person`."""
        order = [person, *(player.name for player in self._opponents)]
        return [order[(seat - self.seat) % len(order)] for seat in range(len(order))]

    def legal_actions(self) -> list[int]:
        """The person's legal actions."""
        return [int(action) for action in np.flatnonzero(self._mask)]

    def advance(self, action: int | None = None) -> list[Move]:
        """Play the person's action, if there is one, and on until the person is to decide or the game ends.

        Raises:
            CardgymError: for an action that is not legal now.
        """
        batch, rules = self._played.batch, self.game.rules
        moves: list[Move] = []
        chosen = -1
        if action is not None:
            if action not in self.legal_actions():
                raise CardgymError(f"action {action} is not legal; allowed are {self.legal_actions()}")
            chosen = action
            self.decisions += 1
        while True:
            before = batch.states.copy()[0]
            if chosen < 0:
                chosen = int(self._next(batch.plain_states, batch.plain_rows, batch.policy_tables, self._mask))
            if chosen < 0:
                if self._row.pending_policy >= CALLER:
                    return moves
                chosen = int(self._played.pending_actions(np.zeros(1, np.int64))[0])
            seat = -1 if rules.num_chance_outcomes(before) > 0 else int(rules.current_player(before))
            self._apply(batch.plain_states, chosen, self.paid)
            moves.append(Move(before, chosen, batch.states.copy()[0], seat))
            chosen = -1


# -- compiled ---------------------------------------------------------------------------------------------------------


@template
def _start(states: Any, rows: Any) -> None:
    bound.prepare(states[0], rows[0])


@template
def _next(states: Any, rows: Any, policy_tables: Any, mask: Any) -> int:
    return int(bound.next_move(states[0], rows[0], policy_tables, mask))


@template
def _apply(states: Any, move: int, paid: Any) -> None:
    bound.apply_action(states[0], move)
    bound.rewards(states[0], paid)


@cache
def _compiled(kernel: Kernel) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    return kernel.entry_point(_start), kernel.entry_point(_next), kernel.entry_point(_apply)

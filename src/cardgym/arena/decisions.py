"""Recorded decisions of all seats: what each saw, what it did and what it was paid, for learners from data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Int64s, Options
from cardgym.engine.kernel import CALLER, EVERY_SEAT, NOOP, RESET, STEP
from cardgym.engine.rules import derive
from cardgym.players import Player, TextPlayer
from cardgym.players.mixtures import MixturePlayer, drawn
from cardgym.players.seats import SeatedBatch

Columns = dict[str, npt.NDArray[Any]]
"""The columns of a recording by name, each with a row for each decision; see `DecisionRecorder.columns`."""

ROWS = 1024
"""The maximum number of games recorded in parallel."""

_NUMBERS = 1 << 17
"""Numbers that the observations of all games in parallel have at most, unless a single game has more."""

_STREAM = np.uint64(0x2EC0DE)
"""The stream of the deals of recorded games."""


class DecisionRecorder:
    """Plays games and records the decisions of all seats.

    Deal by deal, the players take every seat: game `g` is deal `g // seats`, and player `p` has seat
    `(p + g) % seats`. A game is the same however many are played at once.

    Attributes:
        rows: how many games are played in parallel.
    """

    def __init__(self, game: Game, options: Options, roster: Sequence[Player], *, seed: int) -> None:
        """Seat the players, one for each seat."""
        self._game, self._options, self._roster = game, options, tuple(roster)
        size = game.observation(game.default_observation).size(options)
        self.rows = min(max(_NUMBERS // size, 1), ROWS)
        self._key = np.uint64(derive(np.uint64(seed), _STREAM))
        self._seated = SeatedBatch(game, options, self.rows)
        if any(isinstance(player, TextPlayer) for player in roster):
            self._seated.tell([CALLER])
        self._seated.seat([CALLER] * options.num_players, requested_seat=EVERY_SEAT)

    def columns(self) -> Columns:
        """Return the columns, without rows.

        `observations` (rows, size) float32 and `masks` (rows, actions) int8 are what the seat saw; `actions` int32 what
        it did; `rewards` float64 what it was paid until its next decision, before its first one included; `ends`
        whether it was its last decision of the game; `seat` and `player` int8, the number of the player in the order
        they were named; `game` int64.
        """
        observations, masks = self._seated.batch.new_outputs()
        kinds = {"actions": np.int32, "rewards": np.float64, "ends": np.bool_, "seat": np.int8, "player": np.int8}
        rest: Columns = {name: np.empty(0, kind) for name, kind in {**kinds, "game": np.int64}.items()}
        return {"observations": observations[:0], "masks": masks[:0], **rest}

    def play(self, first: int, count: int) -> Columns:
        """Play the games `first` to `first + count - 1`, at most `rows` of them, and record them in their order."""
        seated, seats = self._seated, self._options.num_players
        numbers = np.arange(first, first + self.rows)
        playing = np.arange(self.rows) < count
        seated.seed(np.full(self.rows, self._key, np.uint64), (numbers // seats).astype(np.uint64))
        seated.step(np.zeros(self.rows, np.int64), np.where(playing, RESET, NOOP).astype(np.uint8))
        paid = seated.paid.copy()
        before = np.zeros_like(paid)  # What each seat had been paid at its last decision.
        last = np.full(paid.shape, -1, np.int64)  # The place of that decision in the recording.
        steps: list[Columns] = []
        closed: list[tuple[Int64s, npt.NDArray[np.float64]]] = []
        size = 0
        while (rows := np.flatnonzero(playing & (seated.batch.plain_rows["current_player"] >= 0))).size:
            at = seated.batch.plain_rows["current_player"][rows].astype(np.int64)
            players = (at - numbers[rows]) % seats
            actions = np.zeros(self.rows, np.int64)
            for number, player in enumerate(self._roster):
                for part, own in self._parts(player, number, rows[players == number]):
                    actions[own] = seated.choose(part, own)
            opened = last[rows, at]
            closed.append((opened[opened >= 0], (paid - before)[rows, at][opened >= 0]))
            before[rows, at] = np.where(opened >= 0, paid[rows, at], 0.0)
            last[rows, at] = size + np.arange(len(rows))
            size += len(rows)
            steps.append(
                {
                    "observations": seated.observations[rows],
                    "masks": seated.masks[rows],
                    "actions": actions[rows].astype(np.int32),
                    "seat": at.astype(np.int8),
                    "player": players.astype(np.int8),
                    "game": numbers[rows],
                }
            )
            commands = np.full(self.rows, NOOP, np.uint8)
            commands[rows] = STEP
            seated.step(actions, commands)
            paid[rows] += seated.paid[rows]
        ended = np.zeros(size, np.bool_)
        ended[last[last >= 0]] = True
        closed.append((last[last >= 0], (paid - before)[last >= 0]))
        earned = np.zeros(size)
        for places, sums in closed:
            earned[places] = sums
        joined = {name: np.concatenate([step[name] for step in steps]) for name in steps[0]} if steps else {}
        joined |= {"rewards": earned, "ends": ended}
        if not steps:
            return self.columns()
        order = np.argsort(joined["game"], kind="stable")
        return {name: joined[name][order] for name in self.columns()}

    def last_observations(self, count: int) -> npt.NDArray[np.float32]:
        """Return what each seat saw at the end of the games that were played last, (count, seats, size)."""
        rows, seats = np.arange(count), range(self._options.num_players)
        return np.stack([self._seated.look(rows, np.full(count, seat))[0] for seat in seats], axis=1)

    def _parts(self, player: Player, number: int, rows: Int64s) -> Iterator[tuple[Player, Int64s]]:
        """Yield the players that decide in some rows: a mixture's, each in its games, or the player itself."""
        if not isinstance(player, MixturePlayer):
            yield player, rows
            return
        deals = self._seated.batch.plain_rows["games"][rows] - np.uint64(1)
        of_rows = drawn(player, np.full(len(rows), self._key), deals, number)
        yield from ((part, rows[of_rows == place]) for place, part in enumerate(player.players))

"""Games with players in their seats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import NO_POLICY_TABLES, Batch, look
from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Game, Int8s, Int64s, Options
from cardgym.engine.kernel import CALLER, NOBODY, NOOP, PENALIZE, RESET, STEP
from cardgym.engine.rules import derive, draws_of, uniform_float
from cardgym.engine.states import choose_actions
from cardgym.engine.text import TextView
from cardgym.errors import CardgymError, DecisionError
from cardgym.players.base import CompiledPlayer, KernelPlayer, Player, TablePlayer, TextPlayer, legal_actions
from cardgym.players.mixtures import MixturePlayer, drawn

_FIRST_MIXTURE = -(1 << 20)
"""The policy number of the first mixture; the next ones count down. They never reach the kernel."""


class SeatedBatch:
    """Many games of one kind, and a roster of players that can sit in them.

    Attributes:
        batch: the games, one per row.
        roster: the players that can take a seat; `numbers[i]` is the policy number of `roster[i]`.
        paid: what the last step paid each seat, (rows, 8), float64; the next step may overwrite it.
        observations: what the seat to decide knows, (rows, size), float32, after each step.
        masks: its legal actions, (rows, actions), int8.
        chronicle: what the seats that read have been told; see `tell`.
    """

    chronicle: Any = None

    def __init__(
        self,
        game: Game,
        options: Options,
        num_rows: int,
        roster: Sequence[Player] = (),
        observation_name: str | None = None,
        num_threads: int = 1,
    ) -> None:
        self.roster = tuple(roster)
        parts = [part for player in self.roster if isinstance(player, MixturePlayer) for part in player.players]
        tables = [player for player in [*self.roster, *parts] if isinstance(player, TablePlayer)]
        policy_tables = np.stack([table.actions for table in tables]) if tables else NO_POLICY_TABLES
        names = [player.name for player in [*self.roster, *parts] if isinstance(player, CompiledPlayer)]
        self.batch = Batch(game, options, num_rows, observation_name, policy_tables, names, num_threads)
        self._outside: dict[int, Player] = {}  # Those outside the kernel, by policy number.
        self._mixtures: dict[int, tuple[MixturePlayer, npt.NDArray[np.int32]]] = {}  # With the numbers of their parts.
        self.numbers = [self._number(player, tables) for player in self.roster]
        self._requested = self.batch.plain_rows["lineup"].copy()  # Lineups with the numbers of mixtures, ...
        self._resolved = self._requested.copy()  # ... and with those of the players they drew.
        self.observations, self.masks = self.batch.new_outputs()
        self.paid = self.batch.plain_rows["paid"]
        readers = [number for number, player in self._outside.items() if isinstance(player, TextPlayer)]
        if readers:
            self.tell(readers)

    @property
    def plays_alone(self) -> bool:
        """Whether the kernel decides for everyone in the roster."""
        return not self._outside and not self._mixtures

    def tell(self, readers: Sequence[int]) -> None:
        """From the next game on, tell the seats with these policy numbers in words what happens; see `views`."""
        from cardgym.engine.chronicle import Chronicle  # Most games are played without words.

        if self.chronicle is None:
            self.chronicle = self.batch.follower = Chronicle(self.batch)
        self.chronicle.readers.update(readers)

    def views(self, rows: Int64s) -> list[TextView]:
        """Return what the seats to decide in `rows` know, in words; without a history unless they were told."""
        self.tell(())
        seats = self.batch.plain_rows["current_player"]
        return [self.chronicle.view(int(row), int(seats[row])) for row in rows]

    def _number(self, player: Player, tables: Sequence[TablePlayer]) -> int:
        """Return the policy number of a player: the same for each of its seats."""
        compiled = self.batch.kernel.players
        if isinstance(player, CompiledPlayer):
            return compiled.index(player.name)
        if isinstance(player, TablePlayer):
            return len(compiled) + tables.index(player)
        if isinstance(player, MixturePlayer):
            known = [number for number, (other, _) in self._mixtures.items() if other is player]
            number = known[0] if known else _FIRST_MIXTURE - len(self._mixtures)
            self._mixtures[number] = player, np.array([self._number(part, tables) for part in player.players], np.int32)
            return number
        known = [number for number, other in self._outside.items() if other is player]
        number = known[0] if known else CALLER - 1 - len(self._outside)
        self._outside[number] = player
        return number

    def __setstate__(self, state: dict[str, Any]) -> None:
        """In a copy, let `paid` be a view of the copy's own rows again."""
        self.__dict__.update(state)
        if not self._outside:
            self.paid = self.batch.plain_rows["paid"]

    def seed(self, keys: npt.NDArray[np.uint64], games: npt.NDArray[np.uint64] | int = 0) -> None:
        """Set each row's key and the number of its next game, which together determine the game's cards."""
        self.batch.plain_rows["key"] = keys
        self.batch.plain_rows["games"] = games

    def seat(self, lineup: Sequence[int], rows: Int64s | slice = slice(None), requested_seat: int = 0) -> None:
        """Seat players from the next game on: policy numbers in the order of play, `CALLER` for the caller.

        `requested_seat` is the seat of the first of them, ANY_SEAT or EVERY_SEAT.
        """
        self.batch.plain_rows["lineup"][rows, : len(lineup)] = lineup
        self.batch.plain_rows["requested_seat"][rows] = requested_seat

    def step(
        self,
        actions: Int64s | int,
        commands: npt.NDArray[np.integer[Any]] | int,
        *,
        illegal: int = PENALIZE,
        skip: bool = False,
    ) -> None:
        """Step the rows; players act until the caller is to decide or the game ends. See `Batch.step`.

        `observations` and `masks` become new arrays, with the old values in rows whose command is NOOP.

        Raises:
            CardgymError: for a game whose last step a player's error or Ctrl-C has cut short.
        """
        rows = self.batch.plain_rows
        if self._outside and ((rows["pending_policy"] < CALLER) & (commands == STEP)).any():
            raise _cut_short()
        if self._mixtures:
            self._draw_players(np.flatnonzero(np.broadcast_to(commands, len(rows)) == RESET))
        observations, masks = self.batch.new_outputs()
        if not np.all(commands):  # Some are NOOP.
            observations[:] = self.observations
            masks[:] = self.masks
        self.batch.step(actions, commands, observations, masks, illegal=illegal, skip=skip)
        self.paid = rows["paid"].copy() if self._outside else rows["paid"]
        while self._outside:
            waiting = (rows["pending_policy"] < CALLER) & (commands != NOOP)
            if not waiting.any():
                break
            answers = np.zeros(len(rows), np.int64)
            for number, player in self._outside.items():
                pending = np.flatnonzero(waiting & (rows["pending_policy"] == number))
                if len(pending):
                    seen = observations[pending]
                    if player.observation_name not in (None, self.batch.kernel.observation_name):
                        seen = self._look_as(player, pending)[0]
                    draws = self._draws(pending, advance=True) if player.samples else None
                    views = partial(self.views, pending)
                    try:
                        chosen = legal_actions(player, seen, masks[pending], draws, views, may_forfeit=True)
                    except DecisionError as error:
                        raise self._located(error, pending) from error.__cause__
                    answers[pending] = chosen
            self.batch.step(answers, np.where(waiting, STEP, NOOP), observations, masks)
            self.paid[waiting] += rows["paid"][waiting]
            if skip:
                self._start_again(commands, observations, masks)
        self.observations, self.masks = observations, masks

    def act(
        self, action: int, illegal: int, command: int = STEP, skip: bool = False
    ) -> tuple[Float32s, Int8s, tuple[float, int]]:
        """Like `step` for a batch of one row, but faster, for single envs.

        `observations` and `masks` may be stale afterwards.

        Returns:
            The observation (size,), float32, and the mask (actions,), int8, both fresh; and as a tuple the caller's
            reward and the seat to decide (-1 at the end).

        Raises:
            CardgymError: as `step`.
        """
        if self._outside and command == STEP and self.batch.answers["pending_policy"].item(0) < CALLER:
            raise _cut_short()
        action = action if -1 < action < 2**31 else -1
        if self._mixtures and command == RESET:
            self._draw_players(np.zeros(1, np.int64))
        observation, mask, answer = self.batch.step_one(action, command, illegal, skip)
        if self._outside:
            rows, pending_policies = self.batch.plain_rows, self.batch.answers["pending_policy"]
            self.paid = rows["paid"].copy()
            while (number := pending_policies.item(0)) < CALLER:
                player = self._outside[number]
                seen = observation
                if player.observation_name not in (None, self.batch.kernel.observation_name):
                    seen = self._look_as(player, np.zeros(1, np.int64))[0][0]
                if isinstance(player, TextPlayer):
                    chosen = int(self._choices(player, np.zeros(1, np.int64), advance=True, may_forfeit=True)[0])
                else:
                    try:
                        chosen = player.choose(seen, mask, _draw(rows) if player.samples else 0.0)
                    except DecisionError as error:
                        raise self._located(error, np.zeros(1, np.int64)) from error.__cause__
                observation, mask, answer = self.batch.step_one(chosen, STEP, PENALIZE, False)
                self.paid += rows["paid"]
                if skip and command == RESET and pending_policies.item(0) == NOBODY:
                    observation, mask, answer = self.batch.step_one(0, RESET, PENALIZE, True)
                    self.paid = rows["paid"].copy()
        return observation, mask, answer

    def _draw_players(self, starting: Int64s) -> None:
        """Replace each mixture by one of its players in the lineups of rows that start a game.

        If `step` skips games in which the caller decides nothing, the following games keep these players.
        """
        rows = self.batch.plain_rows
        now = rows["lineup"][starting]
        # If a lineup differs from the resolved one, the caller has changed it since.
        requested = np.where(now == self._resolved[starting], self._requested[starting], now)
        resolved = requested.copy()
        for place in range(self.batch.options.num_players):
            for number, (player, numbers) in self._mixtures.items():
                here = np.flatnonzero(requested[:, place] == number)
                if len(here):
                    at = starting[here]
                    resolved[here, place] = numbers[drawn(player, rows["key"][at], rows["games"][at], place)]
        self._requested[starting], self._resolved[starting] = requested, resolved
        rows["lineup"][starting] = resolved

    def _start_again(self, commands: npt.NDArray[np.integer[Any]] | int, observations: Float32s, masks: Int8s) -> None:
        """Start another game in rows that reset and whose game ended without a decision of the caller."""
        rows = self.batch.plain_rows
        again = (commands == RESET) & (rows["pending_policy"] == NOBODY)
        if again.any():
            actions = np.zeros(len(again), np.int64)
            self.batch.step(actions, np.where(again, RESET, NOOP), observations, masks, skip=True)
            self.paid[again] = rows["paid"][again]

    def pending_actions(self, rows: Int64s, *, may_forfeit: bool = False) -> Int64s:
        """Return the actions that players outside the kernel choose in `rows`, which wait for them, (rows,) int64.

        No action is played. If it `may_forfeit`, a `TextPlayer` that does is told by FORFEIT.
        """
        actions = np.empty(len(rows), np.int64)
        waits_for = self.batch.plain_rows["pending_policy"][rows]
        for number, player in self._outside.items():
            places = np.flatnonzero(waits_for == number)
            if len(places):
                actions[places] = self._choices(player, rows[places], advance=False, may_forfeit=may_forfeit)
        return actions

    def choose(self, player: Player, rows: Int64s | None = None) -> Int64s:
        """Return the actions, (rows,) int64, of a player for the seats to decide; 0 where the game is over.

        The player need not be in the roster. It draws from each row's generator of choices, as if it were in that seat.

        Args:
            rows: the rows to choose in; None for all.

        Raises:
            CardgymError: if it chooses an illegal action.
        """
        batch, plain = self.batch, self.batch.plain_rows
        rows = np.arange(len(plain)) if rows is None else rows
        actions = np.zeros(len(plain), np.int64)
        waiting = rows[plain["current_player"][rows] >= 0]
        parts = [(player, waiting)]
        if isinstance(player, MixturePlayer):
            places = (plain["current_player"] - plain["seat"]) % batch.options.num_players
            parts = []
            for place in range(batch.options.num_players):
                at = waiting[places[waiting] == place]
                numbers = drawn(player, plain["key"][at], plain["games"][at] - np.uint64(1), place)  # This game's.
                parts += [(part, at[numbers == number]) for number, part in enumerate(player.players)]
        for part, at in parts:
            if not isinstance(part, KernelPlayer):
                actions[at] = self._choices(part, at, advance=True) if len(at) else 0
                continue
            for row in at:
                states, seats = batch.plain_states[row : row + 1], plain["current_player"][[row]].astype(np.int64)
                source = plain["choice"][row].copy()
                actions[row] = choose_actions(batch.game, batch.options, part.policy, states, seats, source)[0]
                plain["choice"][row] = source
        return actions[rows]

    def _choices(self, player: Player, rows: Int64s, *, advance: bool, may_forfeit: bool = False) -> Int64s:
        """Return the actions of a player outside the kernel in `rows`, which wait for a decision, (rows,) int64."""
        observations, masks, _ = self._look_as(player, rows)
        draws = self._draws(rows, advance=advance) if player.samples else None
        views = partial(self.views, rows)
        try:
            return legal_actions(player, observations, masks, draws, views, may_forfeit=may_forfeit)
        except DecisionError as error:
            raise self._located(error, rows) from error.__cause__

    def _located(self, error: DecisionError, rows: Int64s) -> DecisionError:
        """Return the error with the game's number and the seat of a decision in one of the rows, if known."""
        if error.row is None:
            return error.at(None, f"one of {len(rows):,} decisions at once: ")
        row = self.batch.plain_rows[rows[error.row]]
        return error.at(error.row, f"game {int(row['games']) - 1}, seat {row['current_player']}: ")

    def _draws(self, rows: Int64s, *, advance: bool) -> Float64s:
        """Return the next `uniform_float` of each row's generator of choices, (rows,) float64."""
        keys, counters = self.batch.plain_rows["choice"][rows].T
        if advance:
            self.batch.plain_rows["choice"][rows, 1] += np.uint64(1)
        return draws_of(keys, counters)

    def _look_as(self, player: Player, rows: Int64s) -> tuple[Float32s, Int8s, Int64s]:
        """Return what a player outside the kernel sees in rows where it is to decide; see `look`."""
        return self.look(rows, self.batch.plain_rows["current_player"][rows].astype(np.int64), player.observation_name)

    def look(
        self, rows: Int64s | None, seats: Int64s, observation_name: str | None = None
    ) -> tuple[Float32s, Int8s, Int64s]:
        """Return what `seats[i]` knows in row `rows[i]` (None for all rows); see `cardgym.engine.batch.look`."""
        batch = self.batch
        states = batch.plain_states if rows is None else batch.plain_states.take(rows)
        return look(batch.game, batch.options, states, seats, observation_name or batch.kernel.observation_name)


def _cut_short() -> CardgymError:
    return CardgymError("the last step ended while another player was deciding: call reset()")


@compiled
def _draw(rows: Any) -> float:
    """Return the next `uniform_float` of the only row's generator of choices."""
    return float(uniform_float(rows[0].choice))


def game_keys(seed: int, num_games: int) -> npt.NDArray[np.uint64]:
    """Return the keys, uint64, that `num_games` games of a seed are dealt from, for any lineup."""
    return np.array([derive(np.uint64(seed), np.uint64(number)) for number in range(num_games)], np.uint64)

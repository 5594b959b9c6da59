"""Recording transitions (s, a, r, s') of all seats, as the tabular learners take them.

A transition runs from a seat's decision to the same seat's next decision. `r` is all that was paid to it in
between. A seat's last transition of a deal goes to state 0, the end, as the Corellian Spike paper has it
(section 4.1).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import announce, bound, template
from cardgym.engine.contract import Game, Options, Record
from cardgym.engine.generator import Generator, derive
from cardgym.engine.kernel import CALLER, NOOP, RESET, Kernel, choose_random
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError
from cardgym.players.base import Player, PlayerSpec, resolve_all
from cardgym.players.seating import SeatedBatch

Explore = Callable[[Record, int, npt.NDArray[np.int8], Generator], int]
"""What an exploring seat does: `explore(state, seat, mask, generator)`, made by `rule`."""

StateName = Callable[[Record, int], int]
"""What a seat calls a state: `name(state, seat)`, made by `rule`; never 0, which is the end."""

ROWS = 1024
"""Games recorded side by side."""

LOG_FULL = 1
"""In place of a pending policy: the log is full; grow it and call again."""

CHANCE = -2
"""In place of the current player: the move is chance's."""

_PER_GAME = 256
"""Room made for each game at first; it grows as needed."""

LOG = np.dtype(
    [
        ("s", np.int64),
        ("a", np.int32),
        ("r", np.float64),
        ("s_next", np.int64),
        ("seat", np.int32),
        ("game", np.int64),
        ("hand", np.int64),
    ]
)


@dataclass(frozen=True, eq=False)
class Transitions:
    """Transitions of all seats, by game and in it in the order of the decisions; every column is as long.

    Attributes:
        s: the state's key (or index) for the seat that decided, int64.
        a: its action, int32.
        r: the sum of rewards paid to it until its next decision or the end of the deal, float64.
        s_next: the key (or index) at its next decision in the same deal, int64; 0 at the end.
        seat: the seat, int32.
        game: the number of the game, int64.
        hand: the deal of that game, int64: in a game of hands, the hand.
    """

    s: npt.NDArray[np.int64]
    a: npt.NDArray[np.int32]
    r: npt.NDArray[np.float64]
    s_next: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int32]
    game: npt.NDArray[np.int64]
    hand: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.s)

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The columns by name."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self)}

    @classmethod
    def joined(cls, parts: Sequence[Transitions]) -> Self:
        """Several recordings, one after the other."""
        return cls(**{spec.name: np.concatenate([getattr(p, spec.name) for p in parts]) for spec in fields(cls)})


def record(
    game: str | Game,
    options: Options | None,
    players: Sequence[PlayerSpec],
    *,
    games: int,
    seed: int,
    states: Literal["key", "index"] | StateName = "key",
    epsilon: float = 0.0,
    explore: Explore = choose_random,
    progress: Callable[[int, int], None] | None = None,
) -> Transitions:
    """Play games and record the transitions of all seats.

    Args:
        game: the game or its id.
        options: its options; None for the defaults.
        players: one for each seat, in the order of the seats.
        games: how many games.
        seed: what they are dealt from.
        states: `key` for state keys, `index` for places in a table of `game.state_index.num_info_states(options)`, or a rule that
            names them otherwise.
        epsilon: how often a seat explores instead of asking its player, 0 to 1.
        explore: what it does then; a legal action, uniformly, unless told.
        progress: told the games played and the games in all, now and then.

    Raises:
        CardgymError: for a game without state codes, an unknown player, or not one for each seat.
    """
    parts = record_chunks(
        game,
        options,
        players,
        games=games,
        seed=seed,
        states=states,
        epsilon=epsilon,
        explore=explore,
        progress=progress,
    )
    return Transitions.joined(list(parts))


def record_chunks(
    game: str | Game,
    options: Options | None,
    players: Sequence[PlayerSpec],
    *,
    games: int,
    seed: int,
    states: Literal["key", "index"] | StateName = "key",
    epsilon: float = 0.0,
    explore: Explore = choose_random,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Transitions]:
    """As `record`, some games at a time: memory does not grow with their number."""
    game = find(game)
    options = options if options is not None else game.parse_options()
    if not game.state_index.has_keys:
        able = ", ".join(name for name in registered() if find(name).state_index.has_keys) or "none"
        raise CardgymError(f"{game.id} has no state keys to record; games with them: {able}")
    if games < 1 or not 0 <= seed < 2**63:
        raise CardgymError(f"games {games}, seed {seed}: allowed are games from 1, a seed from 0 to 2^63 - 1")
    if not 0.0 <= epsilon <= 1.0:
        raise CardgymError(f"epsilon {epsilon}: allowed are numbers from 0 to 1")
    roster = resolve_all(players, game, options)
    return _chunks(game, options, roster, games, seed, states, epsilon, explore, progress)


def _chunks(
    game: Game,
    options: Options,
    roster: Sequence[Player],
    games: int,
    seed: int,
    states: str | StateName,
    epsilon: float,
    explore: Explore,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Transitions]:
    announce(f"{game.id} (recorder)")
    played = SeatedBatch(game, options, min(ROWS, games), roster)
    recorder = _Recorder(played, states, epsilon, explore)
    key = derive(np.uint64(seed), _STREAM)
    for first in range(0, games, ROWS):
        now = min(ROWS, games - first)
        numbers = np.arange(first, first + len(played.batch), dtype=np.uint64)
        played.seed(np.full(len(played.batch), key, np.uint64), numbers)
        played.seat(played.numbers)
        yield recorder.play(now)
        if progress is not None:
            progress(first + now, games)


_STREAM = np.uint64(0x2EC02D)
"""Recorded games have a stream of their own."""


class _Recorder:
    """Plays the rows of a batch to the end of their games, keeping a log."""

    def __init__(self, played: SeatedBatch, states: str | StateName, epsilon: float, explore: Explore) -> None:
        self._played = played
        self._epsilon = epsilon
        self._begin, self._record = _compiled(played.batch.kernel, states, explore)
        self._log = np.zeros(_PER_GAME * len(played.batch), LOG)

    def play(self, num_games: int) -> Transitions:
        """Play the next game of the first `num_games` rows."""
        batch = self._played.batch
        rows = batch.rows
        commands = np.full(len(batch), NOOP, np.uint8)
        commands[:num_games] = RESET
        actions = np.full(len(batch), -1, np.int64)
        masks = np.zeros((len(batch), batch.num_actions), np.int8)
        opened = np.full((len(batch), batch.game.max_players), -1, np.int64)
        pay = np.zeros(batch.game.max_players, np.float64)
        size = np.zeros(1, np.int64)
        self._begin(batch.plain_states, batch.plain_rows, commands, self._epsilon)
        while True:
            self._record(
                batch.plain_states,
                batch.plain_rows,
                batch.policy_tables,
                actions,
                commands,
                masks,
                pay,
                opened,
                self._log,
                size,
            )
            if (rows.pending_policy[:num_games] == 0).all():
                break
            if size[0] == len(self._log):
                self._log = np.concatenate([self._log, np.zeros_like(self._log)])
            commands[:num_games] = np.where(rows.pending_policy[:num_games] == 0, NOOP, RESET)
            actions[:] = -1
            asked = np.flatnonzero((commands == RESET) & (rows.pending_policy < 0))
            actions[asked] = self._played.pending_actions(asked)
        log = self._log[: size[0]]
        if (np.diff(log["game"]) < 0).any():  # With players outside the kernel, rows took turns.
            log = log[np.argsort(log["game"], kind="stable")]
        return Transitions(**{name: log[name].copy() for name in LOG.names or ()})


# -- compiled ------------------------------------------------------------------------------------------------


@template
def _begin(states: Any, rows: Any, commands: Any, epsilon: float) -> None:
    """Set up the next game of every row that is not resting."""
    for i in range(states.shape[0]):
        if commands[i] != NOOP:
            bound.prepare(states[i], rows[i])
            rows[i].pending_policy = CALLER
            rows[i].epsilon = epsilon


@template
def _record(
    states: Any,
    rows: Any,
    policy_tables: Any,
    actions: Any,
    commands: Any,
    masks: Any,
    pay: Any,
    opened: Any,
    log: Any,
    size: Any,
) -> None:
    """Play every row on until someone outside must decide, the log is full or the game ends.

    `actions[i]` is what the player outside answered, or -1. `opened[i, seat]` is the place in the log of the
    seat's transition that waits for its next decision, or -1.
    """
    for i in range(states.shape[0]):
        if commands[i] == NOOP:
            continue
        state = states[i]
        row = rows[i]
        answer = actions[i]
        while True:
            if size[0] == log.shape[0]:  # Nothing is drawn or asked before there is room.
                if answer < 0:
                    row.pending_policy = LOG_FULL
                break
            before = bound.deal(state)
            row.current_player = CHANCE if answer < 0 else row.current_player
            move = answer
            if answer < 0:
                move = bound.next_move(state, row, policy_tables, masks[i])
            else:
                row.decisions += 1
            if move < 0:
                break
            answer = -1
            seat = row.current_player
            if seat >= 0:
                place = size[0]
                size[0] += 1
                log[place].s = bound.name_state(state, seat)
                log[place].a = move
                log[place].r = 0.0
                log[place].s_next = 0
                log[place].seat = seat
                log[place].game = np.int64(row.games) - 1
                log[place].hand = before
                if opened[i, seat] >= 0:
                    log[opened[i, seat]].s_next = log[place].s
                opened[i, seat] = place
            bound.apply_action(state, move)
            for other in range(state.num_players):
                pay[other] = 0.0
            bound.rewards(state, pay)
            for other in range(state.num_players):
                if opened[i, other] >= 0:
                    log[opened[i, other]].r += pay[other]
            if bound.deal(state) != before:
                for other in range(state.num_players):
                    opened[i, other] = -1


@cache
def _compiled(
    kernel: Kernel, states: str | StateName, explore: Explore
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    index = kernel.game.state_index
    names = {"key": index.info_state_key, "index": index.info_state_index}
    name_state = names[states] if isinstance(states, str) else states
    suffix = f"_{states if isinstance(states, str) else _name_of(states)}_{_name_of(explore)}"
    exploring = kernel.exploring(explore, suffix)
    return (
        kernel.entry_point(_begin),
        kernel.entry_point(_record, suffix, name_state=name_state, **exploring),
    )


def _name_of(function: Callable[..., Any]) -> str:
    """Tells apart on disk the rules of one name in several modules or functions."""
    plain = inspect.unwrap(function)
    return f"{plain.__module__}_{plain.__qualname__}"

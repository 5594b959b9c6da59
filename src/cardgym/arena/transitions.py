"""Recorded transitions (s, a, r, s') of all seats, for tabular learners.

A transition runs from a seat's decision to the same seat's next decision; `r` is the sum of rewards paid to it in
between. A seat's last transition of a deal leads to state 0, the end.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cardgym.arena.match import number_of_games
from cardgym.engine.compilation import bound, name_entry_point, template
from cardgym.engine.contract import Game, Int8s, Options, State
from cardgym.engine.kernel import CALLER, NOBODY, NOOP, RESET, Kernel, choose_random, code_name, find_next_move
from cardgym.engine.registry import find, registered
from cardgym.engine.rules import Generator, derive, uniform_float
from cardgym.errors import CardgymError, whole_number
from cardgym.files import replacing
from cardgym.players import PlayerSpec, resolve_all
from cardgym.players.seats import SeatedBatch

Explore = Callable[[State, int, Int8s, Generator], int]
"""How a seat explores: `explore(state, seat, mask, generator)`, made by `rule`, returns a legal action."""

StateName = Callable[[State, int], int]
"""The number of a state for a seat: `name(state, seat)`, made by `rule`; never 0, which is the end."""

ROWS = 1024
"""Games recorded in parallel."""

LOG_FULL = 1
"""In `pending_policy`: the log is full; grow it and call again."""

CHANCE = -2
"""In `current_player`: it is chance's move."""

_PER_GAME = 256
"""Initial rows of the log per game; the log grows as needed."""

_STREAM = np.uint64(0x2EC02D)
"""The stream of the deals of recorded games."""

TRANSITION = np.dtype(
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
"""The state's key (or index) for the seat that decided; its action; the sum of its rewards until its next decision or
the end of the deal; the key (or index) at that decision in the same deal, or 0 at the end; the seat; the number of the
game; and the deal within the game, a hand in a game of hands."""

Recording = np.recarray[Any, Any]
"""Transitions of all seats as records of `TRANSITION`, by game and then in the order of decisions."""


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
) -> Iterator[Recording]:
    """Play games and record the transitions of all seats, in parts, so that memory does not grow with the games.

    Args:
        options: the options of the game; None for the defaults.
        states: `key` for the game's info state keys, `index` for their indices, or a rule that numbers states.
        epsilon: the probability, 0 to 1, that a seat explores instead of following its player.
        explore: how it explores; uniformly over the legal actions by default.
        progress: called from time to time with the games played and the total.

    Raises:
        CardgymError: for a game without state keys, an unknown player, or another number of players than seats.
    """
    game = find(game)
    options = options if options is not None else game.parse_options()
    if not game.state_index.has_keys:
        names = ", ".join(name for name in registered() if find(name).state_index.has_keys) or "none"
        raise CardgymError(f"{game.id} has no state keys to record; games with them: {names}")
    games = number_of_games(games)
    seed = whole_number("seed", seed, 0)
    if not 0.0 <= epsilon <= 1.0:
        raise CardgymError(f"epsilon {epsilon}: allowed are numbers from 0 to 1")
    played = SeatedBatch(game, options, min(ROWS, games), resolve_all(players, game, options))
    recorder = _Recorder(played, states, epsilon, explore)
    key = derive(np.uint64(seed), _STREAM)

    def chunks() -> Iterator[Recording]:
        for first in range(0, games, ROWS):
            num_games = min(ROWS, games - first)
            numbers = np.arange(first, first + len(played.batch), dtype=np.uint64)
            played.seed(np.full(len(played.batch), key, np.uint64), numbers)
            played.seat(played.numbers)
            yield recorder.play(num_games)
            if progress is not None:
                progress(first + num_games, games)

    return chunks()


def record(*arguments: Any, **named: Any) -> Recording:
    """The result of `record_chunks` as one array."""
    return np.concatenate(list(record_chunks(*arguments, **named))).view(np.recarray)


class _Recorder:
    """Plays the games of a batch to their ends and logs the transitions."""

    def __init__(self, played: SeatedBatch, states: str | StateName, epsilon: float, explore: Explore) -> None:
        self._played = played
        self._epsilon = epsilon
        self._begin, self._record = _compiled(played.batch.kernel, states, explore)
        self._log = np.zeros(_PER_GAME * len(played.batch), TRANSITION)
        name_entry_point(f"{played.batch.game.id} (recorder)", self._record)

    def play(self, num_games: int) -> Recording:
        """Play the next game of the first `num_games` rows."""
        batch = self._played.batch
        rows = batch.rows
        commands = np.full(len(batch), NOOP, np.uint8)
        commands[:num_games] = RESET
        actions = np.full(len(batch), -1, np.int64)
        masks = np.zeros((len(batch), batch.num_actions), np.int8)
        opened = np.full((len(batch), batch.game.max_players), -1, np.int64)
        paid = np.zeros(batch.game.max_players, np.float64)
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
                paid,
                opened,
                self._log,
                size,
            )
            over = rows.pending_policy[:num_games] == NOBODY
            if over.all():
                break
            if size[0] == len(self._log):
                self._log = np.concatenate([self._log, np.zeros_like(self._log)])
            commands[:num_games] = np.where(over, NOOP, RESET)
            actions[:] = -1
            pending = np.flatnonzero((commands == RESET) & (rows.pending_policy < 0))
            actions[pending] = self._played.pending_actions(pending)
        log = self._log[: size[0]]
        if (np.diff(log["game"]) < 0).any():  # With players outside the kernel, the rows' transitions are interleaved.
            log = log[np.argsort(log["game"], kind="stable")]
        return log.copy().view(np.recarray)


# -- compiled ------------------------------------------------------------------------------------------------


@template
def _begin(states: Any, rows: Any, commands: Any, epsilon: float) -> None:
    """Set up the next game of every row whose command is not NOOP."""
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
    paid: Any,
    opened: Any,
    log: Any,
    size: Any,
) -> None:
    """Play each row until a player outside the kernel must decide, the log is full or the game ends.

    `actions[i]` is the action of the pending player, or -1. `opened[i, seat]` is the place in the log of the seat's
    transition that waits for its next decision, or -1.
    """
    for i in range(states.shape[0]):
        if commands[i] == NOOP:
            continue
        state = states[i]
        row = rows[i]
        chosen = actions[i]
        while True:
            if size[0] == log.shape[0]:  # Before anything is drawn: the next call continues here.
                if chosen < 0:
                    row.pending_policy = LOG_FULL
                break
            deal = bound.deal(state)
            move = chosen
            if chosen < 0:
                row.current_player = CHANCE
                move = bound.next_move(state, row, policy_tables, masks[i])
            else:
                row.decisions += 1
            if move < 0:
                break
            chosen = -1
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
                log[place].hand = deal
                if opened[i, seat] >= 0:
                    log[opened[i, seat]].s_next = log[place].s
                opened[i, seat] = place
            bound.apply_action(state, move)
            for other in range(state.num_players):
                paid[other] = 0.0
            bound.rewards(state, paid)
            for other in range(state.num_players):
                if opened[i, other] >= 0:
                    log[opened[i, other]].r += paid[other]
            if bound.deal(state) != deal:
                for other in range(state.num_players):
                    opened[i, other] = -1


@template
def _exploring_action(state: State, row: State, seat: int, mask: Any, tables: Any) -> int:
    """In any seat, explore with probability `row.epsilon`; otherwise act as in the kernel."""
    if row.epsilon > 0.0 and uniform_float(row.choice) < row.epsilon:
        return int(bound.explore(state, seat, mask, row.choice))
    return int(bound.seated_action(state, row, seat, mask, tables))


@cache
def _compiled(
    kernel: Kernel, states: str | StateName, explore: Explore
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    index = kernel.game.state_index
    names = {"key": index.info_state_key, "index": index.info_state_index}
    name_state = names[states] if isinstance(states, str) else states
    suffix = f"_{code_name(kernel.game, [name_state, explore])}"
    exploring = kernel.inlined(_exploring_action, suffix, explore=explore)
    moving = kernel.inlined(find_next_move, suffix, seated_action=exploring)
    return (
        kernel.entry_point(_begin),
        kernel.entry_point(_record, suffix, name_state=name_state, next_move=moving),
    )


def write_csv(path: Path, chunks: Iterable[Recording]) -> int:
    """Write transitions as CSV with the fields of `TRANSITION` as columns, chunk by chunk; return how many there were.

    Raises:
        CardgymError: if the file cannot be written; no partial file is left.
    """
    if path.is_dir():
        raise CardgymError(f"cannot write {path}: it is a folder")
    count = 0
    with replacing(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(TRANSITION.names or ())
        for chunk in chunks:
            writer.writerows(chunk.tolist())
            count += len(chunk)
    return count

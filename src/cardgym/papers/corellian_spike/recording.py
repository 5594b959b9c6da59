"""Recorded transitions (s, a, r, s') of all seats, which batch Q-learning learns from.

A transition runs from a seat's decision to the same seat's next decision; `r` is the sum of rewards paid to it in
between. A seat's last transition of a deal leads to state 0, the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np

from cardgym.engine.binding import code_name
from cardgym.engine.compilation import bound, name_entry_point, template
from cardgym.engine.contract import CHANCE, Int8s, Options, State
from cardgym.engine.kernel import CALLER, NOBODY, NOOP, RESET, Kernel, choose_random, find_next_move
from cardgym.engine.rules import Generator, derive, rule, uniform_float
from cardgym.games.corellian_spike.game import GAME
from cardgym.players import PlayerSpec, resolve_all
from cardgym.players.seats import SeatedBatch

Explore = Callable[[State, int, Int8s, Generator], int]
"""How a seat explores: `explore(state, seat, mask, generator)`, made by `rule`, returns a legal action."""

StateName = Callable[[State, int], int]
"""The number of a state for a seat: `name(state, seat)`, made by `rule`; never 0, which is the end."""

ROWS = 1024
"""Games recorded in parallel."""

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
"""The number of the state for the seat that decided; its action; the sum of its rewards until its next decision or the
end of the hand; the number of the state at that decision in the same hand, or 0 at the end; the seat; the numbers of
the game and of the hand in it."""

Recording = np.recarray[Any, Any]
"""Transitions of all seats as records of `TRANSITION`, by game and then in the order of decisions."""


def record(
    options: Options,
    players: Sequence[PlayerSpec],
    *,
    games: int,
    seed: int,
    states: Literal["key", "index"] | StateName = "key",
    epsilon: float = 0.0,
    explore: Explore = choose_random,
) -> Recording:
    """Play games and record the transitions of all seats.

    Args:
        states: `key` for the game's info state keys, `index` for their indices, or a rule that numbers states.
        epsilon: the probability, 0 to 1, that a seat explores instead of following its player.
        explore: how it explores; uniformly over the legal actions by default.

    Returns:
        The transitions, (transitions,) of `TRANSITION`, with its fields as attributes; rewards are in credits.
    """
    key = derive(np.uint64(seed), _STREAM)
    played = SeatedBatch(GAME, options, min(ROWS, games), resolve_all(players, GAME, options))
    assert played.plays_alone
    batch = played.batch
    begin, play = _compiled(batch.kernel, states, explore)
    name_entry_point(f"{GAME.id} (recorder)", play)
    log = np.zeros(_PER_GAME * len(batch), TRANSITION)
    mask, paid = np.zeros(batch.num_actions, np.int8), np.zeros(GAME.max_players)
    parts = []
    for start in range(0, games, ROWS):
        played.seed(np.full(len(batch), key, np.uint64), np.arange(start, start + len(batch), dtype=np.uint64))
        played.seat(played.numbers)
        commands = np.where(np.arange(len(batch)) < games - start, RESET, NOOP).astype(np.uint8)
        begin(batch.plain_states, batch.plain_rows, commands, epsilon)
        opened, size = np.full((len(batch), GAME.max_players), -1, np.int64), np.zeros(1, np.int64)
        while True:
            play(batch.plain_states, batch.plain_rows, batch.policy_tables, commands, mask, paid, opened, log, size)
            commands[batch.rows.pending_policy == NOBODY] = NOOP
            if (commands == NOOP).all():
                break
            log = np.concatenate([log, np.zeros_like(log)])
        found = log[: int(size[0])]
        parts.append(found[np.argsort(found["game"], kind="stable")])
    return np.concatenate(parts).view(np.recarray)


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
    states: Any, rows: Any, policy_tables: Any, commands: Any, mask: Any, paid: Any, opened: Any, log: Any, size: Any
) -> None:
    """Play each row until the log is full or the game ends.

    `opened[i, seat]` is the place in the log of the seat's transition that waits for its next decision, or -1.
    """
    for i in range(states.shape[0]):
        if commands[i] != NOOP:
            bound.record_row(states[i], rows[i], policy_tables, mask, paid, opened[i], log, size)


@template
def _record_row(
    state: Any, row: Any, policy_tables: Any, mask: Any, paid: Any, opened: Any, log: Any, size: Any
) -> None:
    while size[0] < log.shape[0]:  # Once it is full, before anything is drawn: the next call continues here.
        deal = bound.deal(state)
        row.current_player = CHANCE
        move = bound.next_move(state, row, policy_tables, mask)
        if move < 0:
            return
        seat = row.current_player
        if seat >= 0:
            log[size[0]].s = bound.name_state(state, seat)
            log[size[0]].a = move
            log[size[0]].game = np.int64(row.games) - 1
            log[size[0]].hand = deal
            _open_transition(log, size, opened, seat)
        bound.apply_action(state, move)
        paid[:] = 0.0
        bound.rewards(state, paid)
        for other in range(state.num_players):
            if opened[other] >= 0:
                log[opened[other]].r += paid[other]
            if bound.deal(state) != deal:
                opened[other] = -1


@rule
def _open_transition(log: Any, size: Any, opened: Any, seat: int) -> None:
    """Close a seat's transition that waits for this decision, and open the next one."""
    place = size[0]
    size[0] += 1
    log[place].r = 0.0
    log[place].s_next = 0
    log[place].seat = seat
    if opened[seat] >= 0:
        log[opened[seat]].s_next = log[place].s
    opened[seat] = place


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
    row = kernel.inlined(_record_row, suffix, name_state=name_state, next_move=moving)
    return kernel.entry_point(_begin), kernel.entry_point(_record, suffix, record_row=row)

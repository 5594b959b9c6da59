"""The compiled loop of Q-learning and Sarsa: play, and move the value of each action taken towards its target.

Action values are kept in a table by the game's own number of a state, or in a dictionary of the pairs (observation,
action) that were tried. The dictionary is an array of `ENTRY` with linear probing from the observation's hash on: the
pairs of an observation lie close together, and one scan finds them all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from cardgym.engine.compilation import bind, bound, template
from cardgym.engine.contract import Float64s, Int8s
from cardgym.engine.kernel import CALLER, Kernel
from cardgym.engine.rules import hash_of, next_bits, rule, uniform, uniform_float, uniform_legal
from cardgym.learn import schedules

ENTRY = np.dtype([("key", np.uint64), ("action", np.int32), ("visits", np.int32), ("value", np.float64)])
"""A pair of observation and action: the observation's hash (0 if the entry is free), the action, its value."""

PENDING = np.dtype([("key", np.uint64), ("action", np.int64), ("reward", np.float64)])
"""What waits for a seat's next decision: the state (its number or hash) and the action of its last decision (-1 if
there is none), and what the seat was paid since."""

COUNTERS = np.dtype(
    [
        *((name, np.int64) for name in ("decisions", "games", "states", "entries", "until", "full", "episodes")),
        ("returns", np.float64),
    ]
)
"""The learner's decisions, the games that have ended, states and entries of the dictionary; the number of decisions to
stop at; whether the dictionary is full; the learner's seats in the games that ended, and what it was paid."""

SETTINGS = np.dtype(
    [
        *(
            (name, np.float64)
            for name in (
                "total_steps",
                "exploration_initial_eps",
                "exploration_final_eps",
                "exploration_steps",
                "learning_rate",
                "learning_rate_final",
                "visits_power",
                "gamma",
            )
        ),
        ("num_deals", np.int64),
        ("sarsa", np.bool_),
        ("terminal_on_deal_end", np.bool_),
    ],
    align=True,
)
"""The hyper-parameters that the loop reads; `exploration_steps` is in decisions."""

linear = rule(schedules.linear)


class Memory(NamedTuple):
    """What a learner knows and counts.

    Attributes:
        values: action values by state number, (states, actions), float64; no rows if observations are hashed.
        visits: the number of updates of each, int32, of the same shape.
        entries: the dictionary, (a power of two,), `ENTRY`.
        pending: a `PENDING` for each seat.
        counters: one `COUNTERS`.
    """

    values: Any
    visits: Any
    entries: Any
    pending: Any
    counters: Any


class Scratch(NamedTuple):
    """Room for one decision: observation (size,), float32; action values and mask (actions,); rewards (seats,)."""

    observation: Any
    action_values: Any
    mask: Any
    rewards: Any


class Opponents(NamedTuple):
    """The policy numbers that opponents are drawn from, and their weights added up, the last 1, (choices,)."""

    choices: Any
    cumulative_weights: Any


# -- two ways to keep values ------------------------------------------------------------------------------------------


@template
def _values_by_index(state: Any, seat: int, memory: Memory, scratch: Scratch) -> np.uint64:
    """Copy the values of the state's actions to the scratch; return the state's number."""
    row = np.int64(bound.info_state_index(state, seat))
    for action in range(scratch.action_values.shape[0]):
        scratch.action_values[action] = memory.values[row, action]
    return np.uint64(row)


@template
def _values_by_hash(state: Any, seat: int, memory: Memory, scratch: Scratch) -> np.uint64:
    """Copy the values of the observation's actions to the scratch, 0 where not tried; return the hash.

    Sets `counters.full` if there is no room for more entries.
    """
    bound.observe(state, seat, scratch.observation)
    key = hash_of(scratch.observation)
    entries, action_values, counters = memory.entries, scratch.action_values, memory.counters[0]
    last = np.int64(entries.shape[0] - 1)
    if counters.entries * 4 >= entries.shape[0] * 3:
        counters.full = 1
    for action in range(action_values.shape[0]):
        action_values[action] = 0.0
    slot = np.int64(key & np.uint64(last))
    while entries[slot].key != np.uint64(0):
        if entries[slot].key == key:
            action_values[entries[slot].action] = entries[slot].value
        slot = (slot + 1) & last
    return key


@rule
def _step_size(visits: int, decisions: int, settings: Any) -> float:
    size = linear(float(decisions), settings.learning_rate, settings.learning_rate_final, settings.total_steps)
    if settings.visits_power > 0.0:
        size /= float(visits) ** settings.visits_power
    return float(size)


@template
def _update_by_index(memory: Memory, key: Any, action: int, target: float, settings: Any) -> None:
    """Move the value of an action towards its target."""
    row, values, visits = np.int64(key), memory.values, memory.visits
    visits[row, action] += 1
    size = _step_size(visits[row, action], memory.counters[0].decisions, settings)
    values[row, action] += size * (target - values[row, action])


@template
def _update_by_hash(memory: Memory, key: Any, action: int, target: float, settings: Any) -> None:
    """Move the value of an action towards its target; add the pair if it is new."""
    entries, counters = memory.entries, memory.counters[0]
    last = np.int64(entries.shape[0] - 1)
    slot = np.int64(key & np.uint64(last))
    known = False
    while entries[slot].key != np.uint64(0):
        if entries[slot].key == key:
            known = True
            if entries[slot].action == action:
                break
        slot = (slot + 1) & last
    entry = entries[slot]
    if entry.key == np.uint64(0):
        entry.key = key
        entry.action = action
        counters.entries += 1
        if not known:
            counters.states += 1
    entry.visits += 1
    entry.value += _step_size(entry.visits, counters.decisions, settings) * (target - entry.value)


@template
def _insert(entries: Any, pairs: Any) -> None:
    """Put pairs, all different, into an empty dictionary."""
    last = np.int64(entries.shape[0] - 1)
    for i in range(pairs.shape[0]):
        slot = np.int64(pairs[i].key & np.uint64(last))
        while entries[slot].key != np.uint64(0):
            slot = (slot + 1) & last
        entries[slot] = pairs[i]


# -- choosing ---------------------------------------------------------------------------------------------------------


@rule
def best_legal(values: Float64s, mask: Int8s) -> float:
    """Return the highest value of a legal action."""
    best = -np.inf
    for action in range(mask.shape[0]):
        if mask[action] and values[action] > best:
            best = values[action]
    return float(best)


@rule
def greedy_legal(values: Float64s, mask: Int8s, generator: Any) -> int:
    """Return a legal action of the highest value; ties are broken at random."""
    best = best_legal(values, mask)
    ties = 0
    for action in range(mask.shape[0]):
        ties += mask[action] != 0 and values[action] == best
    remaining = uniform(generator, ties) if ties > 1 else 0
    for action in range(mask.shape[0]):
        if mask[action] and values[action] == best:
            if remaining == 0:
                return action
            remaining -= 1
    return -1


@rule
def _choose(scratch: Scratch, decisions: int, generator: Any, settings: Any) -> int:
    """Return a random legal action with probability epsilon, otherwise one of the highest value."""
    epsilon = linear(
        float(decisions), settings.exploration_initial_eps, settings.exploration_final_eps, settings.exploration_steps
    )
    if uniform_float(generator) < epsilon:
        return int(uniform_legal(scratch.mask, generator))
    return int(greedy_legal(scratch.action_values, scratch.mask, generator))


# -- the loop ---------------------------------------------------------------------------------------------------------


@template
def _start_game(state: Any, row: Any, opponents: Opponents, generator: Any, num_deals: int) -> None:
    """Draw the opponents and deal the next game."""
    weights = opponents.cumulative_weights
    for place in range(1, state.num_players):
        drawn = uniform_float(generator)
        choice = 0
        while choice < weights.shape[0] - 1 and weights[choice] <= drawn:
            choice += 1
        row.lineup[place] = opponents.choices[choice]
    if num_deals > 0:
        row.games = np.uint64(uniform(generator, num_deals))
    bound.prepare(state, row)
    if num_deals > 0:
        row.choice[0] = next_bits(generator)  # The deal is repeated, what players choose in it is not.
    row.current_player = 0


@template
def _settle(memory: Memory, seat: int, next_value: float, settings: Any) -> None:
    """Update the value of a seat's last action, if one waits, with what it was paid and the value of what follows."""
    waiting = memory.pending[seat]
    if waiting.action >= 0:
        target = waiting.reward + settings.gamma * next_value
        bound.update(memory, waiting.key, waiting.action, target, settings)
        waiting.action = -1


@template
def _pay(state: Any, row: Any, memory: Memory, rewards: Any) -> None:
    """Pay every seat for the last move."""
    for seat in range(state.num_players):
        rewards[seat] = 0.0
    bound.rewards(state, rewards)
    for seat in range(state.num_players):
        memory.pending[seat].reward += rewards[seat]
        if row.policies[seat] == CALLER:
            memory.counters[0].returns += rewards[seat]


@template
def _end_game(state: Any, row: Any, memory: Memory, settings: Any) -> None:
    """Settle every seat, and count the game."""
    counters = memory.counters[0]
    for seat in range(state.num_players):
        bound.settle(memory, seat, 0.0, settings)
    row.current_player = -1
    counters.games += 1
    for seat in range(state.num_players):
        counters.episodes += row.policies[seat] == CALLER


@template
def _learn(
    states: Any,
    rows: Any,
    policy_tables: Any,
    opponents: Opponents,
    memory: Memory,
    scratch: Scratch,
    generator: Any,
    setting_rows: Any,
) -> None:
    """Play and learn until the learner has taken `counters.until` decisions, or the dictionary is full.

    Args:
        states: the one game's state, (1,).
        rows: its row of a seated batch, (1,).
        policy_tables: the batch's policy tables.
        opponents: who the other seats are drawn from.
        memory: what is learned.
        scratch: room for one decision.
        generator: the learner's own random numbers.
        setting_rows: one `SETTINGS`.
    """
    state, row, settings, counters = states[0], rows[0], setting_rows[0], memory.counters[0]
    while counters.decisions < counters.until:
        if row.current_player < 0:
            bound.start_game(state, row, opponents, generator, settings.num_deals)
        deal_before = bound.deal(state)
        action = bound.next_move(state, row, policy_tables, scratch.mask)
        seat = row.current_player
        if action < 0 and seat < 0:
            bound.end_game(state, row, memory, settings)
            continue
        if action < 0:  # The learner decides.
            key = bound.values_of(state, seat, memory, scratch)
            if counters.full:
                return
            action = _choose(scratch, counters.decisions, generator, settings)
            # The one line in which Sarsa and Q-learning differ.
            next_value = (
                scratch.action_values[action] if settings.sarsa else best_legal(scratch.action_values, scratch.mask)
            )
            bound.settle(memory, seat, next_value, settings)
            counters.decisions += 1
            memory.pending[seat].key = key
            memory.pending[seat].action = action
            memory.pending[seat].reward = 0.0
        bound.apply_action(state, action)
        bound.pay(state, row, memory, scratch.rewards)
        if settings.terminal_on_deal_end and bound.deal(state) != deal_before:
            for other in range(state.num_players):
                bound.settle(memory, other, 0.0, settings)


@cache
def learning_loop(kernel: Kernel, observation_name: str) -> Callable[..., Any]:
    """`_learn` for a game, with values by the hash of that observation, or by the game's own indices if it is empty."""
    suffix = f"_{observation_name or 'index'}"
    if observation_name:
        names = {"observe": kernel.game.observation(observation_name).write}
        values_of = kernel.inlined(_values_by_hash, suffix, **names)
        update = kernel.inlined(_update_by_hash, suffix)
    else:
        values_of = kernel.inlined(_values_by_index, suffix)
        update = kernel.inlined(_update_by_index, suffix)
    settle = kernel.inlined(_settle, suffix, update=update)
    return kernel.entry_point(
        _learn, suffix, values_of=values_of, settle=settle,
        start_game=kernel.inlined(_start_game, suffix), pay=kernel.inlined(_pay, suffix),
        end_game=kernel.inlined(_end_game, suffix, settle=settle),
    )  # fmt: skip


insert = bind(_insert, "entries")
"""Put pairs, all different, into an empty dictionary: `insert(entries, pairs)`, arrays of `ENTRY`."""

"""The compiled loop of Q-learning and Sarsa: play, and move the value of what was done towards its target.

Values are kept by the game's own number of a state, or by the hash of an observation in a dictionary of the pairs
(observation, action) that were tried. The dictionary is an array of `ENTRY` with linear probing from the observation's
hash on, so that the pairs of an observation lie side by side and one scan finds them all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import bind, bound, rule, template
from cardgym.engine.generator import next_bits, uniform, uniform_float
from cardgym.engine.kernel import Kernel, uniform_legal
from cardgym.players.q_table import hash_of

ENTRY = np.dtype([("key", np.uint64), ("action", np.int32), ("visits", np.int32), ("value", np.float64)])
"""A pair of observation and action: the observation's hash (0 where the entry is free), the action, its value."""

DECISIONS, GAMES, STATES, ENTRIES, UNTIL, FULL = range(6)
"""Places in the whole numbers that the loop reads and writes."""


# -- two ways to keep values ------------------------------------------------------------------------------------------


@template
def _values_by_index(
    state: Any, seat: int, observation: Any, values: Any, entries: Any, worth: Any, numbers: Any
) -> np.uint64:
    """Copy the values of the state's actions to `worth`; return the state's number."""
    row = np.int64(bound.info_state_index(state, seat))
    for action in range(worth.shape[0]):
        worth[action] = values[row, action]
    return np.uint64(row)


@template
def _values_by_hash(
    state: Any, seat: int, observation: Any, values: Any, entries: Any, worth: Any, numbers: Any
) -> np.uint64:
    """The same by observation, whose hash is returned; what was not tried is worth 0. Tells when there is no room."""
    bound.observe(state, seat, observation)
    key = hash_of(observation)
    last = np.int64(entries.shape[0] - 1)
    if numbers[ENTRIES] * 4 >= entries.shape[0] * 3:
        numbers[FULL] = 1
    for action in range(worth.shape[0]):
        worth[action] = 0.0
    slot = np.int64(key & np.uint64(last))
    while entries[slot].key != np.uint64(0):
        if entries[slot].key == key:
            worth[entries[slot].action] = entries[slot].value
        slot = (slot + 1) & last
    return key


@rule
def _step_size(visits: int, numbers: Any, settings: Any) -> float:
    size = linear(float(numbers[DECISIONS]), settings[4], settings[5], settings[0])
    if settings[6] > 0.0:
        size /= float(visits) ** settings[6]
    return float(size)


@template
def _move_by_index(
    values: Any, visits: Any, entries: Any, key: Any, action: int, target: float, numbers: Any, settings: Any
) -> None:
    """Move the value of an action towards its target."""
    row = np.int64(key)
    visits[row, action] += 1
    values[row, action] += _step_size(visits[row, action], numbers, settings) * (target - values[row, action])


@template
def _move_by_hash(
    values: Any, visits: Any, entries: Any, key: Any, action: int, target: float, numbers: Any, settings: Any
) -> None:
    """The same in the dictionary, where a pair that is new is made."""
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
        numbers[ENTRIES] += 1
        if not known:
            numbers[STATES] += 1
    entry.visits += 1
    entry.value += _step_size(entry.visits, numbers, settings) * (target - entry.value)


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
def best_legal(values: npt.NDArray[np.float64], mask: npt.NDArray[np.int8]) -> float:
    """The highest value of a legal action."""
    best = -np.inf
    for action in range(mask.shape[0]):
        if mask[action] and values[action] > best:
            best = values[action]
    return float(best)


@rule
def greedy_legal(values: npt.NDArray[np.float64], mask: npt.NDArray[np.int8], generator: Any) -> int:
    """A legal action of the highest value, at random among equals."""
    best = best_legal(values, mask)
    equals = 0
    for action in range(mask.shape[0]):
        equals += mask[action] != 0 and values[action] == best
    place = uniform(generator, equals) if equals > 1 else 0
    for action in range(mask.shape[0]):
        if mask[action] and values[action] == best:
            if place == 0:
                return action
            place -= 1
    return -1


@rule
def linear(step: float, start: float, end: float, steps: float) -> float:
    """From `start` to `end` in `steps`, in a straight line; `end` from there on."""
    return end if step >= steps else start + (end - start) * step / steps


# -- the loop ---------------------------------------------------------------------------------------------------------


@template
def _learn(
    states: Any,
    rows: Any,
    policy_tables: Any,
    choices: Any,
    shares: Any,
    values: Any,
    visits: Any,
    entries: Any,
    observation: Any,
    worth: Any,
    mask: Any,
    keys: Any,
    opened: Any,
    pay: Any,
    generator: Any,
    numbers: Any,
    settings: Any,
    sarsa: bool,
    deal_ends: bool,
    deals: int,
) -> None:
    """Play and learn until the learner has taken `numbers[UNTIL]` decisions.

    `keys[seat]` and `opened[seat]` are the state and the action that wait for the seat's next decision (-1: none);
    `pay[0, seat]` is what the seat was paid since.
    """
    state = states[0]
    row = rows[0]
    while numbers[DECISIONS] < numbers[UNTIL]:
        if row.current_player < 0:
            for place in range(1, state.num_players):
                drawn = uniform_float(generator)
                number = 0
                while number < shares.shape[0] - 1 and shares[number] <= drawn:
                    number += 1
                row.lineup[place] = choices[number]
            if deals > 0:
                row.games = np.uint64(uniform(generator, deals))
            bound.prepare(state, row)
            if deals > 0:
                row.choice[0] = next_bits(generator)  # The deal is an old one, what players choose in it is not.
            row.current_player = 0
        before_deal = bound.deal(state)
        move = bound.next_move(state, row, policy_tables, mask)
        seat = row.current_player
        ended = move < 0 and seat < 0
        learns = move < 0 and seat >= 0
        here = np.uint64(0)
        if learns:
            here = bound.values_of(state, seat, observation, values, entries, worth, numbers)
            if numbers[FULL]:
                return
            step = float(numbers[DECISIONS])
            if uniform_float(generator) < linear(step, settings[1], settings[2], settings[3]):
                move = uniform_legal(mask, generator)
            else:
                move = greedy_legal(worth, mask, generator)
        for other in range(state.num_players):
            if opened[other] >= 0 and (ended or (learns and other == seat)):
                ahead = 0.0
                if not ended:
                    ahead = worth[move] if sarsa else best_legal(worth, mask)
                target = pay[0, other] + settings[7] * ahead
                bound.move_value(values, visits, entries, keys[other], opened[other], target, numbers, settings)
                opened[other] = -1
        if ended:
            row.current_player = -1
            numbers[GAMES] += 1
            continue
        if learns:
            numbers[DECISIONS] += 1
            keys[seat] = here
            opened[seat] = move
            pay[0, seat] = 0.0
        bound.apply_action(state, move)
        for other in range(state.num_players):
            pay[1, other] = 0.0
        bound.rewards(state, pay[1])
        for other in range(state.num_players):
            pay[0, other] += pay[1, other]
        if deal_ends and bound.deal(state) != before_deal:
            for other in range(state.num_players):
                if opened[other] >= 0:
                    bound.move_value(
                        values, visits, entries, keys[other], opened[other], pay[0, other], numbers, settings
                    )
                    opened[other] = -1


@cache
def learning_loop(kernel: Kernel, observation_name: str) -> Callable[..., Any]:
    """`_learn` for a game, with values by an observation's hash, or by the game's own indices if no name is given."""
    suffix = f"_{observation_name or 'index'}"
    if observation_name:
        names = {"observe": kernel.game.observation(observation_name).write}
        values_of = kernel.inlined(_values_by_hash, suffix, **names)
        move_value = kernel.inlined(_move_by_hash, suffix)
    else:
        values_of = kernel.inlined(_values_by_index, suffix)
        move_value = kernel.inlined(_move_by_index, suffix)
    return kernel.entry_point(_learn, suffix, values_of=values_of, move_value=move_value)


insert = bind(_insert, "entries")
"""Put pairs, all different, into an empty dictionary: `insert(entries, pairs)`, arrays of `ENTRY`."""

"""The compiled walk over all histories of a game; see `tree`.

It is depth-first, so only the states of one history exist at a time. It stops whenever one of its arrays is full, and
continues where it stopped once the array has grown.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from cardgym.engine.binding import bind_rules
from cardgym.engine.compilation import bound, compiled, name_entry_point, template
from cardgym.engine.contract import CHANCE, END, Game
from cardgym.engine.rules import derive, hash_in, hash_of, hash_words, rule

DONE, NODES, EDGES, ENDS, SETS, CHOICES, PENDING, PLACES, SET_PLACES, DEPTH = range(10)
"""What a walk returns: that it is done, or which arrays are full. Also the indices of its counters: the numbers of
nodes, edges and so on found so far, and its depth."""

_ONE, _ZERO = np.uint64(1), np.uint64(0)

FRAMES = {
    "opened": (np.int8, ""),  # Whether the node is open; otherwise it was just reached.
    "seats": (np.int64, ""),  # Who moves: a seat or CHANCE.
    "num_moves": (np.int64, ""),  # The number of moves.
    "num_played": (np.int64, ""),  # The number of moves played.
    "moves": (np.int64, ""),  # The last move played; -1 before the first.
    "masks": (np.int8, "actions"),  # The legal actions.
    "first": (np.int64, ""),  # Where the node's pending targets start.
    "sets": (np.int64, ""),  # The information set; -1 at chance nodes.
    "keys": (np.uint64, ""),  # The hash of the node.
    "silent_keys": (np.uint64, ""),  # The hash of its state and payments alone.
    "decides": (np.int8, ""),  # Whether a decision was found from here on.
    "set_keys": (np.uint64, ""),  # The hash of the information set.
    "memory": (np.uint64, "players"),  # The hash of all that each seat has seen and done.
    "choices": (np.int64, "players"),  # The last choice of each seat; -1 before its first.
    "payments": (np.float64, "players"),  # What each seat has been paid.
    "targets": (np.int64, ""),  # The node's number, or -1 - e for end number e, once it is known.
    "histories": (np.int64, ""),  # Histories from here on, found so far.
}
"""The arrays, by depth, of the history being walked: the dtype of each, and what it has columns for."""
Frames = cast(Any, namedtuple("Frames", ("words", *FRAMES)))
"""These arrays; `words`, (depth, words), are the states as unsigned numbers, which share memory with the states."""

FOUND = {
    "seats": (np.int8, "", NODES),
    "info_sets": (np.int32, "", NODES),
    "first_edge": (np.int64, "", NODES),
    "paid_before": (np.float64, "players", NODES),
    "targets": (np.int32, "", EDGES),
    "chances": (np.float64, "", EDGES),
    "payments": (np.float64, "players", ENDS),
    "set_seats": (np.int64, "", SETS),
    "set_keys": (np.int64, "", SETS),
    "set_before": (np.int64, "", SETS),
    "set_words": (None, "words", SETS),  # The first state of each set, of the dtype of `Frames.words`.
    "first_choice": (np.int64, "", SETS),
    "choice_actions": (np.int64, "", CHOICES),
    "pending": (np.int64, "", PENDING),  # Targets of nodes that are not finished.
    "shares": (np.float64, "", PENDING),  # Their probabilities.
    "places": (np.uint64, "", PLACES),  # The open-addressed table of nodes by their hashes; 0 where it is empty.
    "targets_at": (np.int64, "", PLACES),  # The target at each place.
    "histories_at": (np.int64, "", PLACES),  # The number of histories that start at that node.
    "set_places": (np.uint64, "", SET_PLACES),  # The same for information sets.
    "sets_at": (np.int64, "", SET_PLACES),  # The information set at each place.
}
"""The arrays that a walk fills: the dtype and the columns of each, and its kind; arrays of one kind grow together. See
also `TreeArrays`."""
Found = cast(Any, namedtuple("Found", FOUND))


def walk_of(game: Game) -> Callable[..., int]:
    """Return the walk of a game, compiled; see `_walk`."""
    walk = bind_rules(_walk, game, game.default_observation, (_open_node, _play_move))
    name_entry_point(f"{game.id} (solver)", walk)
    return walk


@template
def _walk(
    states: Any, frames: Any, found: Any, counters: Any, observation: Any, paid: Any, limit: int, whole_state: bool,
    symmetric: bool,
) -> int:  # fmt: skip
    """Continue the walk until it is done, an array is full, or there are `limit` nodes; returns the reason.

    A seat's memory is the hash of what it saw (its observation, key and mask) and did at its decisions. Histories with
    the same state, memories and payments have the same future and are one node; where no decision follows, memories
    do not matter. All ends that pay the same are one, and outcomes of a chance node that lead to the same node are one
    edge. See `enumerate_tree` for `whole_state` and `symmetric`.
    """
    while True:
        depth = counters[DEPTH]
        if frames.opened[depth] == 0:
            # Check for room first, so that opening a node never stops halfway.
            full = _full_before_opening(frames, found, counters)
            if full != DONE:
                return full
            bound.open_node(states[depth], depth, frames, found, counters, observation, whole_state)
        if frames.opened[depth] != 0:
            if frames.num_played[depth] < frames.num_moves[depth]:
                if depth + 1 == states.shape[0]:
                    return DEPTH
                if counters[PENDING] >= found.pending.shape[0]:
                    return PENDING
                bound.play_move(states, depth, frames, found, paid, whole_state, symmetric)
                counters[DEPTH] += 1
                continue
            if counters[NODES] >= min(limit, found.seats.shape[0]):
                return NODES
            if counters[EDGES] + counters[PENDING] - frames.first[depth] > found.targets.shape[0]:
                return EDGES
            _close_node(depth, frames, found, counters)
        if depth == 0:
            return DONE
        _hand_up(depth, frames, found, counters)


@template
def _open_node(
    state: Any, depth: int, frames: Any, found: Any, counters: Any, observation: Any, whole_state: bool
) -> None:
    """Open the node that was just reached. If it is an end, or was reached before, find its target instead."""
    num_moves = bound.num_chance_outcomes(state)
    seat = CHANCE if num_moves > 0 else bound.current_player(state)
    key = _ZERO
    for player in range(frames.payments.shape[1]):
        key = hash_in(key, np.uint64(np.int64(round(frames.payments[depth, player] * 1048576.0))))
    if seat == END:
        _find_end(_never_zero(key), depth, frames, found, counters)
        return
    frames.silent_keys[depth] = _never_zero(hash_words(frames.words[depth], key))
    if _was_reached(depth, frames, found):
        return
    frames.sets[depth] = -1
    if seat >= 0:
        mask = frames.masks[depth]
        bound.legal_action_mask(state, mask)
        bound.observe(state, seat, observation)
        known = bound.info_state_key(state, seat)
        if whole_state:
            key = hash_words(frames.words[depth], np.uint64(seat))
        else:
            key = hash_in(frames.memory[depth, seat] ^ hash_of(observation), np.uint64(seat))
            key = hash_in(key, np.uint64(np.int64(known)))
        for action in range(mask.shape[0]):
            if mask[action]:
                num_moves += 1
                key = hash_in(key, np.uint64(action))
        frames.set_keys[depth] = _never_zero(key)
        _find_set(seat, known, depth, frames, found, counters)
    frames.opened[depth] = 1
    frames.decides[depth] = 1 if seat >= 0 else 0
    frames.seats[depth] = seat
    frames.num_moves[depth] = num_moves
    frames.num_played[depth] = 0
    frames.moves[depth] = -1
    frames.first[depth] = counters[PENDING]
    frames.histories[depth] = 1


@template
def _play_move(states: Any, depth: int, frames: Any, found: Any, paid: Any, whole_state: bool, symmetric: bool) -> None:
    """Play the node's next move on a copy of its state, which becomes the next frame."""
    seat = frames.seats[depth]
    move = frames.moves[depth] + 1
    while seat >= 0 and frames.masks[depth, move] == 0:
        move += 1
    frames.moves[depth] = move
    states[depth + 1] = states[depth]
    child = states[depth + 1]
    paid[:] = 0.0
    bound.apply_action(child, move)
    bound.rewards(child, paid)
    if symmetric:
        bound.canonical(child)
    for player in range(frames.memory.shape[1]):
        child.paid[player] = 0.0
        frames.payments[depth + 1, player] = frames.payments[depth, player] + paid[player]
        frames.memory[depth + 1, player] = frames.memory[depth, player]
        frames.choices[depth + 1, player] = frames.choices[depth, player]
    if seat >= 0:
        if not whole_state:
            frames.memory[depth + 1, seat] = derive(frames.set_keys[depth], np.uint64(move))
        frames.choices[depth + 1, seat] = found.first_choice[frames.sets[depth]] + frames.num_played[depth]
    frames.num_played[depth] += 1
    frames.opened[depth + 1] = 0


@rule
def _full_before_opening(frames: Any, found: Any, counters: Any) -> int:
    """Which arrays lack room for what opening a node may add; DONE if none does."""
    if counters[SETS] >= found.set_seats.shape[0]:
        return SETS
    if counters[CHOICES] + frames.masks.shape[1] > found.choice_actions.shape[0]:
        return CHOICES
    if counters[ENDS] >= found.payments.shape[0]:
        return ENDS
    if counters[PLACES] * 3 >= found.places.shape[0] * 2:
        return PLACES
    if counters[SETS] * 3 >= found.set_places.shape[0]:
        return SET_PLACES
    return DONE


@rule
def _find_end(key: np.uint64, depth: int, frames: Any, found: Any, counters: Any) -> None:
    """Find the end that pays the same, or add it."""
    place = find_place(found.places, key)
    if found.places[place] == _ZERO:
        _copy(frames.payments[depth], found.payments[counters[ENDS]])
        counters[ENDS] += 1
        _note_target(place, key, -counters[ENDS], 1, found, counters)
    _take_target(place, 0, depth, frames, found)


@rule
def _was_reached(depth: int, frames: Any, found: Any) -> bool:
    """Whether the node was reached before; its target is then known."""
    key = frames.silent_keys[depth]
    for player in range(frames.memory.shape[1]):
        key = hash_in(key, frames.memory[depth, player])
    frames.keys[depth] = _never_zero(key)
    place = find_place(found.places, frames.keys[depth])
    decides = 1
    if found.places[place] == _ZERO:
        place = find_place(found.places, frames.silent_keys[depth])
        decides = 0
    if found.places[place] == _ZERO:
        return False
    _take_target(place, decides, depth, frames, found)
    return True


@rule
def _find_set(seat: int, known: int, depth: int, frames: Any, found: Any, counters: Any) -> None:
    """Find the information set of a decision, or add it."""
    place = find_place(found.set_places, frames.set_keys[depth])
    if found.set_places[place] == _ZERO:
        number = counters[SETS]
        found.set_places[place] = frames.set_keys[depth]
        found.sets_at[place] = number
        found.set_seats[number] = seat
        found.set_keys[number] = known
        found.set_before[number] = frames.choices[depth, seat]
        _copy(frames.words[depth], found.set_words[number])
        found.first_choice[number] = counters[CHOICES]
        for action in range(frames.masks.shape[1]):
            if frames.masks[depth, action]:
                found.choice_actions[counters[CHOICES]] = action
                counters[CHOICES] += 1
        counters[SETS] += 1
    frames.sets[depth] = found.sets_at[place]


@rule
def _close_node(depth: int, frames: Any, found: Any, counters: Any) -> None:
    """Add the node, all of whose moves lead to known targets; chance that leads to one target alone is not a node."""
    first, last = frames.first[depth], counters[PENDING]
    for at in range(first, last):
        found.shares[at] = 1.0
    if frames.seats[depth] == CHANCE:
        for at in range(first, last):
            found.shares[at] = 1.0 / frames.num_moves[depth]
        last = _merged(found.pending, found.shares, first, last)
    target = found.pending[first]
    if frames.seats[depth] != CHANCE or last > first + 1:
        target = counters[NODES]
        found.seats[target] = frames.seats[depth]
        found.info_sets[target] = frames.sets[depth]
        found.first_edge[target] = counters[EDGES]
        _copy(frames.payments[depth], found.paid_before[target])
        for at in range(first, last):
            found.targets[counters[EDGES]] = found.pending[at]
            found.chances[counters[EDGES]] = found.shares[at]
            counters[EDGES] += 1
        counters[NODES] += 1
    counters[PENDING] = first
    frames.targets[depth] = target
    key = frames.keys[depth] if frames.decides[depth] else frames.silent_keys[depth]
    _note_target(find_place(found.places, key), key, target, frames.histories[depth], found, counters)


@rule
def _merged(pending: npt.NDArray[np.int64], shares: npt.NDArray[np.float64], first: int, last: int) -> int:
    """Merge entries with the same target into the first of them; returns the new end."""
    end = first
    for at in range(first, last):
        same = first
        while same < end and pending[same] != pending[at]:
            same += 1
        if same < end:
            shares[same] += shares[at]
        else:
            pending[end] = pending[at]
            shares[end] = shares[at]
            end += 1
    return end


@rule
def _hand_up(depth: int, frames: Any, found: Any, counters: Any) -> None:
    """Return to the node before, which leads to the target."""
    found.pending[counters[PENDING]] = frames.targets[depth]
    counters[PENDING] += 1
    counters[DEPTH] = depth - 1
    frames.histories[depth - 1] += frames.histories[depth]
    if frames.decides[depth]:
        frames.decides[depth - 1] = 1


@rule
def _note_target(place: int, key: np.uint64, target: int, histories: int, found: Any, counters: Any) -> None:
    found.places[place] = key
    found.targets_at[place] = target
    found.histories_at[place] = histories
    counters[PLACES] += 1


@rule
def _take_target(place: int, decides: int, depth: int, frames: Any, found: Any) -> None:
    frames.targets[depth] = found.targets_at[place]
    frames.histories[depth] = found.histories_at[place]
    frames.decides[depth] = decides


@rule
def _copy(source: npt.NDArray[Any], out: npt.NDArray[Any]) -> None:
    for place in range(source.shape[0]):  # Assigning a whole row would count references.
        out[place] = source[place]


@rule
def _never_zero(key: np.uint64) -> np.uint64:
    return _ONE if key == _ZERO else key


# -- tables by hash ----------------------------------------------------------------------------------------------------


@rule
def find_place(places: npt.NDArray[np.uint64], key: np.uint64) -> int:
    """Return the place of a key in an open-addressed table, or the empty one where it belongs."""
    last = np.int64(places.shape[0] - 1)
    place = np.int64(key & np.uint64(last))
    while places[place] != _ZERO and places[place] != key:
        place = (place + 1) & last
    return int(place)


@compiled
def insert_all(keys: npt.NDArray[np.uint64], places: npt.NDArray[np.uint64], new_places: npt.NDArray[np.int64]) -> None:
    """Insert keys, (n,), into a table; write their places."""
    for number in range(keys.shape[0]):
        new_places[number] = find_place(places, keys[number])
        places[new_places[number]] = keys[number]

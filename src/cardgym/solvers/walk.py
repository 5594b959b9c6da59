"""The compiled walk over all histories of a game; see `tree`.

It is depth-first, so only the states of one history exist at a time. It stops whenever one of its arrays is full, and
continues where it stopped once the array has grown.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import bound, compiled, template
from cardgym.engine.rules import GOLDEN, hash_of, hash_words, mix, rule

CHANCE = -1
"""The seat of a chance node."""
DONE, NODES, EDGES, ENDS, SETS, CHOICES, PENDING, PLACES, SET_PLACES, DEPTH, ROOT = range(11)
"""What a walk returns: that it is done, or which arrays are full. Also the indices of its counters: the numbers of
nodes, edges and so on found so far, its depth, and finally the root."""

_ONE, _ZERO = np.uint64(1), np.uint64(0)


FRAMES = {
    "opened": (np.int8, ""),  # Whether the node is open; otherwise it was just reached.
    "seats": (np.int64, ""),  # Who moves.
    "counts": (np.int64, ""),  # The number of moves.
    "moves": (np.int64, ""),  # The last move played; -1 before the first.
    "numbers": (np.int64, ""),  # The number of moves played.
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
    "histories": (np.int64, ""),  # Histories from here on, found so far.
}
"""The arrays, by depth, of the history being walked: the dtype of each, and what it has columns for."""
Frames = cast(Any, namedtuple("Frames", ("words", *FRAMES)))
"""These arrays; `words`, (depth, words), are the states as unsigned numbers, which share memory with the states."""

FOUND = {
    "seats": (np.int8, "", NODES),
    "info_sets": (np.int32, "", NODES),
    "first_edge": (np.int64, "", NODES),
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


@rule
def find_place(places: npt.NDArray[np.uint64], key: np.uint64) -> int:
    """The place of a key in an open-addressed table, or the empty one where it belongs."""
    last = np.int64(places.shape[0] - 1)
    place = np.int64(key & np.uint64(last))
    while places[place] != _ZERO and places[place] != key:
        place = (place + 1) & last
    return int(place)


@rule
def _never_zero(key: np.uint64) -> np.uint64:
    return _ONE if key == _ZERO else key


@compiled
def insert_all(keys: npt.NDArray[np.uint64], places: npt.NDArray[np.uint64], new_places: npt.NDArray[np.int64]) -> None:
    """Insert keys, (n,), into a table; write their places."""
    for number in range(keys.shape[0]):
        new_places[number] = find_place(places, keys[number])
        places[new_places[number]] = keys[number]


@template
def walk(states: Any, frames: Any, found: Any, counters: Any, observation: Any, paid: Any, limit: int) -> int:
    """Continue the walk until it is done, an array is full, or there are `limit` nodes; returns the reason.

    A seat's memory is the hash of what it saw (its observation, key and mask) and did at its decisions. Histories with
    the same state, memories and payments have the same future and are one node; where no decision follows, memories
    do not matter. All ends that pay the same are one, and outcomes of a chance node that lead to the same node are one
    edge.
    """
    depth = counters[DEPTH]
    num_players = frames.memory.shape[1]
    num_actions = frames.masks.shape[1]
    while True:
        state = states[depth]
        target = 0
        histories = 1
        back = False
        decides = False
        if frames.opened[depth] == 0:
            # Check for room first, so that opening a node never stops halfway.
            if counters[SETS] >= found.set_seats.shape[0]:
                return SETS
            if counters[CHOICES] + num_actions > found.choice_actions.shape[0]:
                return CHOICES
            if counters[ENDS] >= found.payments.shape[0]:
                return ENDS
            if counters[PLACES] * 3 >= found.places.shape[0] * 2:
                return PLACES
            if counters[SETS] * 3 >= found.set_places.shape[0]:
                return SET_PLACES
            count = bound.num_chance_outcomes(state)
            seat = CHANCE if count > 0 else bound.current_player(state)
            key = GOLDEN
            for player in range(num_players):
                payment = np.int64(round(frames.payments[depth, player] * 1048576.0))
                key = mix(key ^ np.uint64(payment)) + GOLDEN
            if count == 0 and seat < 0:
                key = _never_zero(key)
                place = find_place(found.places, key)
                if found.places[place] == _ZERO:
                    for player in range(num_players):
                        found.payments[counters[ENDS], player] = frames.payments[depth, player]
                    counters[ENDS] += 1
                    found.places[place] = key
                    found.targets_at[place] = -counters[ENDS]
                    found.histories_at[place] = 1
                    counters[PLACES] += 1
                target = found.targets_at[place]
                back = True
            else:
                silent_key = _never_zero(hash_words(frames.words[depth], key))
                key = silent_key
                for player in range(num_players):
                    key = mix(key ^ frames.memory[depth, player]) + GOLDEN
                key = _never_zero(key)
                place = find_place(found.places, key)
                decides = found.places[place] == key
                if not decides:
                    place = find_place(found.places, silent_key)
                if found.places[place] != _ZERO:
                    target = found.targets_at[place]
                    histories = found.histories_at[place]
                    back = True
                else:
                    frames.sets[depth] = -1
                    if seat >= 0:
                        mask = frames.masks[depth]
                        bound.legal_action_mask(state, mask)
                        bound.observe(state, seat, observation)
                        known = bound.info_state_key(state, seat)
                        set_key = mix(frames.memory[depth, seat] ^ hash_of(observation)) + np.uint64(seat)
                        set_key = mix(set_key ^ np.uint64(np.int64(known))) + GOLDEN
                        for action in range(num_actions):
                            if mask[action]:
                                count += 1
                                set_key = mix(set_key ^ np.uint64(action)) + GOLDEN
                        set_key = _never_zero(set_key)
                        place = find_place(found.set_places, set_key)
                        if found.set_places[place] == _ZERO:
                            number = counters[SETS]
                            found.set_places[place] = set_key
                            found.sets_at[place] = number
                            found.set_seats[number] = seat
                            found.set_keys[number] = known
                            found.set_before[number] = frames.choices[depth, seat]
                            found.first_choice[number] = counters[CHOICES]
                            for word in range(found.set_words.shape[1]):
                                found.set_words[number, word] = frames.words[depth, word]
                            for action in range(num_actions):
                                if mask[action]:
                                    found.choice_actions[counters[CHOICES]] = action
                                    counters[CHOICES] += 1
                            counters[SETS] += 1
                        frames.sets[depth] = found.sets_at[place]
                        frames.set_keys[depth] = set_key
                    frames.opened[depth] = 1
                    frames.keys[depth] = key
                    frames.silent_keys[depth] = silent_key
                    frames.decides[depth] = 1 if seat >= 0 else 0
                    frames.seats[depth] = seat
                    frames.counts[depth] = count
                    frames.moves[depth] = -1
                    frames.numbers[depth] = 0
                    frames.first[depth] = counters[PENDING]
                    frames.histories[depth] = 1
        if not back and frames.numbers[depth] < frames.counts[depth]:
            # Play the next move on a copy of the state.
            if depth + 1 == states.shape[0]:
                return DEPTH
            if counters[PENDING] >= found.pending.shape[0]:
                return PENDING
            seat = frames.seats[depth]
            move = frames.moves[depth] + 1
            while seat >= 0 and frames.masks[depth, move] == 0:
                move += 1
            frames.moves[depth] = move
            states[depth + 1] = state
            for player in range(num_players):
                frames.memory[depth + 1, player] = frames.memory[depth, player]
                frames.choices[depth + 1, player] = frames.choices[depth, player]
                paid[player] = 0.0
            child = states[depth + 1]
            bound.apply_action(child, move)
            bound.rewards(child, paid)
            bound.canonical(child)
            for player in range(num_players):
                child.paid[player] = 0.0
                frames.payments[depth + 1, player] = frames.payments[depth, player] + paid[player]
            if seat >= 0:
                frames.memory[depth + 1, seat] = mix(frames.set_keys[depth] + np.uint64(move + 1) * GOLDEN)
                choice = found.first_choice[frames.sets[depth]] + frames.numbers[depth]
                frames.choices[depth + 1, seat] = choice
            frames.numbers[depth] += 1
            frames.opened[depth + 1] = 0
            depth += 1
            counters[DEPTH] = depth
            continue
        if not back:
            # The node is finished, after all nodes that it leads to.
            first = frames.first[depth]
            last = counters[PENDING]
            if counters[NODES] >= found.seats.shape[0] or counters[NODES] >= limit:
                return NODES
            if counters[EDGES] + last - first > found.targets.shape[0]:
                return EDGES
            share = 1.0
            if frames.seats[depth] == CHANCE:
                share = 1.0 / frames.counts[depth]
            for at in range(first, last):
                found.shares[at] = share
            if frames.seats[depth] == CHANCE:
                last = _merged(found.pending, found.shares, first, last)
            histories = frames.histories[depth]
            if frames.seats[depth] == CHANCE and last == first + 1:
                target = found.pending[first]  # All outcomes lead to the same node.
            else:
                target = counters[NODES]
                found.seats[target] = frames.seats[depth]
                found.info_sets[target] = frames.sets[depth]
                found.first_edge[target] = counters[EDGES]
                for at in range(first, last):
                    found.targets[counters[EDGES]] = found.pending[at]
                    found.chances[counters[EDGES]] = found.shares[at]
                    counters[EDGES] += 1
                counters[NODES] += 1
            counters[PENDING] = first
            decides = frames.decides[depth] != 0
            key = frames.keys[depth] if decides else frames.silent_keys[depth]
            place = find_place(found.places, key)
            found.places[place] = key
            found.targets_at[place] = target
            found.histories_at[place] = histories
            counters[PLACES] += 1
        if depth == 0:
            counters[ROOT] = target
            frames.histories[0] = histories
            return DONE
        depth -= 1
        counters[DEPTH] = depth
        found.pending[counters[PENDING]] = target
        counters[PENDING] += 1
        frames.histories[depth] += histories
        if decides:
            frames.decides[depth] = 1


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

"""The chance to win from here: a search of the public tree of one deal's play against the opponent's possible hands.

The searching seat knows its own cards and has a weight for each hand the opponent may hold. The opponent plays like
`equilibrium` or, with the policy's share of takers, as a taker. A node carries every hand that is consistent with the
cards played, so nothing is sampled. Near the end of the play the seat takes the card with the greatest chance at each
of its nodes; before that it follows the policy, because the tree of its best cards would be too large. A branch ends
when a side reaches the target, or with the show; `Shows` has the points that each hand then scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float32s, Float64s, Int8s, Int64s, rule
from cardgym.games.cribbage.cards import worth
from cardgym.games.cribbage.chance_table import ChanceTable
from cardgym.games.cribbage.pegging.hands import HANDS, LOWEST, SLOTS, WITHOUT, taker_shares
from cardgym.games.cribbage.pegging.policy import PeggingPolicy, find_node, node_key, policy_shares, sequence_code
from cardgym.games.cribbage.pegging.shows import Shows, chance_after_play
from cardgym.games.cribbage.scoring import points_of, points_of_next

_FRAMES = 256
_ENTRIES = 24 * HANDS
"""Room for the hands of all open nodes: at most one node's for each card and each go on the way to it."""
_MIN_SHARE = 0.15
"""Cards that a hand plays less often than this are left out, and the others scaled up."""

(
    _PARENT, _START, _END, _FREE, _TURN, _NUMBER, _SIZE, _THEIRS, _PLACED, _COUNT, _PILE, _CODE, _GAIN, _LOSS, _RANK,
    _COLUMNS,
) = range(16)  # fmt: skip
"""Columns of a frame: the frame above; its hands, and the first free place behind all of them; whose turn it is; the
seat's cards; the number of the opponent's; the cards played, the count, and where the pile starts among them; the code
of the node; the points won by the seat and the opponent since the root; and the card played last."""
_OWN, _THEIR, _SUM, _BEST = range(4)
"""Values of `_TURN`: a node to be searched, or one that waits for its children and adds them up or takes the best."""


class Root(NamedTuple):
    """Where a search starts.

    Attributes:
        number: the multiset that the seat holds; `size`: its number of cards; `theirs`: the opponent's.
        own_turn: whether the seat is to play; `dealer`: 1 if it deals; `running_count`: the count.
        placed: the number of cards played; `pile`: the place of the first since the last restart; `code`: that of
            `tree.sequence_code`.
        to_go: the points that the seat needs; `opponent_to_go`: those that the opponent needs.
        solve_from: with at most this many cards left in both hands, the seat takes its best card.
    """

    number: int
    size: int
    theirs: int
    own_turn: bool
    dealer: int
    running_count: int
    placed: int
    pile: int
    code: int
    to_go: int
    opponent_to_go: int
    solve_from: int


class Memory(NamedTuple):
    """What a search overwrites.

    Attributes:
        rests: (_ENTRIES,), int16: the multiset left of each hand of a node; `kinds`, (_ENTRIES,), int16: its kind in
            `Shows`; `weights`, (_ENTRIES, 2), float64: the probability that it is an equal's or a taker's and was
            played so. A search starts with those of the root.
    """

    rests: npt.NDArray[np.int16]
    kinds: npt.NDArray[np.int16]
    weights: Float64s
    frames: Int64s
    sums: Float64s
    shares: Float64s
    sequence: Int8s
    policy_shares: Float32s
    taker_shares: Float32s
    branch: Float64s
    branches: Int64s
    places: Int64s


def new_memory() -> Memory:
    return Memory(
        np.empty(_ENTRIES, np.int16),
        np.empty(_ENTRIES, np.int16),
        np.empty((_ENTRIES, 2)),
        np.empty((_FRAMES, _COLUMNS), np.int64),
        np.empty(_FRAMES),
        np.empty(_FRAMES),
        np.empty(10, np.int8),
        np.empty(4, np.float32),
        np.empty(4, np.float32),
        np.empty((4 * HANDS, 2)),
        np.empty((4 * HANDS, 3), np.int64),
        np.empty(14, np.int64),
    )


@rule
def search(
    policy: PeggingPolicy, table: ChanceTable, root: Root, hands: int, shows: Shows, memory: Memory, values: Float64s
) -> float:
    """The chance to win, times the weight of all hands, if the seat follows the policy from the root on.

    Args:
        policy: the solved play.
        table: the chances to win.
        root: where the search starts.
        hands: the number of hands at the start of `memory`.
        shows: what follows the play.
        memory: overwritten.
        values: (13,), filled at the ranks that the seat may play with the chance by playing each, times that weight;
            (0,) if they are not wanted.
    """
    frames, sums, sequence = memory.frames, memory.sums, memory.sequence
    first = frames[0]
    first[:] = 0
    first[_PARENT] = -1
    first[_END] = first[_FREE] = hands
    first[_TURN] = _OWN if root.own_turn else _THEIR
    first[_NUMBER] = root.number
    first[_SIZE] = root.size
    first[_THEIRS] = root.theirs
    first[_PLACED] = root.placed
    first[_COUNT] = root.running_count
    first[_PILE] = root.pile
    first[_CODE] = root.code
    first[_RANK] = sequence[max(root.placed - 1, 0)]
    sums[0] = 0.0
    every = len(values) > 0
    top = 0
    while top >= 0:
        frame = frames[top]
        if frame[_TURN] == _OWN or frame[_TURN] == _THEIR:
            sequence[max(frame[_PLACED] - 1, 0)] = frame[_RANK]
            if frame[_TURN] == _OWN:
                top = _play_own(policy, table, root, shows, memory, top, every and top == 0)
            else:
                top = _play_theirs(policy, table, root, shows, memory, top)
            continue
        parent = frame[_PARENT]
        if parent == 0 and root.own_turn and every:
            values[frame[_RANK]] = sums[top]
        if parent >= 0 and frames[parent, _TURN] == _BEST:
            sums[parent] = max(sums[parent], sums[top])
        elif parent >= 0:
            sums[parent] += memory.shares[top] * sums[top]
        top -= 1
    return float(sums[0])


@rule
def _play_own(
    policy: PeggingPolicy, table: ChanceTable, root: Root, shows: Shows, memory: Memory, at: int, every: bool
) -> int:
    """Open the children of a node at which the seat plays, even those of share 0 if `every`; return the last frame."""
    frames, sums, shares, rests = memory.frames, memory.sums, memory.policy_shares, memory.rests
    frame = frames[at]
    size, number, theirs, placed = int(frame[_SIZE]), int(frame[_NUMBER]), int(frame[_THEIRS]), int(frame[_PLACED])
    count, pile, start, end = int(frame[_COUNT]), int(frame[_PILE]), int(frame[_START]), int(frame[_END])
    base = -1
    if size > 1 and size + theirs > root.solve_from:
        base = find_node(policy, node_key(int(frame[_CODE]), root.dealer, count == 0 and placed > 0))
    legal = policy_shares(policy, base, size, number, 31 - count, shares)
    best = base < 0
    frame[_TURN] = _BEST if best else _SUM
    share = np.float32(0.0)
    for slot in range(legal):
        if shares[slot] < _MIN_SHARE:
            shares[slot] = 0.0
        share += shares[slot]
    word = points_of_next(memory.sequence[pile:], placed - pile)
    top = at
    for slot in range(legal):
        if not best and shares[slot] == 0.0 and not every:
            continue
        rank, rest = int(SLOTS[size, number, slot]), int(WITHOUT[size, number, slot])
        gain = int(frame[_GAIN]) + points_of(word, count, rank)
        after = count + worth(rank)
        top += 1
        card = top  # Adds up what may follow this card.
        frames[card, _PARENT] = at
        frames[card, _TURN] = _SUM
        frames[card, _RANK] = rank
        sums[card] = 0.0
        memory.shares[card] = shares[slot] / share
        if gain >= root.to_go:
            sums[card] = _weight(memory, start, end)
            continue
        first, last = start, end
        if after < 31:  # Copy the hands that can answer, then those that cannot.
            first = int(frame[_FREE])
            middle = first
            for goes in range(2):
                for entry in range(start, end):
                    if (theirs > 0 and LOWEST[theirs, rests[entry]] <= 31 - after) == (goes == 0):
                        _copy(memory, entry, int(frame[_FREE]))
                        frame[_FREE] += 1
                middle = int(frame[_FREE]) if goes == 0 else middle
            last = int(frame[_FREE])
            if middle > first:
                top = _open(memory, root, top, at, card, first, middle, _THEIR, rest, after, gain, rank)
            first = middle
            if first < last and size > 1 and LOWEST[size - 1, rest] <= 31 - after:
                top = _open(memory, root, top, at, card, first, last, _OWN, rest, after, gain, rank)
                continue
            gain += 1
        if first == last:
            continue
        if gain >= root.to_go:
            sums[card] += _weight(memory, first, last)
        elif theirs == 0 and size == 1:
            sums[card] += _count(table, root, shows, memory, first, last, gain, int(frame[_LOSS]))
        else:
            turn = _THEIR if theirs > 0 else _OWN
            top = _open(memory, root, top, at, card, first, last, turn, rest, 0, gain, rank)
    return top


@rule
def _play_theirs(policy: PeggingPolicy, table: ChanceTable, root: Root, shows: Shows, memory: Memory, at: int) -> int:
    """Open the children of a node at which the opponent plays and return the last open frame."""
    frame, sums, weights, rests, places = memory.frames[at], memory.sums, memory.weights, memory.rests, memory.places
    size, number, theirs, placed = int(frame[_SIZE]), int(frame[_NUMBER]), int(frame[_THEIRS]), int(frame[_PLACED])
    count, pile, gain = int(frame[_COUNT]), int(frame[_PILE]), int(frame[_GAIN])
    frame[_TURN] = _SUM
    base = -1
    if size > 0 and theirs > 1 and size + theirs > 3:
        base = find_node(policy, node_key(int(frame[_CODE]), 1 - root.dealer, count == 0 and placed > 0))
    word = points_of_next(memory.sequence[pile:], placed - pile)
    # Collect the cards that each hand may play, then sort them by rank.
    branch_count = 0
    for entry in range(int(frame[_START]), int(frame[_END])):
        branch_count = _answers(policy, memory, entry, int(rests[entry]), theirs, base, word, count, branch_count)
    free = int(frame[_FREE])
    places[:] = 0
    places[0] = free
    for place in range(branch_count):
        places[memory.branches[place, 0] + 1] += 1
    for rank in range(13):
        places[rank + 1] += places[rank]
    for place in range(branch_count):
        rank = memory.branches[place, 0]
        to = places[rank]
        places[rank] += 1
        rests[to] = memory.branches[place, 1]
        memory.kinds[to] = memory.branches[place, 2]
        weights[to, 0] = memory.branch[place, 0]
        weights[to, 1] = memory.branch[place, 1]
    frame[_FREE] = free + branch_count
    last = free
    top = at
    for rank in range(13):
        first, last = last, int(places[rank])
        loss = int(frame[_LOSS]) + points_of(word, count, rank)
        if first == last or loss >= root.opponent_to_go:
            continue
        after = count + worth(rank)
        if after < 31:
            if size > 0 and LOWEST[size, number] <= 31 - after:
                top = _open(memory, root, top, at, at, first, last, _OWN, number, after, loss, rank)
                continue
            middle = first  # Hands that can play another card come first.
            for entry in range(first, last):
                if theirs > 1 and LOWEST[theirs - 1, rests[entry]] <= 31 - after:
                    _swap(memory, entry, middle)
                    middle += 1
            if middle > first:
                top = _open(memory, root, top, at, at, first, middle, _THEIR, number, after, loss, rank)
            first = middle
            loss += 1
        if first == last or loss >= root.opponent_to_go:
            continue
        if size == 0 and theirs == 1:
            sums[at] += _count(table, root, shows, memory, first, last, gain, loss)
        else:
            turn = _OWN if size > 0 else _THEIR
            top = _open(memory, root, top, at, at, first, last, turn, number, 0, loss, rank)
    return top


@rule
def _answers(
    policy: PeggingPolicy, memory: Memory, entry: int, rest: int, theirs: int, base: int, word: int, count: int,
    branch_count: int,
) -> int:  # fmt: skip
    """Append the cards that a hand may play, with their weights, and return the new number of branches."""
    branches, branch, shares, taken = memory.branches, memory.branch, memory.policy_shares, memory.taker_shares
    equal, taker = memory.weights[entry, 0], memory.weights[entry, 1]
    legal = policy_shares(policy, base, theirs, rest, 31 - count, shares)
    if legal > 1:
        taker_shares(word, count, theirs, rest, taken)
        for slot in range(legal):
            if base < 0:
                shares[slot] = taken[slot]
    else:
        taken[0] = 1.0
    least = _MIN_SHARE * (equal + taker)
    total = 0.0
    for slot in range(legal):
        share = equal * shares[slot] + taker * taken[slot]
        total += share if share >= least else 0.0
    scale = (equal + taker) / total if total > 0.0 else 0.0
    for slot in range(legal):
        if equal * shares[slot] + taker * taken[slot] >= least:
            branches[branch_count, 0] = SLOTS[theirs, rest, slot]
            branches[branch_count, 1] = WITHOUT[theirs, rest, slot]
            branches[branch_count, 2] = memory.kinds[entry]
            branch[branch_count, 0] = equal * shares[slot] * scale
            branch[branch_count, 1] = taker * taken[slot] * scale
            branch_count += 1
    return branch_count


@rule
def _open(
    memory: Memory, root: Root, top: int, at: int, parent: int, start: int, end: int, turn: int, number: int,
    count: int, points: int, rank: int,
) -> int:  # fmt: skip
    """Push the node after a card onto the stack, above `top`, and return its place.

    Args:
        memory: the stack; `root`: where the search started.
        at: the frame at which the card was played; `parent`: the one that gets the value, `at` if the opponent played.
        start: the first of the hands; `end`: the place after the last.
        turn: whose turn it is; `number`: what the seat holds; `count`: the count, 0 if it restarts.
        points: all points won since the root by the side that played; `rank`: the card.
    """
    top += 1
    frame, before = memory.frames[top], memory.frames[at]
    own, placed = parent != at, int(before[_PLACED])
    frame[_PARENT] = parent
    frame[_START], frame[_END] = start, end
    frame[_FREE] = before[_FREE]
    frame[_TURN] = turn
    frame[_NUMBER] = number
    frame[_SIZE] = before[_SIZE] - (1 if own else 0)
    frame[_THEIRS] = before[_THEIRS] - (0 if own else 1)
    frame[_PLACED] = placed + 1
    frame[_COUNT] = count
    frame[_PILE] = before[_PILE] if count > 0 else placed + 1
    frame[_CODE] = sequence_code(int(before[_CODE]), placed, root.dealer if own else 1 - root.dealer, rank)
    frame[_GAIN] = points if own else before[_GAIN]
    frame[_LOSS] = before[_LOSS] if own else points
    frame[_RANK] = rank
    memory.sums[top] = 0.0
    memory.shares[top] = 1.0
    return top


@rule
def _copy(memory: Memory, entry: int, to: int) -> None:
    memory.rests[to] = memory.rests[entry]
    memory.kinds[to] = memory.kinds[entry]
    memory.weights[to, 0] = memory.weights[entry, 0]
    memory.weights[to, 1] = memory.weights[entry, 1]


@rule
def _swap(memory: Memory, first: int, second: int) -> None:
    rest, kind = memory.rests[first], memory.kinds[first]
    equal, taker = memory.weights[first, 0], memory.weights[first, 1]
    _copy(memory, second, first)
    memory.rests[second], memory.kinds[second] = rest, kind
    memory.weights[second, 0], memory.weights[second, 1] = equal, taker


@rule
def _weight(memory: Memory, start: int, end: int) -> float:
    total = 0.0
    for entry in range(start, end):
        total += memory.weights[entry, 0] + memory.weights[entry, 1]
    return total


@rule
def _count(
    table: ChanceTable, root: Root, shows: Shows, memory: Memory, start: int, end: int, gain: int, loss: int
) -> float:
    """The chance to win after the play with these points, times their weight, over the hands of a node."""
    total = 0.0
    for entry in range(start, end):
        weight = memory.weights[entry, 0] + memory.weights[entry, 1]
        kind, own, other = int(memory.kinds[entry]), root.to_go, root.opponent_to_go
        total += weight * chance_after_play(table, shows, root.dealer, kind, own, other, gain, loss)
    return total

"""One pass over the public tree, node by node: down with what the other seat has played, up with what it is worth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import State, rule
from cardgym.engine.numba.compilation import compiled
from cardgym.games.cribbage.pegging.hands import LOWEST, NUM_OF_SIZE, WITH, match_positive, slot_of
from cardgym.games.cribbage.pegging.tree import ANSWERED, CONTINUED, RESTARTED
from cardgym.games.cribbage.ranks import worth

UPDATE, EVALUATE, RESPOND, FINISH = range(4)
"""What the updater does in a pass: learn from regrets, follow its strategy, answer best, or write down what is best for
the last two cards of a hand."""

Floats = npt.NDArray[np.float32]


@rule
def _follows(branch: int, lowest: int, room: int, mover: bool) -> bool:
    """Whether a seat with this lowest card, the mover or the other, can be where a branch leads."""
    if branch == RESTARTED:
        return True
    if branch == ANSWERED:
        return mover or lowest <= room
    if branch == CONTINUED and mover:
        return lowest <= room
    return lowest > room


@rule
def _room_after(node: State, rank: int) -> int:
    return int(31 - node.count - worth(rank))


@rule
def descend(node: State, child: State, seat: int, sigma: Floats, reach: Floats, out: Floats) -> bool:
    """Fill `out` with the reach of the other seat's hands at a child; whether any is above 0.

    Args:
        node: the parent.
        child: the child.
        seat: the updater.
        sigma: (1820, 4): the other seat's strategy at the parent, if it is to play there.
        reach: its reach at the parent.
        out: filled.
    """
    other = 1 - seat
    rank = int(child.rank)
    room = _room_after(node, rank)
    left = int(child.left[other])
    mover = node.turn == other
    branch = int(child.branch)
    alive = False
    for rest in range(NUM_OF_SIZE[left]):
        value = np.float32(0.0)
        if _follows(branch, int(LOWEST[left, rest]), room, mover):
            if mover:
                before = int(WITH[left, rest, rank])
                value = reach[before]
                if value > 0.0:
                    value *= sigma[before, slot_of(left + 1, before, rank)]
            else:
                value = reach[rest]
        out[rest] = value
        alive = alive or bool(value > 0.0)
    return alive


@rule
def strategy_of_other(
    node: State, strategy: Floats, reach: Floats, sigma: Floats, mode: int, sums: Floats,
    weight: np.float32,
) -> None:  # fmt: skip
    """Fill `sigma`, (1820, 4), with the strategy of the seat to play, and add it to its average in an update."""
    size = int(node.left[node.turn])
    room = int(31 - node.count)
    base = int(node.base)
    for rest in range(NUM_OF_SIZE[size]):
        if reach[rest] > 0.0:
            match_positive(strategy, base, size, rest, room, sigma[rest])
            if mode == UPDATE and base >= 0:
                for slot in range(size):
                    sums[base + size * rest + slot] += weight * reach[rest] * sigma[rest, slot]


@compiled
def walk_down(
    first: int, last: int, seat: int, mode: int, strategy: Floats, sums: Floats, weight: np.float32,
    nodes: npt.NDArray[np.void], places: npt.NDArray[np.int64], reach: Floats,
) -> None:  # fmt: skip
    """Fill in the reach at the children of the nodes `first` .. `last`."""
    other = 1 - seat
    sigma = np.zeros((1820, 4), np.float32)
    for place in range(first, last):
        node = nodes[place]
        here = reach[places[other, place] :]
        if node.turn == other:
            strategy_of_other(node, strategy, here, sigma, mode, sums, weight)
        for at in range(node.first_child, node.first_child + node.num_children):
            descend(node, nodes[at], seat, sigma, here, reach[places[other, at] :])


@rule
def collect(node: State, child: State, seat: int, below: Floats, gains: Floats, values: Floats) -> None:
    """Add the updater's values at a child to those at the node: to `gains` by slot where it plays, else to `values`."""
    rank = int(child.rank)
    room = _room_after(node, rank)
    branch = int(child.branch)
    left = int(child.left[seat])
    mover = node.turn == seat
    for rest in range(NUM_OF_SIZE[left]):
        if _follows(branch, int(LOWEST[left, rest]), room, mover):
            if mover:
                before = int(WITH[left, rest, rank])
                gains[4 * before + slot_of(left + 1, before, rank)] += below[rest]
            else:
                values[rest] += below[rest]


@rule
def _choose(
    gains: Floats, first: int, base: int, size: int, rest: int, room: int, mode: int, strategy: Floats, sigma: Floats
) -> np.float32:
    """The updater's value of a decision with gains for each slot from `first` on; in an update its regrets change."""
    legal = match_positive(strategy, base, size, rest, room, sigma)
    value = np.float32(0.0)
    if legal == 0:
        return value
    if mode == RESPOND:
        value = gains[first]
        for slot in range(1, legal):
            value = max(value, gains[first + slot])
        return value
    for slot in range(legal):
        value += sigma[slot] * gains[first + slot]
    if mode == UPDATE and base >= 0:
        for slot in range(legal):
            at = base + size * rest + slot
            strategy[at] = max(strategy[at] + gains[first + slot] - value, np.float32(0.0))
    return value


@rule
def settle(node: State, seat: int, mode: int, strategy: Floats, gains: Floats, sigma: Floats, values: Floats) -> None:
    """The updater's values at a node where it plays, from the gains of its slots."""
    size = int(node.left[seat])
    room = int(31 - node.count)
    for rest in range(NUM_OF_SIZE[size]):
        values[rest] = _choose(gains, 4 * rest, int(node.base), size, rest, room, mode, strategy, sigma)


@compiled
def walk_up(
    first: int, last: int, seat: int, mode: int, strategy: Floats, sums: Floats, weight: np.float32,
    nodes: npt.NDArray[np.void], places: npt.NDArray[np.int64], reach: Floats, values: Floats,
) -> None:  # fmt: skip
    """Fill in the updater's values at the nodes `first` .. `last` from those of their children."""
    gains = np.zeros(4 * 1820, np.float32)
    sigma = np.zeros(4, np.float32)
    for place in range(first, last):
        node = nodes[place]
        here = values[places[seat, place] : places[seat, place + 1]]
        gains[:] = np.float32(0.0)
        here[:] = np.float32(0.0)
        for at in range(node.first_child, node.first_child + node.num_children):
            collect(node, nodes[at], seat, values[places[seat, at] :], gains, here)
        if node.turn == seat:
            settle(node, seat, mode, strategy, gains, sigma, here)

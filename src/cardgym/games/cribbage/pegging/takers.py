"""Takers: opponents who take points at sight, a share of those that the play is solved against.

A taker plays the card of most points now, any of equals. The play is solved against an opponent who is a taker with a
known probability, and else as strong as can be. That wins much more from whoever takes points, and gives away little:
a restricted Nash response (Johanson, Zinkevich and Bowling, "Computing robust counter-strategies", NIPS 2007), but for
both seats at once. A blend of two ways to play is itself a strategy: at each node, for each hand, each way counts by
how probable it is that it came here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import State, rule
from cardgym.engine.numba.compilation import compiled
from cardgym.games.cribbage.pegging.hands import NUM_OF_SIZE, SLOTS, match_positive
from cardgym.games.cribbage.pegging.tree import DECIDED
from cardgym.games.cribbage.pegging.tree_walk import Floats, descend
from cardgym.games.cribbage.play import points_of
from cardgym.games.cribbage.ranks import worth
from cardgym.games.cribbage.scoring import points_of_next


@rule
def taker_shares(word: int, count: int, size: int, number: int, out: Floats) -> None:
    """Fill `out`, (4,), with how probable each slot is for a taker; 0 for slots that do not fit or exist.

    Args:
        word: what `points_of_next` returns for the pile.
        count: the count.
        size: how many cards are left.
        number: the multiset left.
        out: filled.
    """
    most = -1
    equals = 0
    for slot in range(4):
        out[slot] = 0.0
    for slot in range(size):
        rank = int(SLOTS[size, number, slot])
        if rank < 0 or worth(rank) > 31 - count:
            break
        points = points_of(word, count, rank)
        if points > most:
            most = points
            equals = 0
            for other in range(slot):
                out[other] = 0.0
        if points == most:
            out[slot] = 1.0
            equals += 1
    for slot in range(size):
        out[slot] /= max(equals, 1)


@compiled
def blend(
    seat: int, share: float, last: int, nodes: npt.NDArray[np.void], places: npt.NDArray[np.int64],
    strategy: Floats, saved: Floats, sums: Floats, weight: np.float32, own: Floats, taken: Floats,
) -> None:  # fmt: skip
    """Replace a seat's choices by those of a seat that is a taker with a probability.

    Args:
        seat: the seat.
        share: the probability.
        last: how many nodes are no leaves.
        nodes: all nodes.
        places: where vectors over hands begin; see `PublicTree`.
        strategy: all choices, of which those of the seat are replaced.
        saved: filled with those that were there, for `unblend`.
        sums: the average strategy, to which what the seat does when it is no taker is added.
        weight: how much this counts; 0 adds nothing.
        own: memory for reaches, overwritten.
        taken: likewise.
    """
    mine = np.zeros((1820, 4), np.float32)
    theirs = np.zeros((1820, 4), np.float32)
    own_leaf = np.zeros(455, np.float32)
    taken_leaf = np.zeros(455, np.float32)
    first = places[seat, 1] - places[seat, 0]
    own[:first] = np.float32(1.0 - share)
    taken[:first] = np.float32(share)
    leaf_mine = np.zeros((NUM_OF_SIZE[2], 4), np.float32)
    leaf_theirs = np.zeros((NUM_OF_SIZE[2], 4), np.float32)
    for place in range(last):
        node = nodes[place]
        own_here, taken_here = own[places[seat, place] :], taken[places[seat, place] :]
        if node.turn == seat:
            _blend_node(node, seat, own_here, taken_here, strategy, saved, sums, weight, mine, theirs)
        for at in range(node.first_child, node.first_child + node.num_children):
            child = nodes[at]
            if at < last:
                descend(node, child, 1 - seat, mine, own_here, own[places[seat, at] :])
                descend(node, child, 1 - seat, theirs, taken_here, taken[places[seat, at] :])
            elif child.kind == DECIDED and child.turn == seat:
                descend(node, child, 1 - seat, mine, own_here, own_leaf)
                descend(node, child, 1 - seat, theirs, taken_here, taken_leaf)
                _blend_node(
                    child, seat, own_leaf, taken_leaf, strategy, saved, sums, weight, leaf_mine, leaf_theirs
                )  # fmt: skip


@rule
def _blend_node(
    node: State, seat: int, own: Floats, taken: Floats, strategy: Floats, saved: Floats, sums: Floats,
    weight: np.float32, mine: Floats, theirs: Floats,
) -> None:  # fmt: skip
    """Blend at a node where the seat plays; fills `mine` and `theirs`: what it does if it is no taker, and as one."""
    size = int(node.left[seat])
    count = int(node.count)
    base = int(node.base)
    word = points_of_next(node.pile, int(node.length))
    for rest in range(NUM_OF_SIZE[size]):
        reach = own[rest] + taken[rest]
        if reach > 0.0:
            match_positive(strategy, base, size, rest, 31 - count, mine[rest])
            taker_shares(word, count, size, rest, theirs[rest])
        if base >= 0:
            for slot in range(size):
                choice = base + size * rest + slot
                saved[choice] = strategy[choice]
                if reach > 0.0:
                    equal = own[rest] * mine[rest, slot]
                    strategy[choice] = (equal + taken[rest] * theirs[rest, slot]) / reach
                    sums[choice] += weight * equal


@compiled
def unblend(seat: int, nodes: npt.NDArray[np.void], strategy: Floats, saved: Floats) -> None:
    """Undo `blend`."""
    for place in range(nodes.shape[0]):
        node = nodes[place]
        if node.turn == seat and node.base >= 0:
            size = int(node.left[seat])
            for choice in range(node.base, node.base + size * NUM_OF_SIZE[size]):
                strategy[choice] = saved[choice]

"""The public tree of the play: what both seats see, from the lead to the last three cards.

A node is the ranks played so far with the seats that played them. The hidden cards left in hand are vectors at each
node (`cribbage_pegging_solver.py`). Both seats see whether the other can play or says go, so each card leads to up to
three nodes. After five cards only the holder of two cards decides once more: these nodes are leaves, whose values are
tabulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Int8s
from cardgym.games.cribbage.cards import worth
from cardgym.games.cribbage.pegging.endings import best_alone, value_of_two
from cardgym.games.cribbage.pegging.hands import NUM_OF_SIZE, SETS, SIZES, SLOTS, WITH
from cardgym.games.cribbage.pegging.policy import sequence_code
from cardgym.games.cribbage.scoring import points_of, points_of_next

LEVELS = 6
"""Nodes have 0 .. 5 cards played; those with five are leaves."""
PONE, DEALER = range(2)

RESTARTED, ANSWERED, CONTINUED, STOPPED = range(4)
"""What follows a card: the count is 31; the other seat can play; only the seat itself can; neither can."""

DECIDED, FORCED, ALONE = range(3)
"""Kinds of leaves: the holder of two cards is to play; the other is, with its last card; the other hand is empty."""

NODE = np.dtype(
    [
        ("turn", np.int8),
        ("count", np.int8),
        ("length", np.int8),  # Of the pile.
        ("pile", np.int8, (8,)),
        ("left", np.int8, (2,)),  # Cards left, of the pone and the dealer.
        ("played", np.int16, (2,)),  # The multiset that each has played.
        ("floor", np.int8, (2,)),  # The lowest possible worth of the seat's cards, by its goes.
        ("lead", np.int8),  # The pone's points so far minus the dealer's.
        ("rank", np.int8),  # The card played last, ...
        ("branch", np.int8),  # ... and what followed: RESTARTED .. STOPPED.
        ("seen", np.int64),  # Cards played of each rank, four bits a rank.
        ("code", np.int64),  # See `sequence_code`: ranks played + 1 in base 16, then a bit a card for the seat.
        ("parent", np.int32),
        ("first_child", np.int32),
        ("num_children", np.int32),
        ("base", np.int64),  # Start of the node's choices in arrays of choices; -1 if there is nothing to choose.
        ("kind", np.int8),  # Of a leaf.
        ("ending", np.int32),  # Of a leaf: its row in the values of its kind.
    ],
    align=True,
)

_THREES = np.array(SETS[3], np.int8)


@dataclass(frozen=True, eq=False)
class PublicTree:
    """The public tree.

    Attributes:
        nodes: (num_nodes,), NODE, level after level; children are consecutive.
        levels: (7,): the start of each level, and the number of nodes.
        num_choices: the length of arrays of choices.
        decided: (piles, 91, 2, 16), int8; `forced`, (piles, 91, 16), int8; `alone`, (piles, 455), int8: see the
            functions below.
        places: (2, inner nodes + 1), int64: starts of the vectors over the cards left of the pone and the dealer.
    """

    nodes: npt.NDArray[np.void]
    levels: npt.NDArray[np.int64]
    num_choices: int
    decided: npt.NDArray[np.int8]
    forced: npt.NDArray[np.int8]
    alone: npt.NDArray[np.int8]
    places: npt.NDArray[np.int64]


def build_tree(ranks: Sequence[int] = range(13)) -> PublicTree:
    """Enumerate the public tree, in some 10 seconds.

    Args:
        ranks: the ranks that are played; fewer make a smaller game, for tests.
    """
    allowed = sum(1 << rank for rank in ranks)
    root = np.zeros(1, NODE)
    root["left"], root["floor"], root["parent"] = 4, 1, -1
    levels = [root]
    first = 0
    for _ in range(LEVELS - 1):
        nodes = levels[-1]
        children = np.zeros(26 * len(nodes) + 13, NODE)
        count = _expand(nodes, first, first + len(nodes), allowed, children)
        first += len(nodes)
        levels.append(children[:count].copy())
    starts = np.concatenate([[0], np.cumsum([len(level) for level in levels])])
    nodes = np.concatenate(levels)
    turn = nodes["turn"].astype(np.int64)
    own, other = (np.take_along_axis(nodes["left"], column[:, None], 1)[:, 0] for column in (turn, 1 - turn))
    leaf = np.arange(len(nodes)) >= starts[-2]
    chooses = (own > 1) & (other > 0)
    sizes = np.where(chooses, NUM_OF_SIZE[own] * own, 0)
    nodes["base"] = np.where(chooses, np.cumsum(sizes) - sizes, -1)
    nodes["kind"] = np.where(other == 0, ALONE, np.where(own == 2, DECIDED, FORCED))
    values = []
    for kind, fill, shape in (
        (DECIDED, decided_values, (91, 2, 16)),
        (FORCED, forced_values, (91, 16)),
        (ALONE, alone_values, (455,)),
    ):
        chosen = leaf & (nodes["kind"] == kind)
        piles = nodes["pile"][chosen].astype(np.int64)
        lengths = nodes["length"][chosen].astype(np.int64)
        piles[np.arange(8)[None] >= lengths[:, None]] = 15
        names = (piles << 4 * np.arange(8)).sum(1)
        _, firsts, numbers = np.unique(names, return_index=True, return_inverse=True)
        nodes["ending"][chosen] = numbers
        filled = np.zeros((len(firsts), *shape), np.int8)
        distinct = nodes[chosen][firsts]
        fill(distinct["pile"].copy(), distinct["length"].copy(), distinct["count"].copy(), filled)
        values.append(filled)
    inner = nodes[: starts[-2]]
    places = np.zeros((2, len(inner) + 1), np.int64)
    for seat in range(2):
        places[seat, 1:] = np.cumsum(np.array(SIZES)[inner["left"][:, seat]])
    decided, forced, alone = values
    return PublicTree(nodes, starts.astype(np.int64), int(sizes.sum()), decided, forced, alone, places)


@compiled
def _expand(
    nodes: npt.NDArray[np.void], first: int, next_number: int, allowed: int, children: npt.NDArray[np.void]
) -> int:
    """Fill in the children of a level and link the nodes to them; return how many there are."""
    made = 0
    for place in range(nodes.shape[0]):
        node = nodes[place]
        node.first_child = next_number + made
        seat = int(node.turn)
        other = 1 - seat
        word = points_of_next(node.pile, int(node.length))
        for rank in range(13):
            if allowed >> rank & 1 == 0:
                continue
            if node.seen >> 4 * rank & 15 == 4 or worth(rank) > 31 - node.count or worth(rank) < node.floor[seat]:
                continue
            count = int(node.count) + worth(rank)
            points = points_of(word, int(node.count), rank)
            for branch in range(4):
                if (branch == RESTARTED) != (count == 31):
                    continue
                own, theirs = int(node.left[seat]) - 1, int(node.left[other])
                own_floor, their_floor = int(node.floor[seat]), int(node.floor[other])
                if branch == ANSWERED and (theirs == 0 or their_floor > 31 - count):
                    continue
                if branch == CONTINUED and (own == 0 or own_floor > 31 - count):
                    continue
                if branch == CONTINUED or branch == STOPPED:
                    their_floor = max(their_floor, 32 - count)
                if branch == STOPPED:
                    own_floor = max(own_floor, 32 - count)
                if (theirs > 0 and their_floor > 10) or (own > 0 and own_floor > 10):
                    continue
                child = children[made]
                made += 1
                child.parent = first + place
                child.rank = rank
                child.branch = branch
                child.seen = node.seen + (1 << 4 * rank)
                number = 8 - int(node.left[0]) - int(node.left[1])
                child.code = sequence_code(int(node.code), number, seat, rank)
                child.left[seat] = own
                child.left[other] = theirs
                child.played[seat] = WITH[3 - own, node.played[seat], rank]
                child.played[other] = node.played[other]
                child.floor[seat] = own_floor
                child.floor[other] = their_floor
                gain = points + (1 if branch == STOPPED else 0)
                child.lead = node.lead + (gain if seat == PONE else -gain)
                if branch == RESTARTED or branch == STOPPED:
                    child.turn = other if theirs > 0 else seat
                else:
                    child.turn = other if branch == ANSWERED else seat
                    child.count = count
                    child.length = node.length + 1
                    for at in range(node.length):
                        child.pile[at] = node.pile[at]
                    child.pile[node.length] = rank
        node.num_children = next_number + made - node.first_child
    return made


# -- the last three cards ---------------------------------------------------------------------------------------------


@compiled
def decided_values(piles: Int8s, lengths: Int8s, counts: Int8s, values: npt.NDArray[np.int8]) -> None:
    """Fill in the worth of each order of two cards to their holder, who is to play.

    Args:
        piles: (piles, 8), int8: ranks since the last restart.
        lengths: (piles,), int8.
        counts: (piles,), int8.
        values: (piles, 91, 2, 16), int8, filled: by the multiset held, the slot played first, and the rank of the
            other's card; 0 where the slot cannot be played or does not exist.
    """
    work = np.empty(10, np.int8)
    for state in range(piles.shape[0]):
        length, count = int(lengths[state]), int(counts[state])
        for place in range(length):
            work[place] = piles[state, place]
        for held in range(91):
            low, high = int(SLOTS[2, held, 0]), int(SLOTS[2, held, 1])
            for slot in range(2):
                first = low if slot == 0 else high
                if first < 0 or worth(first) > 31 - count:
                    continue
                last = low if high < 0 else low + high - first
                for x in range(13):
                    values[state, held, slot, x] = value_of_two(work, length, count, first, last, x)


@compiled
def forced_values(piles: Int8s, lengths: Int8s, counts: Int8s, values: npt.NDArray[np.int8]) -> None:
    """Fill in the values if the other must first play its last card, as `decided_values`, (piles, 91, 16), int8."""
    work = np.empty(10, np.int8)
    spare = np.empty(10, np.int8)
    cards = np.full(3, -1, np.int8)  # No card in front, so that the two behind it are tried in both orders.
    for state in range(piles.shape[0]):
        length, count = int(lengths[state]), int(counts[state])
        for place in range(length):
            work[place] = piles[state, place]
        word = points_of_next(work, length)
        for x in range(13):
            if worth(x) > 31 - count:
                continue
            work[length] = x
            after = count + worth(x)
            for held in range(91):
                cards[1] = SLOTS[2, held, 0]
                cards[2] = SLOTS[2, held, 1] if SLOTS[2, held, 1] >= 0 else cards[1]
                value = -points_of(word, count, x)
                if after == 31 or worth(cards[1]) > 31 - after:
                    value += best_alone(work, 0, 0, cards, spare, True) - (0 if after == 31 else 1)
                else:
                    value += best_alone(work, length + 1, after, cards, spare, True)
                values[state, held, x] = value


@compiled
def alone_values(piles: Int8s, lengths: Int8s, counts: Int8s, values: npt.NDArray[np.int8]) -> None:
    """Fill in the worth of three cards when the other hand is empty, (piles, 455), int8."""
    spare = np.empty(10, np.int8)
    for state in range(piles.shape[0]):
        for held in range(455):
            values[state, held] = best_alone(
                piles[state], int(lengths[state]), int(counts[state]), _THREES[held], spare, False
            )

"""Solves the play of the cards by CFR+, exact over all pairs of hands, and makes a policy of the solution.

A pass over the public tree updates one seat, the updater. Each node gets a vector of the probabilities with which the
other seat plays each of its hands to there, and returns the updater's counterfactual value of each of its own hands, as
in Johanson et al., "Accelerating best response calculation in large extensive games" (IJCAI 2011).

Takers are opponents who always play the card of most points, any of equals. The play is solved against an opponent who
is a taker with a known probability, and otherwise as strong as possible: a restricted Nash response (Johanson,
Zinkevich and Bowling, "Computing robust counter-strategies", NIPS 2007), but for both seats at once. It wins much more
from players who grab points, and gives away little. A blend of two ways to play is itself a strategy: at each node, for
each hand, each way counts by the probability with which it leads there.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Int64s, State, rule
from cardgym.games.cribbage.cards import CARDS, sort_six
from cardgym.games.cribbage.pegging.hands import CHOOSE, COPIES, HANDS, NUM_OF_SIZE, SIZES, taker_shares
from cardgym.games.cribbage.pegging.policy import FLOOR, LEVELS_OF_CHOICE, RESTART_BIT, PeggingPolicy
from cardgym.games.cribbage.scoring import points_of_next
from cardgym.games.cribbage.state import NUM_TOSSES
from cardgym.games.cribbage.tosses import OUT_OF_REACH, first_best, kept_set, toss_worths
from cribbage_pegging_traversal import (
    EVALUATE,
    FINISH,
    RESPOND,
    UPDATE,
    Floats,
    descend,
    match_positive,
    walk_down,
    walk_leaves,
    walk_up,
)
from cribbage_pegging_tree import DEALER, DECIDED, LEVELS, PONE, PublicTree

_OTHER_TOSSES = 0.02
"""Share of tosses chosen uniformly, because every hand occurs near the target and against other players."""


def kept_shares() -> Float64s:
    """How often the pone (row 0) and the dealer (row 1) keep each hand, (2, 1820), exact over all 20,358,520 hands."""
    counts = np.zeros((2, 2, HANDS))
    for first in range(CARDS - 5):
        _count_kept(first, counts)
    shares = counts / counts.sum(2, keepdims=True)
    kept: Float64s = (1.0 - _OTHER_TOSSES) * shares[:, 0] + _OTHER_TOSSES * shares[:, 1]
    return kept


def pair_weights(kept: Float64s) -> Floats:
    """Return the probability of each pair of hands of the pone and the dealer, (1820, 1820), summing to 1.

    The product of both shares, scaled by how much rarer the dealer's hand is without the pone's four cards.
    """
    weights = kept[0][:, None] * kept[1][None]
    for rank in range(13):
        ratio = np.array([[CHOOSE[4 - a, b] / CHOOSE[4, b] for b in range(5)] for a in range(5)])
        weights *= ratio[COPIES[:, rank][:, None], COPIES[:, rank][None]]
    weights /= weights.sum()
    shares: Floats = weights.astype(np.float32)
    return shares


@compiled
def _count_kept(first: int, counts: Float64s) -> None:
    """Add the hands kept from all six cards of which `first` is the lowest number.

    Args:
        first: a card.
        counts: (2, 2, 1820): by side: tosses of `expert` at the start of a game, then all tosses.
    """
    cards = np.empty(6, np.int8)
    worths = np.empty(NUM_TOSSES, np.float32)
    for b in range(first + 1, CARDS - 4):
        for c in range(b + 1, CARDS - 3):
            for d in range(c + 1, CARDS - 2):
                for e in range(d + 1, CARDS - 1):
                    for f in range(e + 1, CARDS):
                        cards[0], cards[1], cards[2], cards[3], cards[4], cards[5] = first, b, c, d, e, f
                        sort_six(cards)
                        for dealer in range(2):
                            toss_worths(cards, dealer, OUT_OF_REACH, worths)
                            for toss in range(NUM_TOSSES):
                                counts[dealer, 1, kept_set(cards, toss)] += 1.0
                            counts[dealer, 0, kept_set(cards, first_best(worths))] += 1.0


class PeggingSolver:
    """The play of the cards as a game of pone and dealer for the difference of their points.

    CFR+ (Tammelin, 2014): seats update in turn, negative regrets become 0, and the strategy of iteration t has the
    weight t squared in the average. Either seat may be a taker with a known probability; the solver learns how to play
    otherwise.

    Attributes:
        tree: the public tree.
        takers: the probability that a seat is a taker.
        iterations: how many have run.
        regrets: (num_choices,), float32.
        sums: (num_choices,), float32: the average strategy, not normalized.
    """

    def __init__(self, tree: PublicTree, weights: Floats, threads: int = 1, takers: float = 0.0) -> None:
        """Start from the uniform strategy.

        Args:
            tree: what `build_tree` returns.
            weights: the probability of each pair of hands, (1820, 1820), float32.
            threads: threads for the last levels.
            takers: the probability that a seat is a taker, below 1.
        """
        self.tree = tree
        self.takers = takers
        self.iterations = 0
        self.regrets = np.zeros(tree.num_choices, np.float32)
        self.sums = np.zeros(tree.num_choices, np.float32)
        self._weights = (weights, np.ascontiguousarray(weights.T))
        self._reach = np.zeros(int(tree.places[:, -1].max()), np.float32)
        self._values = np.zeros_like(self._reach)
        self._saved = np.zeros(0, np.float32)
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.iterations += 1
            for seat in (PONE, DEALER):
                self._walk_against(seat, UPDATE, self.regrets, self.takers, float(self.iterations) ** 2)

    def value(self, strategy: Floats, seat: int = PONE, takers: float = 0.0) -> float:
        """Return the points a deal that a seat wins if both follow a strategy, (num_choices,), not normalized.

        Args:
            strategy: the strategy.
            seat: the seat.
            takers: the probability that the other seat is a taker instead.
        """
        return self._walk_against(seat, EVALUATE, strategy, takers)

    def best_response(self, strategy: Floats, seat: int) -> float:
        """Return the points a deal that a best responder wins in a seat against a strategy."""
        return self._walk(seat, RESPOND, strategy, 0.0)

    def hand_values(self, strategy: Floats) -> Float64s:
        """Return what pone and dealer win with each hand, less the other's, (2, 1820), if both follow a strategy.

        They are averaged over the other's hands; 0 for hands that are never kept.
        """
        values = np.zeros((2, 1820))
        for seat in (PONE, DEALER):
            self._walk(seat, EVALUATE, strategy, 0.0)
            kept = self._weights[seat].sum(1, dtype=np.float64)
            values[seat] = self._values[:1820] / np.where(kept > 0.0, kept, 1.0)
        return values

    def finish_best(self, strategy: Floats) -> None:
        """Replace a strategy's choices at the leaves, in place, by the best ones against its choices before them.

        These are the choices of a player that infers the other's last card and counts (`pegging/inference.py`).
        """
        for seat in (PONE, DEALER):
            self._walk_against(seat, FINISH, strategy, self.takers)

    def exploitability(self, strategy: Floats) -> float:
        """Return the points a deal that a best responder wins, as often dealer as pone."""
        return sum(self.best_response(strategy, seat) for seat in (PONE, DEALER)) / 2.0

    def _walk_against(self, seat: int, mode: int, strategy: Floats, takers: float, weight: float = 0.0) -> float:
        """Walk for a seat when the other may be a taker; only the updater's learning changes the strategy."""
        if takers == 0.0:
            return self._walk(seat, mode, strategy, weight)
        tree, other = self.tree, 1 - seat
        if not len(self._saved):
            self._saved = np.zeros(tree.num_choices, np.float32)
        blend(
            other, takers, int(tree.levels[LEVELS - 1]), tree.nodes, tree.places,
            strategy, self._saved, self.sums, np.float32(weight), self._reach, self._values,
        )  # fmt: skip
        try:
            return self._walk(seat, mode, strategy, 0.0)  # `blend` has added to the average.
        finally:
            unblend(other, tree.nodes, strategy, self._saved)

    def _walk(self, seat: int, mode: int, strategy: Floats, weight: float) -> float:
        tree, levels = self.tree, self.tree.levels
        common = (seat, mode, strategy, self.sums, np.float32(weight), tree.nodes, tree.places)
        self._reach[: int(tree.places[1 - seat, 1])] = 1.0
        for level in range(LEVELS - 2):
            walk_down(levels[level], levels[level + 1], *common, self._reach)
        last, end = int(levels[LEVELS - 2]), int(levels[LEVELS - 1])
        self._values[int(tree.places[seat, last]) : int(tree.places[seat, end])] = 0.0
        cuts = np.linspace(last, end, 16 * self._threads + 1).astype(int).tolist()
        jobs = [
            self._pool.submit(
                walk_leaves, one, other, *common, self._reach, self._values,
                tree.decided, tree.forced, tree.alone, *self._weights,
            )
            for one, other in pairwise(cuts)
        ]  # fmt: skip
        for job in jobs:
            job.result()
        for level in range(LEVELS - 3, -1, -1):
            walk_up(levels[level], levels[level + 1], *common, self._reach, self._values)
        return float(self._values[: int(tree.places[seat, 1])].sum(dtype=np.float64))


# -- from the strategy to a policy -------------------------------------------------------------------------------------


def rounded(tree: PublicTree, sums: Floats) -> npt.NDArray[np.uint8]:
    """Return a strategy above the leaves in steps of 1 / 255, (inner choices,), uint8, in the order of the tree."""
    inner = _choosing(tree)
    sizes = np.take_along_axis(inner["left"], inner["turn"].astype(np.int64)[:, None], 1)[:, 0]
    leaves = tree.nodes["base"][tree.levels[-2] :]
    steps = np.zeros(leaves[leaves >= 0].min(), np.uint8)
    for size in range(2, 5):
        for base in inner["base"][sizes == size].tolist():
            values = sums[base : base + SIZES[size] * size].reshape(-1, size)
            totals = values.sum(1, keepdims=True)
            shares = np.where(totals > 0, values / np.where(totals > 0, totals, 1.0), 1.0)
            steps[base : base + values.size] = np.rint(shares * LEVELS_OF_CHOICE).astype(np.uint8).ravel()
    return steps


def whole_strategy(solver: PeggingSolver, steps: npt.NDArray[np.uint8]) -> Floats:
    """Return the strategy that follows the steps and counts at the leaves, (num_choices,), not normalized."""
    strategy = np.zeros(solver.tree.num_choices, np.float32)
    strategy[: len(steps)] = steps.astype(np.float32) / LEVELS_OF_CHOICE + FLOOR
    solver.finish_best(strategy)
    strategy[: len(steps)] = steps
    return strategy


def pack(
    tree: PublicTree, steps: npt.NDArray[np.uint8], kept: Float64s, worths: Float64s, takers: float = 0.0
) -> PeggingPolicy:
    """Return the policy of a tree: its nodes sorted by key."""
    inner = _choosing(tree)
    restarted = (inner["length"] == 0) & (inner["left"].sum(1) < 8)
    keys = inner["code"] | inner["turn"].astype(np.int64) << 40 | np.where(restarted, RESTART_BIT, 0)
    order = np.argsort(keys)
    if len(np.unique(keys)) != len(keys):
        raise AssertionError("two public nodes have one key")
    return PeggingPolicy(keys[order], inner["base"][order], steps, kept, worths, takers)


def _choosing(tree: PublicTree) -> npt.NDArray[np.void]:
    """Return the nodes above the leaves with something to choose."""
    inner = tree.nodes[: tree.levels[-2]]
    return inner[inner["base"] >= 0]


@compiled
def blend(
    seat: int, share: float, last: int, nodes: npt.NDArray[np.void], places: Int64s,
    strategy: Floats, saved: Floats, sums: Floats, weight: np.float32, own: Floats, taken: Floats,
) -> None:  # fmt: skip
    """Replace a seat's choices by those of a seat that is a taker with a given probability.

    Args:
        seat: the seat.
        share: the probability.
        last: the number of nodes that are not leaves.
        nodes: all nodes.
        places: see `PublicTree`.
        strategy: all choices, of which those of the seat are replaced.
        saved: filled with the replaced choices, for `unblend`.
        sums: the average strategy, to which the seat's choices as a non-taker are added.
        weight: the weight of this addition; 0 adds nothing.
        own: memory for reaches, overwritten.
        taken: memory for reaches, overwritten.
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
                _blend_node(child, seat, own_leaf, taken_leaf, strategy, saved, sums, weight, leaf_mine, leaf_theirs)


@rule
def _blend_node(
    node: State, seat: int, own: Floats, taken: Floats, strategy: Floats, saved: Floats, sums: Floats,
    weight: np.float32, mine: Floats, theirs: Floats,
) -> None:  # fmt: skip
    """Blend at a node where the seat plays; fill `mine` and `theirs`, its choices as a non-taker and as a taker."""
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

"""CFR+ and best responses over the public tree of the play, exact over all pairs of hands.

One pass walks the whole tree for one seat, the updater. At each node stands a vector over the hands of the other seat:
how probable it is that each is played to here. Back come the updater's counterfactual values, one for each of its
hands. Johanson et al., "Accelerating best response calculation in large extensive games" (IJCAI 2011), walk a public
tree so.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cardgym.games.cribbage.pegging.leaves import walk_leaves
from cardgym.games.cribbage.pegging.takers import blend, unblend
from cardgym.games.cribbage.pegging.tree import DEALER, LEVELS, PONE, PublicTree
from cardgym.games.cribbage.pegging.tree_walk import (
    EVALUATE,
    FINISH,
    RESPOND,
    UPDATE,
    Floats,
    walk_down,
    walk_up,
)


class PeggingSolver:
    """The play of the cards as a game of two, pone and dealer, for the difference of their points.

    CFR+ (Tammelin, 2014): seats update in turn, negative regrets are forgotten, and the strategy of iteration t counts
    t squared times in the average. Either seat may be a taker with a known probability (`takers.py`); what is learned
    is how to play as the other kind.

    Attributes:
        tree: the public tree.
        takers: the probability that a seat is a taker.
        iterations: how many were run.
        regrets: (num_choices,), float32.
        sums: (num_choices,), float32: the average strategy, not normalised.
    """

    def __init__(self, tree: PublicTree, weights: Floats, threads: int = 1, takers: float = 0.0) -> None:
        """Start at the uniform strategy.

        Args:
            tree: what `build_tree` returns.
            weights: the probability of each pair of hands, (1820, 1820), float32.
            threads: how many threads walk the last levels.
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
        """Run so many more iterations."""
        for _ in range(iterations):
            self.iterations += 1
            for seat in (PONE, DEALER):
                self._walk_against(seat, UPDATE, self.regrets, self.takers, float(self.iterations) ** 2)

    def value(self, strategy: Floats, seat: int = PONE, takers: float = 0.0) -> float:
        """What a seat wins a deal, in points, if both follow a strategy, (num_choices,), not normalised.

        Args:
            strategy: the strategy.
            seat: the seat.
            takers: the probability that the other seat is a taker instead.
        """
        return self._walk_against(seat, EVALUATE, strategy, takers)

    def best_response(self, strategy: Floats, seat: int) -> float:
        """What a best responder in a seat wins a deal, in points, against a strategy."""
        return self._walk(seat, RESPOND, strategy, 0.0)

    def hand_values(self, strategy: Floats) -> npt.NDArray[np.float64]:
        """What the pone and the dealer win in the play with each hand, (2, 1820), points less the other's.

        Against the hands that the other then holds, both following a strategy; 0 for hands that are never kept.
        """
        values = np.zeros((2, 1820))
        for seat in (PONE, DEALER):
            self._walk(seat, EVALUATE, strategy, 0.0)
            kept = self._weights[seat].sum(1, dtype=np.float64)
            values[seat] = self._values[:1820] / np.where(kept > 0.0, kept, 1.0)
        return values

    def finish_best(self, strategy: Floats) -> None:
        """Replace a strategy's choices at the leaves, in place, by what is best against the choices before them.

        So plays whoever infers from a strategy what the other seat may hold, and then counts (`inference.py`).
        """
        for seat in (PONE, DEALER):
            self._walk_against(seat, FINISH, strategy, self.takers)

    def exploitability(self, strategy: Floats) -> float:
        """What a best responder wins a deal, in points, which is the dealer as often as the pone."""
        return sum(self.best_response(strategy, seat) for seat in (PONE, DEALER)) / 2.0

    def _walk_against(self, seat: int, mode: int, strategy: Floats, takers: float, weight: float = 0.0) -> float:
        """Walk for a seat where the other one is a taker with a probability; the strategy's choices of it stay."""
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

"""Counterfactual regret minimization over the tree of a game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.compilation import compiled
from cardgym.engine.numba.rules import rule
from cardgym.errors import unknown
from cardgym.files.tensors import Arrays, Layout
from cardgym.solvers.tree import GameTree, Strategy, TreeArrays

VARIANTS: dict[str, tuple[float, float, float, bool]] = {
    "cfr": (np.inf, np.inf, 0.0, False),
    "cfr+": (np.inf, -np.inf, 1.0, True),
    "dcfr": (1.5, 0.0, 2.0, True),
}
"""Of each variant: alpha, beta and gamma of discounted CFR, and whether the seats update in turn."""


class CFR:
    """Counterfactual regret minimization: strategies whose average approaches an equilibrium of a zero-sum game of two.

    All variants are one update with three exponents (Brown and Sandholm, "Solving imperfect-information games via
    discounted regret minimization", AAAI 2019): after iteration t has added to them, positive regrets are multiplied
    by t^alpha / (t^alpha + 1), negative ones by t^beta / (t^beta + 1), and sums of strategies by (t / (t + 1))^gamma.

    - `cfr`: no discount; Zinkevich et al., "Regret minimization in games with incomplete information", NeurIPS 2007.
    - `cfr+`: negative regrets are reset to 0, iteration t has weight t, the seats update in turn; Tammelin, "Solving
      large imperfect information games using CFR+" (2014).
    - `dcfr`: alpha 3/2, beta 0, gamma 2; the paper's recommendation.

    Attributes:
        tree: the game.
        iterations: the number run so far.
        regrets: the cumulative regret of each choice, (num_choices,), float64.
    """

    def __init__(self, tree: GameTree, variant: str = "cfr+") -> None:
        """Start with the uniform strategy.

        Raises:
            CardgymError: for an unknown variant.
        """
        if variant not in VARIANTS:
            raise unknown("variant of CFR", variant, VARIANTS)
        self.tree = tree
        self.iterations = 0
        self.regrets = np.zeros(tree.num_choices)
        self._alpha, self._beta, self._gamma, self._alternating = VARIANTS[variant]
        self._sums = np.zeros(tree.num_choices)

    def run(self, iterations: int) -> None:
        """Run `iterations` more."""
        _iterate(
            self.tree.arrays,
            self.regrets,
            self._sums,
            self.iterations,
            iterations,
            self._alpha,
            self._beta,
            self._gamma,
            self._alternating,
        )
        self.iterations += iterations

    @property
    def average(self) -> Strategy:
        """The average strategy; uniform where an information set was never reached."""
        totals = np.add.reduceat(self._sums, self.tree.arrays.first_choice[:-1])
        sizes = np.diff(self.tree.arrays.first_choice)
        shares = np.repeat(np.where(totals > 0, totals, 1.0), sizes)
        return np.where(np.repeat(totals > 0, sizes), self._sums / shares, self.tree.uniform())

    @property
    def state_layout(self) -> Layout:
        """The arrays of `state_arrays`."""
        return {name: (array.dtype, array.shape) for name, array in self.state_arrays().items()}

    def state_arrays(self) -> Arrays:
        """The arrays to resume from, with `iterations`."""
        return {"regrets": self.regrets, "sums": self._sums}

    def restore(self, arrays: Arrays, iterations: int, what: str) -> None:
        """Resume from what `state_arrays` returned after that many iterations."""
        self.regrets[:], self._sums[:], self.iterations = arrays["regrets"], arrays["sums"], iterations


@compiled
def _iterate(
    tree: TreeArrays,
    regrets: npt.NDArray[np.float64],
    sums: npt.NDArray[np.float64],
    done: int,
    iterations: int,
    alpha: float,
    beta: float,
    gamma: float,
    alternating: bool,
) -> None:
    num_nodes, num_players = tree.payments.shape
    strategy = np.empty_like(regrets)
    reach = np.empty((num_nodes, num_players + 1))  # By the choices of each seat, and last by chance.
    own_reach = np.empty(tree.set_seats.shape[0])
    values = np.empty((num_nodes, num_players))
    for t in range(done + 1, done + iterations + 1):
        positive = _discount(t, alpha)
        negative = _discount(t, beta)
        fading = (t / (t + 1.0)) ** gamma
        for turn in range(num_players if alternating else 1):
            _match_regrets(tree.first_choice, regrets, strategy)
            walk_down(tree, strategy, reach, own_reach)
            _walk_up(tree, strategy, values)
            for node in range(num_nodes):
                seat = tree.seats[node]
                if seat < 0 or (alternating and seat != turn):
                    continue
                others = 1.0
                for other in range(num_players + 1):
                    if other != seat:
                        others *= reach[node, other]
                first, child = tree.first_choice[tree.info_sets[node]], tree.first_child[node]
                for number in range(tree.num_children[node]):
                    regrets[first + number] += others * (values[child + number, seat] - values[node, seat])
            for info_set in range(tree.set_seats.shape[0]):
                if alternating and tree.set_seats[info_set] != turn:
                    continue
                for choice in range(tree.first_choice[info_set], tree.first_choice[info_set + 1]):
                    regrets[choice] *= positive if regrets[choice] > 0.0 else negative
                    sums[choice] = (sums[choice] + own_reach[info_set] * strategy[choice]) * fading


@rule
def _match_regrets(
    first_choice: npt.NDArray[np.int64], regrets: npt.NDArray[np.float64], strategy: npt.NDArray[np.float64]
) -> None:
    """The strategy in proportion to positive regrets; uniform where there are none."""
    for info_set in range(first_choice.shape[0] - 1):
        first, last = first_choice[info_set], first_choice[info_set + 1]
        total = 0.0
        for choice in range(first, last):
            total += max(regrets[choice], 0.0)
        for choice in range(first, last):
            strategy[choice] = max(regrets[choice], 0.0) / total if total > 0.0 else 1.0 / (last - first)


@rule
def walk_down(
    tree: TreeArrays,
    strategy: npt.NDArray[np.float64],
    reach: npt.NDArray[np.float64],
    own_reach: npt.NDArray[np.float64],
) -> None:
    """What each seat, and chance, contribute to the probability of each node."""
    reach[0, :] = 1.0
    chance = reach.shape[1] - 1
    for node in range(tree.seats.shape[0]):
        seat = tree.seats[node]
        actor = chance if seat < 0 else seat
        if seat >= 0:
            own_reach[tree.info_sets[node]] = reach[node, seat]
        for number in range(tree.num_children[node]):
            child = tree.first_child[node] + number
            for column in range(reach.shape[1]):
                reach[child, column] = reach[node, column]
            if seat < 0:
                reach[child, actor] *= 1.0 / tree.num_children[node]
            else:
                reach[child, actor] *= strategy[tree.first_choice[tree.info_sets[node]] + number]


@rule
def _walk_up(
    tree: TreeArrays,
    strategy: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
) -> None:
    """The expected return of each seat from each node."""
    for node in range(tree.seats.shape[0] - 1, -1, -1):
        for seat in range(values.shape[1]):
            values[node, seat] = tree.payments[node, seat] if tree.num_children[node] == 0 else 0.0
        for number in range(tree.num_children[node]):
            child = tree.first_child[node] + number
            if tree.seats[node] < 0:
                share = 1.0 / tree.num_children[node]
            else:
                share = strategy[tree.first_choice[tree.info_sets[node]] + number]
            for seat in range(values.shape[1]):
                values[node, seat] += share * values[child, seat]


@rule
def _discount(t: int, exponent: float) -> float:
    """t^e / (t^e + 1), also for e infinite."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power = float(t) ** exponent
    return float(power / (power + 1.0))

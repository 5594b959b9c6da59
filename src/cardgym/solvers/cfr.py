"""Counterfactual regret minimization over the tree of a game."""

from __future__ import annotations

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.rules import rule
from cardgym.errors import unknown
from cardgym.solvers.tree import ExactTree, Floats, Integers, Strategy, TreeArrays

VARIANTS: dict[str, tuple[float, float, float, bool]] = {
    "cfr": (np.inf, np.inf, 0.0, False),
    "cfr+": (np.inf, -np.inf, 1.0, True),
    "dcfr": (1.5, 0.0, 2.0, True),
}
"""By variant: alpha, beta and gamma of discounted CFR, and whether the seats update in turn."""


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
        iterations: the number run so far.
        regrets: the cumulative regret of each choice, (num_choices,), float64.
    """

    def __init__(self, tree: ExactTree, variant: str = "cfr+") -> None:
        """Start with the uniform strategy; raise `CardgymError` for a `variant` that is not in `VARIANTS`."""
        if variant not in VARIANTS:
            raise unknown("variant of CFR", variant, VARIANTS)
        self.tree = tree
        self.iterations = 0
        self.regrets = np.zeros(tree.num_choices)
        self._variant = VARIANTS[variant]
        self._sums = np.zeros(tree.num_choices)

    def run(self, iterations: int) -> None:
        """Run `iterations` more."""
        _iterate(self.tree.arrays, self.regrets, self._sums, self.iterations, iterations, *self._variant)
        self.iterations += iterations

    @property
    def average(self) -> Strategy:
        """The average strategy; uniform where an information set was never reached."""
        totals, sizes = self.tree.sums(self._sums), self.tree.sizes
        shares = np.repeat(np.where(totals > 0, totals, 1.0), sizes)
        return np.where(np.repeat(totals > 0, sizes), self._sums / shares, self.tree.uniform())


@compiled
def _iterate(
    tree: TreeArrays,
    regrets: Floats,
    sums: Floats,
    done: int,
    iterations: int,
    alpha: float,
    beta: float,
    gamma: float,
    alternating: bool,
) -> None:
    strategy = np.empty_like(regrets)
    reach = np.empty(tree.seats.shape[0] + tree.payments.shape[0])
    values = np.empty(reach.shape[0])
    own_reach = np.empty(tree.set_seats.shape[0])
    for t in range(done + 1, done + iterations + 1):
        positive = _discount(t, alpha)
        negative = _discount(t, beta)
        fading = (t / (t + 1.0)) ** gamma
        for turn in range(tree.payments.shape[1]):
            if alternating or turn == 0:
                _match_regrets(tree.first_choice, regrets, strategy)
                find_own_reach(tree, strategy, own_reach)
            walk_down(tree, strategy, turn, reach)
            _walk_up(tree, strategy, turn, reach, values, regrets)
            for info_set in range(tree.set_seats.shape[0]):
                if tree.set_seats[info_set] != turn:
                    continue
                for choice in range(tree.first_choice[info_set], tree.first_choice[info_set + 1]):
                    regrets[choice] *= positive if regrets[choice] > 0.0 else negative
                    sums[choice] = (sums[choice] + own_reach[info_set] * strategy[choice]) * fading


@rule
def _match_regrets(first_choice: Integers, regrets: Floats, strategy: Strategy) -> None:
    """Write the strategy proportional to positive regrets; uniform where there are none."""
    for info_set in range(first_choice.shape[0] - 1):
        first, last = first_choice[info_set], first_choice[info_set + 1]
        total = 0.0
        for choice in range(first, last):
            total += max(regrets[choice], 0.0)
        for choice in range(first, last):
            strategy[choice] = max(regrets[choice], 0.0) / total if total > 0.0 else 1.0 / (last - first)


@rule
def find_own_reach(tree: TreeArrays, strategy: Strategy, own_reach: Floats) -> None:
    """Write the probability that a seat's own choices lead to each of its information sets, (num_info_sets,)."""
    owner = -1  # The information set of the previous choice; sets of one seat are often adjacent.
    for info_set in range(tree.set_seats.shape[0]):
        before = tree.set_before[info_set]
        if before < 0:
            own_reach[info_set] = 1.0
            continue
        if owner < 0 or not tree.first_choice[owner] <= before < tree.first_choice[owner + 1]:
            owner = np.searchsorted(tree.first_choice, before, side="right") - 1
        own_reach[info_set] = own_reach[owner] * strategy[before]


@rule
def walk_down(tree: TreeArrays, strategy: Strategy, without: int, reach: Floats) -> None:
    """Write the probability of each node and end if the seat `without` (-1 for none) always plays towards it.

    In all histories of a node that seat has made the same choices, so their probabilities add up. For an end this need
    not be so.
    """
    num_nodes = tree.seats.shape[0]
    for node in range(reach.shape[0]):
        reach[node] = 0.0
    reach[num_nodes - 1] = 1.0
    for node in range(num_nodes - 1, -1, -1):
        seat = tree.seats[node]
        first = tree.first_edge[node]
        choice = tree.first_choice[tree.info_sets[node]] if seat >= 0 else 0
        for edge in range(first, tree.first_edge[node + 1]):
            share = tree.chances[edge]
            if seat >= 0 and seat != without:
                share = strategy[choice + edge - first]
            reach[tree.targets[edge]] += reach[node] * share


@rule
def _walk_up(tree: TreeArrays, strategy: Strategy, turn: int, reach: Floats, values: Floats, regrets: Floats) -> None:
    """Write the expected return of a seat from each node, and add to the regrets of its choices."""
    find_values(tree, strategy, turn, values)
    for node in range(tree.seats.shape[0]):
        if tree.seats[node] == turn:
            first, choice = tree.first_edge[node], tree.first_choice[tree.info_sets[node]]
            for edge in range(first, tree.first_edge[node + 1]):
                regrets[choice + edge - first] += reach[node] * (values[tree.targets[edge]] - values[node])


@rule
def find_values(tree: TreeArrays, strategy: Strategy, seat: int, values: Floats) -> None:
    """Write what a seat is paid from each node on, then at each end, the last first, (nodes + ends,)."""
    for end in range(tree.payments.shape[0]):
        values[values.shape[0] - 1 - end] = tree.payments[end, seat]
    for node in range(tree.seats.shape[0]):
        first = tree.first_edge[node]
        choice = tree.first_choice[tree.info_sets[node]] if tree.seats[node] >= 0 else 0
        value = 0.0
        for edge in range(first, tree.first_edge[node + 1]):
            share = tree.chances[edge] if tree.seats[node] < 0 else strategy[choice + edge - first]
            value += share * values[tree.targets[edge]]
        values[node] = value


@rule
def _discount(t: int, exponent: float) -> float:
    """t^e / (t^e + 1), also for e infinite."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power = float(t) ** exponent
    return float(power / (power + 1.0))

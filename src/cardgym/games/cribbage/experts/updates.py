"""The two ways the weights learn. Weights are kept as logarithms, so that squaring is doubling.

The paper's: after a game the winner's w become c w^2 along its path and the loser's c / w^2. Its two holes are
closed so:

- Where the weights are uniform the update does nothing. A blank slate therefore starts with a little seeded noise.
- How much of it a position deserves: n deals before the last it is k = credit^n, and the exponents are 1 + k for the
  winner and 1 - 3k for the loser. With a credit of 1 that is the paper's 2 and -2 all along, with 0 only at the end.

The gradient's: the paper dismisses regret, because every hand would have to be played out again from its position. That
costs microseconds here. Each of the 15 keeps is played out against the same cards, and what each is worth is the chance
to win from where it leads. With pi = softmax(w S / temperature) over the keeps and A_j that chance, the expected
chance sum_j pi_j A_j rises fastest along

    g_i = sum_j pi_j (A_j - sum_k pi_k A_k) S_ij / temperature,

and the weights are moved by exponentiated gradient, w_i <- c w_i exp(rate x g_i) (Kivinen and Warmuth, "Exponentiated
gradient versus gradient descent for linear predictors", 1997), which keeps them positive and adding up to 1.
Neighbouring positions learn along, the less the farther they are.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage.strategies import HOLES, KEEPS, NUM_STRATEGIES

FLOOR = math.log(1e-6)
"""No weight falls below a millionth, or 1 / w^2 would have no end."""

Floats = npt.NDArray[np.float64]


@rule
def normalise(logs: Floats) -> None:
    """Make the weights, given as logarithms, add up to 1; none falls below the floor."""
    most = logs[0]
    for i in range(1, NUM_STRATEGIES):
        most = max(most, logs[i])
    total = 0.0
    for i in range(NUM_STRATEGIES):
        logs[i] = max(logs[i] - most, FLOOR)
        total += math.exp(logs[i])
    for i in range(NUM_STRATEGIES):
        logs[i] = max(logs[i] - math.log(total), FLOOR)


@rule
def paper_update(logs: Floats, won: bool, credit: float) -> None:
    """The paper's update of one position: w <- c w^(1 + credit) for the winner, c w^(1 - 3 credit) for the loser.

    With a credit of 1 that is c w^2 and c / w^2; with 0 nothing changes.
    """
    power = 1.0 + credit if won else 1.0 - 3.0 * credit
    for i in range(NUM_STRATEGIES):
        logs[i] *= power
    normalise(logs)


@rule
def gradient(logs: Floats, scores: Floats, chances: Floats, temperature: float, shares: Floats, out: Floats) -> None:
    """Fill `out`, (8,), with g; see the module.

    Args:
        logs: (8,), logarithms of the weights, which need not add up to 1.
        scores: (8, 15), S.
        chances: (15,), A.
        temperature: of the softmax over the keeps.
        shares: (15,), filled with pi.
        out: filled.
    """
    most = logs[0]
    for i in range(1, NUM_STRATEGIES):
        most = max(most, logs[i])
    total = 0.0
    for i in range(NUM_STRATEGIES):
        out[i] = math.exp(logs[i] - most)
        total += out[i]
    best = -1.0
    for j in range(KEEPS):
        value = 0.0
        for i in range(NUM_STRATEGIES):
            value += out[i] * scores[i, j]
        shares[j] = value / (total * temperature)
        best = max(best, shares[j])
    total = 0.0
    for j in range(KEEPS):
        shares[j] = math.exp(shares[j] - best)
        total += shares[j]
    mean = 0.0
    for j in range(KEEPS):
        shares[j] /= total
        mean += shares[j] * chances[j]
    for i in range(NUM_STRATEGIES):
        out[i] = 0.0
        for j in range(KEEPS):
            out[i] += shares[j] * (chances[j] - mean) * scores[i, j] / temperature


@rule
def spread(logs: Floats, own: int, other: int, dealer: int, step: Floats, reach: int) -> None:
    """Add `step` to the position's logarithms, and less and less of it to those up to `reach` points away."""
    for p in range(max(own - reach, 0), min(own + reach, HOLES - 1) + 1):
        near = 1.0 - abs(p - own) / (reach + 1.0)
        for o in range(max(other - reach, 0), min(other + reach, HOLES - 1) + 1):
            share = near * (1.0 - abs(o - other) / (reach + 1.0))
            for i in range(NUM_STRATEGIES):
                logs[p, o, dealer, i] += share * step[i]
    # Only differences count. Kept near 0, the logarithms of positions often visited lose no digits.
    most = logs[own, other, dealer, 0]
    for i in range(1, NUM_STRATEGIES):
        most = max(most, logs[own, other, dealer, i])
    for i in range(NUM_STRATEGIES):
        logs[own, other, dealer, i] = max(logs[own, other, dealer, i] - most, FLOOR)

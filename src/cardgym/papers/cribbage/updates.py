"""The two updates of the weights, and the values of positions. Weights are kept as logarithms.

The paper's update: after a game, the winner's weights w become c w^2 at the positions of the game, the loser's c / w^2.
The paper leaves two questions open:

- Uniform weights are a fixed point. Training from them therefore starts with a little seeded noise.
- How much should each position learn? n deals before the last, the exponents are 1 + k for the winner and 1 - 3k for
  the loser, where k = gamma^n. With gamma 1 these are the paper's 2 and -2 everywhere, with gamma 0 at the last deal
  only.

The gradient update: the paper rules out regret, because every hand would have to be replayed from its position. That
takes microseconds here. Each of the 15 keeps is played against the same cards, and its worth is the chance to win from
the position that it leads to. With pi = softmax(w S / temperature) over the keeps and that chance A_j, the gradient of
the expected chance sum_j pi_j A_j is

    g_i = sum_j pi_j (A_j - sum_k pi_k A_k) S_ij / temperature,

and the weights follow it by exponentiated gradient, w_i <- c w_i exp(learning_rate x g_i) (Kivinen and Warmuth,
"Exponentiated gradient versus gradient descent for linear predictors", 1997), which keeps them positive with sum 1.
Nearby positions take the same step, smaller with their distance.

The value of a position is the chance to win from it. The paper suggests training backwards from the end of the game.
Here the last deals played are kept as sequences of scores. From any position such a deal either ends the game, with a
known winner, or leads to a position with more points, so all 29,282 values follow in one pass from the last hole
backwards. This assumes that deals go the same everywhere on the board, which is nearly true.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Int8s, Int64s, rule
from cardgym.games.cribbage.experts import HOLES, KEEPS, NUM_STRATEGIES

POINT = 1 / 60
"""What a point of the lead is worth where the round's point spread is the reward, in chances to win."""
FLOOR = math.log(1e-6)
"""The logarithm of the smallest weight, a millionth, so that 1 / w^2 stays finite."""

Floats = npt.NDArray[np.float64]


@rule
def normalize(logs: Floats) -> None:
    """Scale weights, given as logarithms, (8,), to the sum 1, and raise them to the floor."""
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
def scale_by_keep(scores: Floats) -> None:
    """Scale the scores, (8, 15), so that those of each keep add up to 1 over the strategies."""
    for j in range(KEEPS):
        total = 0.0
        for i in range(NUM_STRATEGIES):
            total += scores[i, j]
        for i in range(NUM_STRATEGIES):
            scores[i, j] /= max(total, 1e-12)


def intrinsic_values() -> Floats:
    """Values of positions set by hand, (121, 121, 2): a logistic function of the lead, the deal worth four points.

    The lead counts the more the fewer points are left: a deal changes it by some seven points either way.
    """
    own, other, dealer = np.indices((HOLES, HOLES, 2))
    left = np.maximum(2 * HOLES - own - other, 26)
    values: Floats = 1.0 / (1.0 + np.exp(-(own - other + 8.0 * dealer - 4.0) / (4.0 * np.sqrt(left / 26))))
    return values


@rule
def paper_update(logs: Floats, won: bool, discount: float) -> None:
    """Update a position as the paper does: w <- c w^(1 + discount) for the winner, c w^(1 - 3 discount) for the loser.

    With a discount of 1 these are c w^2 and c / w^2; with 0 nothing changes.
    """
    power = 1.0 + discount if won else 1.0 - 3.0 * discount
    for i in range(NUM_STRATEGIES):
        logs[i] *= power
    normalize(logs)


@rule
def gradient(logs: Floats, scores: Floats, chances: Floats, temperature: float, shares: Floats, out: Floats) -> None:
    """Compute the gradient g in the module's docstring.

    Args:
        logs: (8,), logarithms of the weights, not necessarily normalized.
        scores: (8, 15), S.
        chances: (15,), A.
        temperature: temperature of the softmax over the keeps.
        shares: (15,), filled with pi.
        out: (8,), filled with g.
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
    """Add `step`, (8,), to the logarithms of a position, and smaller steps to positions up to `reach` points away.

    Args:
        logs: (121, 121, 2, 8), changed.
        own: the own score.
        other: the opponent's score.
        dealer: 1 for the dealer, 0 for the pone.
        step: added at the position itself; it falls linearly with the distance in either score.
        reach: positions farther away do not change.
    """
    for p in range(max(own - reach, 0), min(own + reach, HOLES - 1) + 1):
        near = 1.0 - abs(p - own) / (reach + 1.0)
        for o in range(max(other - reach, 0), min(other + reach, HOLES - 1) + 1):
            share = near * (1.0 - abs(o - other) / (reach + 1.0))
            for i in range(NUM_STRATEGIES):
                logs[p, o, dealer, i] += share * step[i]
    # Only differences matter. Near 0 the logarithms of often visited positions stay precise.
    most = logs[own, other, dealer, 0]
    for i in range(1, NUM_STRATEGIES):
        most = max(most, logs[own, other, dealer, i])
    for i in range(NUM_STRATEGIES):
        logs[own, other, dealer, i] = max(logs[own, other, dealer, i] - most, FLOOR)


EVENTS = 32
"""Room for the scores of a deal: at most 1 for heels, 8 for cards played and 3 in the show."""


def value_positions(deals: npt.NDArray[np.int8], values: npt.NDArray[np.float64]) -> None:
    """Fill `values` with the chance to win before a deal.

    Args:
        deals: (deals, 32), int8: the scores of each deal in order, the dealer's positive and the pone's negative, then
            zeros.
        values: (121, 121, 2), float64, by own score, opponent's score, and 1 for the dealer or 0 for the pone.
    """
    chances = np.zeros((1, HOLES + 1, HOLES + 1))
    work_back(deals, np.zeros(1, np.int64), chances)
    dealers = chances[0, :0:-1, :0:-1]
    values[:, :, 1], values[:, :, 0] = dealers, 1.0 - dealers.T


@compiled
def work_back(deals: Int8s, first: Int64s, chances: Float64s) -> None:
    """Fill in the chance to win before a deal, from the last holes back; the sides change after each deal.

    Args:
        deals: (deals, columns), int8: the points of each deal in order, positive for one side, negative for the other.
        first: (phases,), int64: the first column of each phase; that of phase 0 is the whole deal's.
        chances: (phases, holes + 1, holes + 1): the chance of the first side, by the points that it and the other need.
    """
    holes = chances.shape[1] - 1
    gains = np.zeros((first.shape[0], deals.shape[0], 2), np.int64)
    for phase in range(first.shape[0]):
        for row in range(deals.shape[0]):
            for column in range(first[phase], deals.shape[1]):
                points = int(deals[row, column])
                gains[phase, row, 0 if points > 0 else 1] += abs(points)
    for together in range(2, 2 * holes + 1):
        for own in range(max(1, together - holes), min(holes, together - 1) + 1):
            other = together - own
            for phase in range(first.shape[0]):
                wins = 0.0
                for row in range(deals.shape[0]):
                    mine, theirs = own - gains[phase, row, 0], other - gains[phase, row, 1]
                    if mine > 0 and theirs > 0:
                        wins += 1.0 - chances[0, theirs, mine]
                        continue
                    mine, theirs = own, other
                    column = int(first[phase])
                    while mine > 0 and theirs > 0:
                        points = int(deals[row, column])
                        mine -= max(points, 0)
                        theirs += min(points, 0)
                        column += 1
                    wins += 1.0 if mine <= 0 else 0.0
                chances[phase, own, other] = wins / deals.shape[0]

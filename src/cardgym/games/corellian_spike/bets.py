"""One betting between two seats, solved from their ranges; flat betting only.

Each seat hides a pair of cards, one of 231. Discounted counterfactual regret minimization (Brown and Sandholm, "Solving
imperfect-information games via discounted regret minimization", AAAI 2019) works on all pairs at once, as for the river
of poker (Johanson et al., "Accelerating best response calculation in large extensive games", IJCAI 2011): sorted by the
rank of its hand, each pair beats those before it, and sums by card take out the pairs that share a card with it.

The last betting ends with a showdown. What the end of an earlier one is worth comes from outside, as a sum of products
of a number of each seat's pair, one of which counts for the better hand, so that the same sums serve.

A node is a seat to bet and the number of raises made so far. With these, who has paid what follows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Int64s, rule
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.hand import RANKS, hand_rank, special_hand
from cardgym.games.corellian_spike.posterior import HIGH, LOW, NUM_PAIRS, PAIR, pair_ways

Bools = npt.NDArray[np.bool_]

RAISES, MATCHES, FOLDS = range(3)
_TOTAL = sabacc.NUM_VALUES
"""The row of sums over all pairs, after those by card."""
_STAYS, _EVEN = 5 / 6, 1 / 72
"""Without doubles the hands stay; half of the chance of double ones, after which both seats draw three new cards."""


def num_nodes(stacks: Int64s) -> int:
    """Return the nodes of each seat: 0 raises, 1 raise, and so on, until a seat has no credits to raise."""
    return int(stacks.min()) + 2


def credits_put(stacks: Int64s, nodes: int) -> Int64s:
    """Return what each seat has put in when either matches, (2, nodes, 2): by the seat that matches, node and seat."""
    put = np.empty((2, nodes, 2), np.int64)
    for matcher in range(2):
        for node in range(nodes):
            put[matcher, node, matcher] = _put(node // 2) + _pays(stacks[matcher], node)
            put[matcher, node, 1 - matcher] = _put((node + 1) // 2)
    return put


@compiled
def solve(
    stacks: Int64s, pool: int, spikes: Int64s, special: int, counts: Int64s, ranges: Float64s, iterations: int,
    worths: Float64s, strategy: Float64s,
) -> None:  # fmt: skip
    """Solve the betting for both seats.

    Args:
        stacks: the credits of each seat before it, (2,).
        pool: the pool before it.
        spikes: the spikes, -10 .. 10, (2,).
        special: whether special hands count.
        counts: cards of each value that are not face up, (21,).
        ranges: how likely each seat would have acted as it did with each pair, up to a factor, (2, 231).
        iterations: of the solver.
        worths: what seat 0 wins of the pool and its stack if the betting ends with a match, (2, 2, 231, nodes, terms):
            the sum over the terms of the product of one number of each seat's pair, by the seat that matches, the seat,
            its pair and the node. Half of the last product counts, as a loss if seat 1 has the better hand, and nothing
            of it if the hands are equal. Without terms, a showdown follows.
        strategy: the average strategy is written here, (2, 3, 231, nodes): by seat, `RAISES`, `MATCHES` and `FOLDS`.
            With fewer nodes than `num_nodes`, nobody raises at the last.
    """
    nodes = strategy.shape[3]
    legal = np.zeros((2, 3, nodes))
    ranks = np.empty((2, NUM_PAIRS), np.int64)
    order = np.empty((2, NUM_PAIRS), np.int64)
    possible = np.empty(NUM_PAIRS, np.bool_)
    for pair in range(NUM_PAIRS):
        possible[pair] = counts[LOW[pair]] > (LOW[pair] == HIGH[pair]) and counts[HIGH[pair]] > 0
    for seat in range(2):
        for pair in range(NUM_PAIRS):
            low, high = LOW[pair] - 10, HIGH[pair] - 10
            ranks[seat, pair] = hand_rank(low, high, spikes[seat])
            if special:
                ranks[seat, pair] += RANKS * special_hand(low, high, spikes[seat])
        order[seat] = np.argsort(ranks[seat], kind="mergesort")
        for node in range(nodes):
            left = stacks[seat] - _put(node // 2)
            legal[seat, RAISES, node] = left >= sabacc.BET and node + 1 < nodes
            legal[seat, MATCHES, node] = True
            legal[seat, FOLDS, node] = left > 0 and node > 0
    # By seat: what the showdown after a match of either seat, and a fold of either, are worth.
    wins, shares = np.empty((2, 2, nodes)), np.empty((2, 2, nodes))
    folds = np.empty((2, 2, nodes))
    for seat in range(2):
        redrawn = _redrawn(seat, counts, possible, ranks, order)
        for node in range(nodes):
            for own in range(2):  # Whether the seat itself is the one that matches or folds.
                matcher = seat if own else 1 - seat
                put = _put(node // 2) + _pays(stacks[matcher], node), _put((node + 1) // 2)
                mine, theirs = (put[0], put[1]) if own else (put[1], put[0])
                wins[seat, own, node] = (pool + mine + theirs) * _STAYS
                shares[seat, own, node] = (pool + mine + theirs) * (redrawn * (1 - _STAYS - 2 * _EVEN) + _EVEN)
                shares[seat, own, node] -= pool / 2.0 + mine
                folds[seat, own, node] = -(pool / 2.0 + _put(node // 2)) if own else pool / 2.0 + _put(node // 2)
    current = np.empty((2, 3, NUM_PAIRS, nodes))
    regrets = np.zeros((2, 3, NUM_PAIRS, nodes))
    strategy[:] = 0.0
    for seat in range(2):
        for pair in range(NUM_PAIRS):
            _match_regrets(regrets[seat], legal[seat], pair, current[seat])
    reaches = np.zeros((NUM_PAIRS, 3 * nodes))
    terms = worths.shape[4]
    columns = 2 * nodes * (terms + 1) if terms else 3 * nodes
    weights = np.zeros((NUM_PAIRS, columns)) if terms else reaches
    beaten, whole = np.empty((NUM_PAIRS, 2 * nodes)), np.empty((NUM_PAIRS, columns))
    sums, values = np.empty((_TOTAL + 1, columns)), np.empty((4, nodes))
    for iteration in range(1, iterations + 1):
        grown = float(iteration) ** 1.5
        decay = (iteration / (iteration + 1.0)) ** 2
        for seat in range(2):
            _reach(1 - seat, current[1 - seat], ranges[1 - seat], possible, reaches)
            if terms:
                for pair in range(NUM_PAIRS):
                    _spread(1 - seat, pair, reaches[pair], worths, weights[pair])
            _meet(seat, counts, possible, ranks, order, weights, sums, beaten, whole)
            for pair in range(NUM_PAIRS):
                if possible[pair]:
                    if terms:
                        _value_ends(seat, pair, worths, folds[seat], beaten[pair], whole[pair], values)
                    else:
                        _value_showdowns(wins[seat], shares[seat], folds[seat], beaten[pair], whole[pair], values)
                    _improve(
                        seat, pair, legal, grown / (grown + 1.0), decay, regrets[seat], current[seat], strategy[seat],
                        values,
                    )  # fmt: skip
    for seat in range(2):
        for pair in range(NUM_PAIRS):
            _match_regrets(strategy[seat], legal[seat], pair, strategy[seat])


@rule
def _put(raises: int) -> int:
    return sabacc.BET * raises


@rule
def _pays(stack: int, node: int) -> int:
    return sabacc.BET if node > 0 and stack > _put(node // 2) else 0


@rule
def _match_regrets(weights: Float64s, legal: Float64s, pair: int, shares: Float64s) -> None:
    """Write shares proportional to the positive weights of the actions; even ones if there are none."""
    for node in range(legal.shape[1]):
        raised, matched = max(weights[RAISES, pair, node], 0.0), max(weights[MATCHES, pair, node], 0.0)
        folded = max(weights[FOLDS, pair, node], 0.0)
        total = raised + matched + folded
        if total <= 0.0:
            raised, matched, folded = legal[RAISES, node], legal[MATCHES, node], legal[FOLDS, node]
            total = raised + matched + folded
        shares[RAISES, pair, node] = raised / total
        shares[MATCHES, pair, node] = matched / total
        shares[FOLDS, pair, node] = folded / total


@rule
def _reach(seat: int, current: Float64s, weights: Float64s, possible: Bools, reaches: Float64s) -> None:
    """Write with what weight each pair of `seat` gets to the other seat's nodes, matches there, and folds.

    `reaches`, (231, 3 nodes): where the other seat is to bet after so many raises, where `seat` matches, and where
    it folds. A check of seat 0 is no match here, because seat 1 bets then.
    """
    nodes = current.shape[2]
    for pair in range(NUM_PAIRS):
        if not possible[pair]:
            continue
        before = last = weights[pair]
        reaches[pair, 0] = weights[pair] * (current[MATCHES, pair, 0] if seat == 0 else 1.0)
        for node in range(nodes):
            # With what weight it has come here: it raised two raises ago, or began.
            at = weights[pair] if node == 0 else reaches[pair, 0] if node == 1 else before
            before, last = last, at * current[RAISES, pair, node]
            if node + 1 < nodes:
                reaches[pair, node + 1] = last
            reaches[pair, nodes + node] = at * current[MATCHES, pair, node] if node + seat > 0 else 0.0
            reaches[pair, 2 * nodes + node] = at * current[FOLDS, pair, node]


@rule
def _meet(
    seat: int, counts: Int64s, possible: Bools, ranks: Int64s, order: Int64s, reaches: Float64s, sums: Float64s,
    beaten: Float64s, whole: Float64s,
) -> None:  # fmt: skip
    """Sum the weights of the other seat's pairs that can be dealt beside each pair of `seat`, times the ways to do so.

    `whole`, (231, columns), is for all pairs, and `beaten`, (231, fewer columns), for those that the pair beats; a tie
    counts half. `sums`, (22, columns), is overwritten.
    """
    columns, showdowns = reaches.shape[1], beaten.shape[1]
    sums[:] = 0.0
    for pair in range(NUM_PAIRS):
        if possible[pair]:
            _add(pair, 1.0, counts, reaches[pair], columns, sums)
    for pair in range(NUM_PAIRS):
        if possible[pair]:
            low, high = LOW[pair], HIGH[pair]
            _combine(low, high, sums, reaches, 1.0, 1.0, 1.0, whole[pair])
    sums[:] = 0.0
    other = 1 - seat
    below = level = 0
    for number in range(NUM_PAIRS):
        pair = order[seat, number]
        if not possible[pair]:
            continue
        rank = ranks[seat, pair]
        while below < NUM_PAIRS and ranks[other, order[other, below]] < rank:
            if possible[order[other, below]]:
                _add(order[other, below], 0.5, counts, reaches[order[other, below]], showdowns, sums)
            below += 1
        while level < NUM_PAIRS and ranks[other, order[other, level]] <= rank:
            if possible[order[other, level]]:
                _add(order[other, level], 0.5, counts, reaches[order[other, level]], showdowns, sums)
            level += 1
        low, high = LOW[pair], HIGH[pair]
        _combine(
            low, high, sums, reaches, _beats(rank, ranks[other, pair]), _beats(rank, ranks[other, PAIR[low, low]]),
            _beats(rank, ranks[other, PAIR[high, high]]), beaten[pair],
        )  # fmt: skip


@rule
def _beats(rank: int, other: int) -> float:
    return 1.0 if rank > other else 0.5 if rank == other else 0.0


@rule
def _add(pair: int, share: float, counts: Int64s, weights: Float64s, columns: int, sums: Float64s) -> None:
    """Add a pair's weights to the sums over all pairs and by card, times the ways that taking the card out removes."""
    low, high = LOW[pair], HIGH[pair]
    if low == high:
        ways, less = share * counts[low] * (counts[low] - 1) / 2.0, share * (counts[low] - 0.5)
        for column in range(columns):
            sums[_TOTAL, column] += ways * weights[column]
            sums[low, column] += less * weights[column]
        return
    ways, less, also = share * counts[low] * counts[high], share * counts[high], share * counts[low]
    for column in range(columns):
        sums[_TOTAL, column] += ways * weights[column]
        sums[low, column] += less * weights[column]
        sums[high, column] += also * weights[column]


@rule
def _combine(
    low: int, high: int, sums: Float64s, weights: Float64s, same: float, both_low: float, both_high: float,
    out: Float64s,
) -> None:  # fmt: skip
    """Write the sums without the two cards of a pair; what both take out is added again, as far as it counts.

    The ways to deal a pair from what is left are a polynomial of the cards taken out of each value; these are its
    quadratic terms.
    """
    pair, first, second = PAIR[low, high], PAIR[low, low], PAIR[high, high]
    if low == high:
        same *= 2.0
        both_low = both_high = 0.0
    else:
        both_low *= 0.5
        both_high *= 0.5
    for column in range(out.shape[0]):
        out[column] = (
            sums[_TOTAL, column] - sums[low, column] - sums[high, column]
            + same * weights[pair, column] + both_low * weights[first, column] + both_high * weights[second, column]
        )  # fmt: skip


@rule
def _redrawn(seat: int, counts: Int64s, possible: Bools, ranks: Int64s, order: Int64s) -> float:
    """Return the chance that `seat` wins with pairs dealt anew: after doubles, ignoring what that turns up."""
    ones, sums = np.zeros((NUM_PAIRS, 1)), np.empty((_TOTAL + 1, 1))
    beaten, whole = np.empty((NUM_PAIRS, 1)), np.empty((NUM_PAIRS, 1))
    for pair in range(NUM_PAIRS):
        ones[pair, 0] = possible[pair]
    _meet(seat, counts, possible, ranks, order, ones, sums, beaten, whole)
    won = total = 0.0
    for pair in range(NUM_PAIRS):
        if possible[pair]:
            ways = pair_ways(counts, pair)
            won += ways * beaten[pair, 0]
            total += ways * whole[pair, 0]
    return float(won / total)


@rule
def _spread(other: int, pair: int, reaches: Float64s, worths: Float64s, weights: Float64s) -> None:
    """Multiply what `_reach` has written for a pair of the other seat by its numbers in `worths`.

    `weights`, by node: times the last number where the seat matches, then where `other` does; by node and term times
    the others, in both places; without the numbers where the seat is to bet; and where `other` folds.
    """
    nodes, last = worths.shape[3], worths.shape[4] - 1
    for node in range(nodes):
        at, answered = 2 * nodes + node * last, (2 + last) * nodes + node * last
        for term in range(last):
            weights[at + term] = reaches[node] * worths[1 - other, other, pair, node, term]
            weights[answered + term] = reaches[nodes + node] * worths[other, other, pair, node, term]
        weights[node] = reaches[node] * worths[1 - other, other, pair, node, last]
        weights[nodes + node] = reaches[nodes + node] * worths[other, other, pair, node, last]
        weights[2 * (1 + last) * nodes + node] = reaches[node]
        weights[2 * (1 + last) * nodes + nodes + node] = reaches[2 * nodes + node]


@rule
def _value_ends(
    seat: int, pair: int, worths: Float64s, folds: Float64s, beaten: Float64s, whole: Float64s, values: Float64s
) -> None:
    """Write what a match and a fold pay at each node, and in the place of a raise, what the answers that end it pay."""
    nodes, last = worths.shape[3], worths.shape[4] - 1
    sign, folded = 1.0 if seat == 0 else -1.0, 2 * (1 + last) * nodes
    for node in range(nodes):
        at, after = 2 * nodes + node * last, (2 + last) * nodes + node * last
        matched = answered = 0.0
        for term in range(last):
            matched += whole[at + term] * worths[seat, seat, pair, node, term]
            answered += whole[after + term] * worths[1 - seat, seat, pair, node, term]
        better, then = beaten[node] - whole[node] / 2.0, beaten[nodes + node] - whole[nodes + node] / 2.0
        values[MATCHES, node] = sign * matched + better * worths[seat, seat, pair, node, last]
        values[FOLDS, node] = folds[1, node] * whole[folded + node]
        values[RAISES, node] = sign * answered + then * worths[1 - seat, seat, pair, node, last]
        values[RAISES, node] += folds[0, node] * whole[folded + nodes + node]


@rule
def _value_showdowns(
    wins: Float64s, shares: Float64s, folds: Float64s, beaten: Float64s, whole: Float64s, values: Float64s
) -> None:  # fmt: skip
    """Do the same as `_value_ends` where a showdown follows."""
    nodes = values.shape[1]
    for node in range(nodes):
        values[MATCHES, node] = wins[1, node] * beaten[node] + shares[1, node] * whole[node]
        values[FOLDS, node] = folds[1, node] * whole[node]
        values[RAISES, node] = folds[0, node] * whole[2 * nodes + node]
        values[RAISES, node] += wins[0, node] * beaten[nodes + node] + shares[0, node] * whole[nodes + node]


@rule
def _improve(
    seat: int, pair: int, legal: Float64s, growth: float, decay: float, regrets: Float64s, current: Float64s,
    strategy: Float64s, values: Float64s,
) -> None:  # fmt: skip
    """Update a pair's regrets and strategy, and add the strategy to the average, weighted by its own reach.

    `values`, (4, nodes), comes from `_value_ends` or `_value_showdowns` and is overwritten: of the three actions, then
    of the current strategy. The work is done in loops over the nodes that processors do several nodes at a time of.
    """
    nodes = legal.shape[2]
    checked = values[RAISES, 0]
    after = second = ends = 0.0  # The values one and two raises later, and of the answers after one.
    for node in range(nodes - 1, -1, -1):
        ends, values[RAISES, node] = values[RAISES, node], second + ends
        if node == 0 and seat == 0:
            # After a check the other seat checks, or raises: then there has been one raise.
            values[MATCHES, 0] = after + checked
        value = 0.0
        for action in range(3):
            value += current[action, pair, node] * values[action, node]
        values[3, node] = value
        after, second = value, after
    for action in range(3):
        for node in range(nodes):
            old = regrets[action, pair, node]
            new = old * (growth if old > 0.0 else 0.5) + values[action, node] - values[3, node]
            regrets[action, pair, node] = legal[seat, action, node] * new
    _match_regrets(regrets, legal[seat], pair, current)
    before = last = 0.0
    for node in range(nodes):
        reach = 1.0 if node == 0 or (node == 1 and seat == 1) else current[MATCHES, pair, 0] if node == 1 else before
        before, last = last, reach * current[RAISES, pair, node]
        values[3, node] = reach
    for action in range(3):
        for node in range(nodes):
            added = values[3, node] * current[action, pair, node]
            strategy[action, pair, node] = strategy[action, pair, node] * decay + added

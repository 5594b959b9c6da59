"""One Play Poker solved from its written rules alone, sharing nothing with the package."""

import functools
import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np

Card = tuple[int, str]
"""A rank, 11 for the jack to 14 for the ace, and a suit."""
Hand = frozenset[Card]
BetProbability = Callable[[Hand, Hand], int | Fraction]
"""The probability of a bet by the own and the house's hand."""


class BruteForce:
    """The value of a policy, or of the best one if None, in exact fractions."""

    def __init__(self, decisions: int, ranking: str, gamma: Fraction | str | int, policy: BetProbability | None = None):
        self.decisions, self.ranking, self.gamma, self.policy = decisions, ranking, Fraction(gamma), policy
        self.deck = [(rank, suit) for rank in (11, 12, 13, 14) for suit in "shcd"]
        self.decide = functools.lru_cache(None)(self._decide)
        self.draw = functools.lru_cache(None)(self._draw)

    def value(self) -> Fraction:
        firsts = [self.decide(frozenset([card]), frozenset(), 0) for card in self.deck]
        return Fraction(sum(firsts), len(firsts))

    def strength(self, hand: Hand) -> tuple[int, int, int]:
        (first, suit), (second, other) = sorted(hand, reverse=True)
        order = ["high", "pair", "flush"] if self.ranking == "flush_first" else ["high", "flush", "pair"]
        kind = "pair" if first == second else "flush" if suit == other else "high"
        return order.index(kind), first, second

    def showdown(self, own: Hand, house: Hand, bets: int) -> Fraction:
        mine, theirs = self.strength(own), self.strength(house)
        share = Fraction(1) if mine > theirs else Fraction(1, 2) if mine == theirs else Fraction(0)
        return (2 + 2 * bets) * share

    def _decide(self, own: Hand, house: Hand, bets: int) -> Fraction:
        passing, betting = self.draw(own, house, bets), -1 + self.draw(own, house, bets + 1)
        if self.policy is None:
            return max(passing, betting)
        probability = self.policy(own, house)
        return probability * betting + (1 - probability) * passing

    def _draw(self, own: Hand, house: Hand, bets: int) -> Fraction:
        if len(own) + len(house) == 4:
            return self.showdown(own, house, bets)
        total = Fraction(0)
        left = [card for card in self.deck if card not in own and card not in house]
        for card in left:
            mine, theirs = (own | {card}, house) if len(own) == len(house) else (own, house | {card})
            if len(mine) + len(theirs) == 4 and self.decisions == 3:
                total += self.showdown(mine, theirs, bets)
            else:
                total += self.gamma * self.decide(mine, theirs, bets)
        return total / len(left)


def handcrafted(strength: Callable[[Hand], tuple[int, int, int]]) -> BetProbability:
    """The paper's handcrafted policy; after a fourth card it bets if winning."""

    def policy(own: Hand, house: Hand) -> int:
        mine = sorted(own)
        if len(own) + len(house) == 1:
            return int(mine[0][0] >= 13)
        if len(own) + len(house) == 2:
            return int(mine[0][0] > min(house)[0])
        if len(own) + len(house) == 3:
            return int(mine[0][0] == mine[1][0] or mine[0][1] == mine[1][1])
        return int(strength(own) > strength(house))

    return policy


def mean_and_deviation(policy: BetProbability, gamma: float) -> tuple[float, float]:
    """The mean return of three decisions over all deals, and its standard deviation, by counting."""
    brute = BruteForce(3, "flush_first", 1)
    returns = []
    for a, b, c, d in itertools.permutations(brute.deck, 4):
        moments = [([a], []), ([a], [b]), ([a, c], [b])]
        bets = [float(policy(frozenset(own), frozenset(house))) for own, house in moments]
        mine, theirs = brute.strength(frozenset([a, c])), brute.strength(frozenset([b, d]))
        pot = (2 + 2 * sum(bets)) * (1.0 if mine > theirs else 0.5 if mine == theirs else 0.0)
        returns.append(gamma**2 * pot - sum(gamma**step * bet for step, bet in enumerate(bets)))
    return float(np.mean(returns)), float(np.std(returns))

"""The hyper-parameters of experts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cardgym.errors import CardgymError


@dataclass(frozen=True)
class ExpertsConfig:
    """Experts at cribbage: how much each of eight strategies counts, by both scores and who deals."""

    seed: int = 1
    """Decides everything: deals, noise, what is learned."""
    games: int = 1_000_000
    """How many games are played."""
    init: tuple[str, ...] = ("uniform",)
    """What one expert (then it plays itself) or two start from: weights with a name, or weight files by path."""
    update: str = "gradient"
    """How they learn: gradient, or paper."""
    noise: float = 0.05
    """Standard deviation of the noise on the logarithms of weights with a name; the paper's update needs some."""
    own_crib: bool = False
    """Let `crib_min_avg` want the most of the own crib as dealer, which the paper's eight strategies cannot."""
    seed_deals: int = 200_000
    """Deals of random keeps for a first knowledge of pegging."""

    rate: float = 0.1
    """The gradient's step size at the start; it falls to 0 in a straight line."""
    temperature: float = 0.005
    """Of the softmax over the keeps that the gradient is taken of, in units of P = w S, whose mean is 1 / 15."""
    reach: int = 16
    """How many points away positions learn along."""
    anywhere: float = 0.5
    """The share of games that begin at two scores drawn at random."""
    value_every: int = 20_000
    """Games from one valuation of all positions to the next."""
    deals_kept: int = 4096
    """Deals that positions are valued by, the last played."""
    credit: float = 1.0
    """The paper's update: what a position counts for, to the power of the deals still to come; 1 for all alike."""

    checkpoint_every: int = 200_000
    """Games from one weight file and state to resume from to the next, whatever `value_every` is."""
    eval_opponents: tuple[str, ...] = ("greedy", "uniform")
    """Whom expert 0 is matched with at each checkpoint."""
    eval_games: int = 20_000
    """Games of each such match; deals are swapped."""

    def __post_init__(self) -> None:
        for name in ("games", "value_every", "deals_kept", "checkpoint_every", "eval_games"):
            self._check(name, getattr(self, name) >= 1, "1 or more")
        for name in ("seed", "seed_deals"):
            self._check(name, 0 <= getattr(self, name) < 2**63, "0 to 2^63 - 1")
        for name in ("noise", "rate"):
            self._check(name, 0 <= getattr(self, name) < math.inf, "0 or more")
        for name in ("anywhere", "credit"):
            self._check(name, 0 <= getattr(self, name) <= 1, "0 to 1")
        self._check("temperature", 0 < self.temperature < math.inf, "more than 0")
        self._check("reach", 0 <= self.reach <= 60, "0 to 60")
        self._check("update", self.update in ("gradient", "paper"), "gradient, paper")
        self._check("init", 1 <= len(self.init) <= 2, "one name or two")

    def _check(self, name: str, fine: bool, words: str) -> None:
        if not fine:
            raise CardgymError(f"{name}={getattr(self, name)!r}: allowed: {words}")

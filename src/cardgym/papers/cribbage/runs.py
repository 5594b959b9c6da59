"""The trainings of the page, and what its sections read from their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym.console.progress import Progress
from cardgym.games.cribbage.experts import HOLES, Weights
from cardgym.papers.cribbage.matches import OPPONENTS, Side
from cardgym.papers.cribbage.picture import family_shares
from cardgym.papers.cribbage.training import ExpertsConfig, Trainer
from cardgym.statistics import Interval

CHECKPOINTS = 4
"""Evaluations of a run from uniform weights, besides that of its first weights."""
EVALUATION_GAMES = 20_000

Rates = dict[str, tuple[float, Interval]]
KINDS = {
    "gradient, own crib": ExpertsConfig(own_crib=True),
    "gradient, the paper's eight": ExpertsConfig(),
    "the paper's update": ExpertsConfig(update="paper", exploring_starts=0.0),
}
"""The three ways to learn, by the names that the page gives them."""
PAPER_UPDATE = tuple(KINDS)[-1]
DISCOUNTS = {f"{PAPER_UPDATE}, gamma {gamma:g}": KINDS[PAPER_UPDATE].replace(gamma=gamma) for gamma in (0.0, 0.5, 0.9)}
"""The paper's update with smaller steps for a game's early deals; `KINDS` has it with gamma 1."""
VARIANTS = {
    "gradient, reward `win`, noise 0.05": (ExpertsConfig(), False),
    "gradient, reward `spread`: the round's points": (ExpertsConfig(reward="spread"), False),
    "gradient, reward `intrinsic`: values set by hand": (ExpertsConfig(reward="intrinsic"), False),
    "gradient, S scaled by keep": (ExpertsConfig(), True),
    **{f"gradient, noise {noise:g}": (ExpertsConfig(init_noise=noise), False) for noise in (0.0, 0.5)},
    "the paper's update, noise 0.05": (KINDS[PAPER_UPDATE], False),
    "the paper's update, S scaled by keep": (KINDS[PAPER_UPDATE], True),
    **{
        f"the paper's update, noise {noise:g}": (KINDS[PAPER_UPDATE].replace(init_noise=noise), False)
        for noise in (0.0, 0.005, 0.5)
    },
}
"""What the paper leaves open, with other answers: a config, and whether S is scaled by keep."""


@dataclass(frozen=True)
class Run:
    """A training: expert 0 with its first and its last weights, its win rates before and after, and its boards."""

    kind: str
    start: str
    seed: int
    games: int
    first: Side
    last: Side
    before: Rates
    after: Rates
    boards: list[Weights]


def train(kind: str, start: str, seed: int, games: int, progress: Progress) -> Run:
    """Train, and evaluate before and after."""
    half = max(games // CHECKPOINTS // 2, 1)
    every = 2 * half  # A multiple of `value_every`: positions are valued before each evaluation.
    base, by_keep = VARIANTS[kind] if kind in VARIANTS else ((KINDS | DISCOUNTS)[kind], False)
    config = base.replace(total_games=games, init=(start,), seed=seed, value_every=half, save_every=every)
    trainer = Trainer(config, by_keep=by_keep)
    first, before = trainer.side(), trainer.evaluate(("greedy", "uniform"), EVALUATION_GAMES)
    boards = [first.weights]
    while trainer.games < games:
        played = trainer.games
        trainer.advance()
        boards.append(trainer.weights())
        progress.advance(trainer.games - played)
    opponents = OPPONENTS if start == "uniform" and kind in KINDS else ("greedy", "uniform")
    after = trainer.evaluate(opponents, EVALUATION_GAMES)
    return Run(kind, start, seed, games, first, trainer.side(), before, after, boards)


def near_shares(weights: Weights, dealer: int) -> npt.NDArray[np.float32]:
    """Family shares at positions where the scores are at most 30 points apart, (positions, 3)."""
    own, other = np.indices((HOLES, HOLES))
    shares: npt.NDArray[np.float32] = family_shares(weights)[:, :, dealer][abs(own - other) <= 30]
    return shares


def agreement(one: Run, other: Run) -> float:
    """1 minus half the sum of the differences of two runs' family shares there."""
    pairs = [(near_shares(one.last.weights, dealer), near_shares(other.last.weights, dealer)) for dealer in (0, 1)]
    return float(np.mean([1.0 - abs(mine - yours).sum(-1).mean() / 2 for mine, yours in pairs]))


def region(runs: list[Run], low: int, high: int) -> npt.NDArray[np.float64]:
    """Family shares where both scores are in a range, averaged over runs, (2, 3)."""
    square = slice(low, high + 1)
    shares: npt.NDArray[np.float64] = np.mean(
        [family_shares(run.last.weights)[square, square].mean((0, 1)) for run in runs], axis=0
    )
    return shares

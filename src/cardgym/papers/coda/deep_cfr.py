"""What Deep CFR, the paper's first reference, would cost at Coda: how many decisions one of its walks visits."""

from __future__ import annotations

from dataclasses import dataclass

import gymnasium
import numpy as np

from cardgym.engine.registry import find
from cardgym.papers.coda.runs import ENV
from cardgym.solvers.best_response import exploitability
from cardgym.solvers.mccfr import MCCFR
from cardgym.solvers.tree import enumerate_tree

MINI = "CodaMini-v0"


@dataclass(frozen=True)
class WalkSize:
    """How many of its own decisions one walk for a seat visits, with `n` tiles: mean and median of the estimates."""

    n: int
    mean: float
    median: float


@dataclass(frozen=True)
class Walked:
    """External-sampling MCCFR at `CodaMini-v0`: walks for both seats so far, their decisions, and exploitability."""

    walks: int
    decisions: int
    exploitability: float


def walk_size(n: int, games: int, seed: int) -> WalkSize:
    """Estimate the size of a walk that tries all actions of seat 0 and samples the rest, all of it at random.

    Each game is an unbiased estimate: the sum over its decisions of the product of the numbers of actions before each
    (Knuth, "Estimating the efficiency of backtrack programs", 1975).
    """
    env = gymnasium.make(ENV, n=n, opponent="random", seat=0)
    generator = np.random.default_rng(seed)
    sizes = np.zeros(games)
    for game in range(games):
        _, info = env.reset(seed=seed + game)
        over, weight = False, 1.0
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            sizes[game] += weight
            weight *= len(legal)
            _, _, over, _, info = env.step(int(generator.choice(legal)))
    return WalkSize(n, float(sizes.mean()), float(np.median(sizes)))


def walk_mini(walks: tuple[int, ...], seed: int) -> list[Walked]:
    """MCCFR at `CodaMini-v0` after so many walks for each seat, exploitability exact; first the uniform strategy."""
    game = find(MINI)
    tree = enumerate_tree(game, game.parse_options())
    solver = MCCFR(game, game.parse_options(), seed=seed)
    rows = [Walked(0, 0, exploitability(tree, tree.uniform()))]
    for goal in walks:
        solver.run(goal - solver.iterations)
        player = solver.player()
        strategy = tree.strategy(player.probabilities(*tree.look(player.observation_name)))
        rows.append(Walked(goal, solver.decisions, exploitability(tree, strategy)))
    return rows

"""The paper's references at Coda: what a walk of Deep CFR would visit, and what neural fictitious self-play learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import gymnasium
import numpy as np

from cardgym.console.progress import Progress
from cardgym.engine.registry import find
from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.nfsp import NFSPConfig, train
from cardgym.papers.coda.runs import ENV, Scale, fresh_win_rate
from cardgym.players import Player, resolve
from cardgym.solvers.best_response import exploitability
from cardgym.solvers.exact import tree_exploitability
from cardgym.solvers.mccfr import MCCFR
from cardgym.solvers.tree import enumerate_tree

MINI = "CodaMini-v0"
OPPONENTS = ("random", "heuristic", "bayes")
"""Whom the learners of self-play meet with all tiles, moving first."""
NFSP = NFSPConfig(
    num_envs=64, anticipatory_param=0.3, exploration_initial_eps=0.2, exploration_final_eps=0.05,
    learning_rate_final=1e-4, learning_starts=2000, train_frequency=64, batch_size=256, buffer_size=20_000,
    eval_every=0, final_games=0, save_every=1_000_000_000,
)  # fmt: skip
"""As in the benchmark of small games."""


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


@dataclass(frozen=True)
class NFSPResults:
    """Neural fictitious self-play, for each seed.

    Attributes:
        exploitability: exact, at `CodaMini-v0`.
        rates: the share of games won with all tiles, moving first, by opponent.
    """

    exploitability: list[float]
    rates: dict[str, list[float]]


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


def learn_nfsp(scale: Scale, seeds: Sequence[int], progress: Progress) -> NFSPResults:
    """Neural fictitious self-play in the smallest game, then with all tiles; each training is a step."""
    mini, results = find(MINI), NFSPResults([], {opponent: [] for opponent in OPPONENTS})
    for seed in seeds:
        exact = tree_exploitability(mini, mini.parse_options(), _nfsp(MINI, scale.mini_decisions, seed))
        results.exploitability.append(exact[0] if exact else np.nan)
        progress.advance()
        player = _nfsp(ENV, scale.self_play_decisions, seed)
        for opponent in OPPONENTS:
            results.rates[opponent].append(fresh_win_rate(player, scale.games, seed, opponent=opponent))
        progress.advance()
    return results


def _nfsp(env_id: str, decisions: int, seed: int) -> Player:
    """Return the average policy after a training in both seats, on the observation `full`."""
    config, game = NFSP.replace(env_id=env_id, total_steps=decisions, seed=seed), find(env_id)
    with TemporaryDirectory() as folder:
        NetworkTraining.running(train)(config, Path(folder), False)
        return resolve(Path(folder) / "model.safetensors", game, game.parse_options())

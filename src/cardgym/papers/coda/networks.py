"""DQN and double DQN with the paper's number of games, and their losses: figures 6 and 7."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cardgym.console.plots import COLORS, new_figure, save_png
from cardgym.engine.registry import find
from cardgym.learn.dqn import DQNConfig, DQNLearner, EpsilonGreedy
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.replay import ReplayBuffer, TransitionBuilder
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.schedules import linear
from cardgym.papers.coda.runs import ENV
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import NetworkPlayer, QNetwork

MAX_DECISIONS = 11
"""No game has more decisions of one seat."""

_LINES = ((COLORS[0], "o", "-"), (COLORS[5], "s", "--"))
"""Color, marker and line of each curve."""
_NOTE = (
    "strong: mean of the runs; faint: each run. The loss rises as the replay fills: each game is drawn less often,\n"
    "so less of how it ended is known by heart. Batch 128 draws it four times as often."
)


BUDGET = DQNConfig(
    env_id=ENV, observation="full", seat=0, num_envs=32, hidden_sizes=(64,), gamma=0.5, learning_rate=3e-3,
    batch_size=32, train_frequency=5, learning_starts=200, target_update_interval=200, exploration_final_eps=0.05,
    exploration_fraction=0.5,
)  # fmt: skip
"""How a network is trained in few games. The paper gives the number of games and two batch sizes."""


@dataclass(frozen=True)
class NetworkTraining:
    """How a network is trained.

    Attributes:
        config: its hyper-parameters.
        reward: the game's rewards; `paper` for 10 a guess and 10,000 a game, won or lost.
        symmetric: whether two networks learn, each from the other's value of its own best action, in turns by lot
            (Hasselt, "Double Q-learning", 2010); the first of them plays.
        n: the number of tiles.
    """

    config: DQNConfig
    reward: str = "win"
    symmetric: bool = False
    n: int = 24

    @property
    def name(self) -> str:
        """The algorithm."""
        return "double DQN of 2010" if self.symmetric else "double DQN" if self.config.double else "DQN"


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """What a training gave.

    Attributes:
        player: the greedy player.
        losses: the loss of every update, (updates,), float64.
        decisions: how many the learner took.
        seconds: processor time, without compiling and evaluation.
    """

    player: NetworkPlayer
    losses: npt.NDArray[np.float64]
    decisions: int
    seconds: float


def train_network(training: NetworkTraining, games: int) -> TrainedNetwork:
    """Train against `random`, moving first. Every transition is kept, as in the paper."""
    config = training.config
    if training.symmetric:  # The other network is the target, so nothing is ever copied to it.
        config = config.replace(double=True, target_update_interval=2**31)
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    game = find(ENV)
    options = game.parse_options({"reward": training.reward, "n": training.n})
    shape = network_shape(game, options, config.observation, config.hidden_sizes, dueling=False)
    learner = DQNLearner(QNetwork(shape), config)
    learners = [learner]
    if training.symmetric:
        learners.append(DQNLearner(QNetwork(shape), config))
        learner.target, learners[1].target = learners[1].network, learner.network
    player = NetworkPlayer(training.name, learner.network, config.observation)
    pool = OpponentPool.parse(("random=1",))
    rollout = SelfPlayRollout(game, options, config.num_envs, pool, player, seed=config.seed, seat=0)
    start = time.process_time()
    explore, sampling = EpsilonGreedy(np.random.default_rng([config.seed, 2])), np.random.default_rng([config.seed, 3])
    builder = TransitionBuilder(rollout.num_streams, shape.inputs, shape.actions)
    replay = ReplayBuffer(MAX_DECISIONS * games, shape.inputs, shape.actions, sampling)
    decay_games = int(config.exploration_fraction * games)
    losses: list[torch.Tensor] = []
    while rollout.games < games:
        turns = rollout.turns
        epsilon = linear(rollout.games, 1.0, config.exploration_final_eps, decay_games)
        actions = explore(player.act(turns.observations, turns.masks), turns.masks, epsilon)
        builder.act(turns, actions)
        rollout.step(actions)
        for transitions in builder.complete(rollout.rewards, rollout.turns, rollout.ended):
            replay.add(transitions)
        updates_due = (rollout.decisions - config.learning_starts) // config.train_frequency
        while len(losses) < updates_due and replay.size:
            chosen = learners[sampling.integers(len(learners))] if training.symmetric else learner
            losses.append(chosen.update(replay.sample(config.batch_size)))
    seconds = time.process_time() - start
    return TrainedNetwork(player, np.array([float(loss) for loss in losses]), rollout.decisions, seconds)


def draw_losses(path: Path, title: str, curves: Mapping[str, Sequence[TrainedNetwork]]) -> None:
    """Draw the loss by update as a PNG file: each run in a faint line, the mean of a curve's runs in a strong one.

    `curves` has the runs of each curve by its label; losses are averaged over 100 updates.
    """
    figure: Any = new_figure(7, 4.4)
    axes = figure.subplots()
    for (label, runs), (color, marker, style) in zip(curves.items(), _LINES, strict=False):
        updates = min(len(run.losses) for run in runs)
        smooth = min(100, max(updates // 4, 1))
        lines = np.array([np.convolve(run.losses[:updates], np.ones(smooth) / smooth, "valid") for run in runs])
        steps = np.arange(smooth, updates + 1)
        for line in lines:
            axes.plot(steps, line, color=color, alpha=0.25, linewidth=0.8)
        every = max(len(steps) // 8, 1)
        look: Any = {"color": color, "marker": marker, "linestyle": style}
        axes.plot(steps, lines.mean(axis=0), **look, markevery=every, markersize=5, label=label)
    axes.set_xlabel(f"update (mean of the last {smooth})")
    axes.set_ylabel("Huber's loss")
    axes.set_ylim(bottom=0)
    axes.set_title(title, fontsize=11)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.supxlabel(_NOTE, fontsize=8)
    save_png(figure, path, dpi=110)

"""DQN and double DQN at Coda within the paper's budget, and their losses: figures 6 and 7."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import smooth_l1_loss

from cardgym.engine.registry import find
from cardgym.figures import new_figure
from cardgym.files import replacing
from cardgym.learn.acting import epsilon_greedy
from cardgym.learn.dqn.replay import Replay
from cardgym.learn.dqn.targets import double_dqn_target, dqn_target
from cardgym.learn.rollouts import Mix, SelfPlayRollout
from cardgym.learn.schedules import linear
from cardgym.players.networks import NetworkPlayer, QNetwork, greedy_actions, network_shape

ENV = "Coda-v0"
_COLOURS, _MARKERS = ("#0072b2", "#d55e00"), "os"


@dataclass(frozen=True)
class Budget:
    """How a network is trained in few games; the paper tells the games and the two sizes of a batch."""

    double: bool = True
    observation: str = "full"
    batch_size: int = 32
    games: int = 2000
    seed: int = 1
    tables: int = 32
    hidden: tuple[int, ...] = (64,)
    gamma: float = 0.5
    learning_rate: float = 3e-3
    train_every: int = 5
    learning_starts: int = 200
    target_every: int = 200
    epsilon_end: float = 0.05
    epsilon_games: float = 0.5
    """The share of the games in which epsilon falls from 1."""


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """What came of it.

    Attributes:
        player: the greedy player.
        losses: of every update, (updates,), float64.
        decisions: how many the learner took.
        seconds: of processor time, compiling and evaluation left out.
    """

    player: NetworkPlayer
    losses: npt.NDArray[np.float64]
    decisions: int
    seconds: float


def train_network(budget: Budget) -> TrainedNetwork:
    """Train against `random`, moving first, with the rewards +1 and -1; every transition is kept, as in the paper."""
    torch.set_num_threads(1)
    game = find(ENV)
    options = game.parse_options()
    shape = network_shape(game, options, budget.observation, budget.hidden, dueling=False)
    torch.manual_seed(budget.seed)
    online = QNetwork(shape)
    target = copy.deepcopy(online).requires_grad_(False)
    optimiser = torch.optim.Adam(online.parameters(), lr=budget.learning_rate, fused=True)
    tables = SelfPlayRollout(
        game,
        options,
        budget.tables,
        Mix.parse(("random=1",)),
        online,
        budget.observation,
        seed=budget.seed,
        gamma=budget.gamma,
        seat=0,
    )
    start = time.process_time()
    replay = Replay(11 * budget.games, shape.inputs, shape.actions)  # No game has more decisions of one seat.
    exploration, sampling = (np.random.default_rng([budget.seed, stream]) for stream in (2, 3))
    losses: list[torch.Tensor] = []
    decisions = 0
    while tables.games < budget.games:
        epsilon = linear(tables.games, 1.0, budget.epsilon_end, int(budget.epsilon_games * budget.games))
        greedy = greedy_actions(online, tables.observations, tables.masks)
        actions = epsilon_greedy(greedy, tables.masks, epsilon, exploration)
        for transitions in tables.step(actions):
            replay.add(transitions)
        decisions += len(actions)
        while len(losses) < (decisions - budget.learning_starts) // budget.train_every and replay.size:
            batch = replay.sample(budget.batch_size, sampling)
            with torch.no_grad():
                ahead = target(batch.next_observations)
                if budget.double:
                    chosen = online(batch.next_observations)
                    goals = double_dqn_target(
                        batch.rewards, batch.done, budget.gamma, chosen, ahead, batch.next_masks
                    )  # fmt: skip
                else:
                    goals = dqn_target(batch.rewards, batch.done, budget.gamma, ahead, batch.next_masks)
            values = online(batch.observations).gather(1, batch.actions[:, None]).squeeze(1)
            loss = smooth_l1_loss(values, goals)
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            losses.append(loss.detach())
            if len(losses) % budget.target_every == 0:
                target.load_state_dict(online.state_dict())
    seconds = time.process_time() - start
    name = "double DQN" if budget.double else "DQN"
    player = NetworkPlayer(name, online, budget.observation)
    return TrainedNetwork(player, np.array([float(loss) for loss in losses]), decisions, seconds)


def draw_losses(path: Path, title: str, curves: Mapping[str, Sequence[TrainedNetwork]], window: int = 100) -> None:
    """Draw the loss by update as a PNG file: each run faint, the mean of a curve's runs over `window` updates strong.

    Raises:
        CardgymError: where matplotlib is not installed, or the file cannot be written.
    """
    figure: Any = new_figure(7, 4)
    axes = figure.subplots()
    for (label, runs), colour, marker in zip(curves.items(), _COLOURS, _MARKERS, strict=False):
        updates = min(len(run.losses) for run in runs)
        smooth = min(window, max(updates // 4, 1))
        lines = np.array([np.convolve(run.losses[:updates], np.ones(smooth) / smooth, "valid") for run in runs])
        steps = np.arange(smooth, updates + 1)
        for line in lines:
            axes.plot(steps, line, color=colour, alpha=0.25, linewidth=0.8)
        every = max(len(steps) // 8, 1)
        axes.plot(steps, lines.mean(axis=0), color=colour, marker=marker, markevery=every, markersize=4, label=label)
    axes.set_xlabel(f"update (mean of the last {smooth})")
    axes.set_ylabel("Huber's loss")
    axes.set_ylim(bottom=0)
    axes.set_title(title, fontsize=11)
    axes.grid(alpha=0.3)
    axes.legend()
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110, metadata={"Software": ""})

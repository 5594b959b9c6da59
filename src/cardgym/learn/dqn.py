"""DQN and double DQN for any card game of cardgym: hyper-parameters, targets, update and training loop.

docs/algorithms/dqn.md says what differs from the papers and why.
"""

from __future__ import annotations

import copy
from typing import Annotated, ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

from cardgym.engine.contract import Int8s, Int64s
from cardgym.learn import tags
from cardgym.learn.config import NetworkConfig, ReplayConfig, Share
from cardgym.learn.learner import NetworkLearner
from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.replay import ReplayBuffer, TransitionBuilder, Transitions
from cardgym.players.networks import NetworkPlayer, QNetwork, masked


class DQNConfig(NetworkConfig, ReplayConfig):
    """Deep Q-learning of one seat of a card game, against a mix of opponents."""

    dueling: bool = False
    """Split the network's output into a state value and advantages."""
    gamma: Share = 0.99
    """Discount between consecutive decisions of the learner."""
    batch_size: Annotated[int, Field(ge=1, le=1_000_000)] = 512
    """Transitions in an update."""

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return "double_dqn" if self.double else "dqn"


def random_legal(masks: Int8s, generator: np.random.Generator) -> Int64s:
    """Return an action for each row of masks (rows, actions), uniform over the legal ones, (rows,), int64."""
    legal_so_far = np.cumsum(masks != 0, axis=1)
    ranks = generator.integers(0, legal_so_far[:, -1])
    chosen: Int64s = np.argmax(legal_so_far > ranks[:, None], axis=1)
    return chosen


class EpsilonGreedy:
    """Replaces some greedy actions by random legal ones."""

    saved: ClassVar[tuple[str, ...]] = ("_generator",)

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def __call__(self, greedy: Int64s, masks: Int8s, epsilon: float) -> Int64s:
        """Return the greedy actions, (rows,), int64, each replaced by a random legal one with probability `epsilon`."""
        exploring = np.flatnonzero(self._generator.random(len(greedy)) < epsilon)
        actions = greedy.copy()
        actions[exploring] = random_legal(masks[exploring], self._generator)
        return actions


def td_target(
    rewards: Tensor, done: Tensor, discount: float, choosing: Tensor, next_values: Tensor, next_masks: Tensor
) -> Tensor:
    """Return r + discount Q'(s', argmax_a C(s', a)) over the legal actions a; r alone if the episode ended; (rows,).

    The target network Q' evaluates the action that C chooses. In DQN that is Q' itself: Mnih et al., "Human-level
    control through deep reinforcement learning", Nature 518 (2015). In double DQN it is the online network: van
    Hasselt, Guez and Silver, "Deep reinforcement learning with double Q-learning", AAAI 2016.

    Args:
        rewards: r, float32; with n steps their discounted sum.
        done: bool, True if the episode ended, so that s' has no value.
        discount: gamma; with n steps gamma^n.
        choosing: C(s', .).
        next_values: Q'(s', .).
        next_masks: bool, which actions are legal in s'.
    """
    chosen = masked(choosing, next_masks).argmax(dim=1, keepdim=True)
    best = next_values.gather(1, chosen).squeeze(1)
    return rewards + torch.where(done, 0.0, discount * best)


class DQNLearner(NetworkLearner[QNetwork]):
    """A Q-network that learns from batches of transitions; `target`, a delayed copy, values the next state."""

    saved = (*NetworkLearner.saved, "target")

    def __init__(self, network: QNetwork, config: DQNConfig, device: torch.device | str = "cpu") -> None:
        super().__init__(network, device, config.adam, (tags.TD_LOSS, tags.Q_VALUES))
        self.target = copy.deepcopy(self.network).requires_grad_(False)
        self._double, self._discount = config.double, config.gamma
        self._target_update_interval, self._tau = config.target_update_interval, config.tau

    def update(self, batch: Transitions) -> Tensor:
        """Take a step of Adam on the Huber loss between Q(s, a) and the target of a `batch`; return it, a scalar."""
        td_target = self._td_target(batch)
        values = self.network(batch.observations).gather(1, batch.actions[:, None]).squeeze(1)
        loss = smooth_l1_loss(values, td_target)
        self.descend(loss)
        self.updates += 1
        if self.updates % self._target_update_interval == 0:
            with torch.no_grad():
                for old, new in zip(self.target.parameters(), self.network.parameters(), strict=True):
                    old.lerp_(new, self._tau)
        self.log(loss.detach(), values.detach().mean())
        return loss.detach()

    @torch.no_grad()
    def _td_target(self, batch: Transitions) -> Tensor:
        next_values = self.target(batch.next_observations)
        choosing = self.network(batch.next_observations) if self._double else next_values
        return td_target(batch.rewards, batch.done, self._discount, choosing, next_values, batch.next_masks)


def train(config: DQNConfig, training: NetworkTraining) -> None:
    """Learn until the last step."""
    # -- the parts ---------------------------------------------------------------------------------------------------
    network = training.warm_start(training.q_network(config.hidden_sizes, dueling=config.dueling, wide=config.wide))
    learner = DQNLearner(network, config, training.device)
    player = NetworkPlayer("learner", learner.network, training.observation)
    rollout = training.rollout(player)
    explore = EpsilonGreedy(training.generator(2))
    inputs, actions = training.observation_size, training.num_actions
    builder = TransitionBuilder(rollout.num_streams, inputs, actions)
    replay = ReplayBuffer(config.buffer_size, inputs, actions, training.generator(3))
    training.start(
        rollout, player, lambda: learner.network,
        learner=learner, explore=explore, builder=builder, replay=replay,
    )  # fmt: skip

    # -- the training loop; a step is a decision of the learner --------------------------------------------------------
    while training.step < config.total_steps:
        # Act: greedily, or at random with probability epsilon.
        turns = rollout.turns
        epsilon = training.linear(
            config.exploration_initial_eps, config.exploration_final_eps, config.exploration_fraction
        )
        chosen = explore(player.act(turns.observations, turns.masks), turns.masks, epsilon)
        builder.act(turns, chosen)
        rollout.step(chosen)

        # Store the transitions that this completed.
        for transitions in builder.complete(rollout.rewards * config.reward_scale, rollout.turns, rollout.ended):
            replay.add(transitions)

        # Update the network.
        learner.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
        updates_due = max(training.step - config.learning_starts, 0) // config.train_frequency
        while learner.updates < updates_due and replay.size:
            learner.update(replay.sample(config.batch_size, learner.device))
        training.report(learner.statistics, epsilon=epsilon, learning_rate=learner.learning_rate)
    training.note_if_untrained(learner.updates, config.learning_starts)

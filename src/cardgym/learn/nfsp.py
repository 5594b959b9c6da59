"""Neural fictitious self-play for any card game of cardgym.

docs/algorithms/more.md describes the algorithm. Best responses are learned as in cardgym.learn.dqn; here are the
average policy, the reservoir that it learns from, and the choice between the two.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from pydantic import PositiveInt
from torch import Tensor

from cardgym.engine.contract import Int64s
from cardgym.learn import tags
from cardgym.learn.config import Adam, Items, LearningRate, Share
from cardgym.learn.dqn import DQNConfig, DQNLearner, EpsilonGreedy
from cardgym.learn.learner import NetworkLearner, entropy
from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.replay import ReplayBuffer, SampledBuffer, TransitionBuilder
from cardgym.learn.rollouts import Turns
from cardgym.players.networks import NetworkPlayer
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities


class NFSPConfig(DQNConfig):
    """Neural fictitious self-play: double DQN learns best responses, a second network their average."""

    opponents: Items[str] = ("self=1",)
    exploration_initial_eps: Share = 0.06
    exploration_final_eps: Share = 0.0
    exploration_fraction: Share = 1.0
    gamma: Share = 1.0
    anticipatory_param: Share = 0.1
    """The share of games in which a seat plays its best response, instead of the average policy: the paper's eta."""
    reservoir_size: PositiveInt = 1_000_000
    """Capacity of the reservoir buffer, in decisions of best responses."""
    sl_learning_rate: LearningRate = 1e-3
    """Adam's step size for the average policy at the start."""
    sl_learning_rate_final: Share = 1e-4
    """Adam's step size for the average policy at the end; it falls linearly."""

    algorithm_name: ClassVar[str] = "nfsp"


def imitation_loss(all_log_probs: Tensor, actions: Tensor) -> Tensor:
    """Return the mean of -log p(a|s): smallest where p is the share of each action among the decisions in s.

    Heinrich and Silver, "Deep reinforcement learning from self-play in imperfect-information games" (2016).

    Args:
        all_log_probs: log p(.|s), (rows, actions), from `log_probabilities`: illegal actions have no share.
        actions: a, (rows,), int64.
    """
    return -all_log_probs.gather(1, actions[:, None]).mean()


class Decisions(NamedTuple):
    """Decisions, one per row.

    Attributes:
        observations: what the seat saw, (rows, size), float32.
        masks: what was legal, (rows, actions), bool.
        actions: what it did, (rows,), int64.
    """

    observations: Any
    masks: Any
    actions: Any


class AverageLearner(NetworkLearner[PolicyNetwork]):
    """A policy network that learns which actions were taken, from samples of a reservoir.

    Its checkpoints are players like those of any policy network; its state value is not trained.
    """

    def __init__(self, network: PolicyNetwork, config: NFSPConfig, device: torch.device) -> None:
        adam = Adam(config.sl_learning_rate, config.adam_epsilon)
        super().__init__(network, device, adam, (tags.SL_LOSS, tags.ENTROPY))

    def update(self, batch: Decisions) -> Tensor:
        """Take a step of Adam on the imitation loss of a batch of tensors; return it, a scalar without gradient."""
        logits, _ = self.network(batch.observations)
        all_log_probs = log_probabilities(logits, batch.masks)
        loss = imitation_loss(all_log_probs, batch.actions)
        self.descend(loss)
        self.updates += 1
        self.log(loss.detach(), entropy(all_log_probs.detach()).mean())
        return loss.detach()


class Behavior:
    """Each seat plays a whole game by its best response with probability eta, otherwise by the average policy.

    Heinrich and Silver, "Deep reinforcement learning from self-play in imperfect-information games" (2016).
    So a best response learns against averages that already lean towards it by eta: the anticipatory dynamics of
    Shamma and Arslan, "Dynamic fictitious play, dynamic gradient play, and distributed convergence to Nash equilibria"
    (IEEE Transactions on Automatic Control 50, 2005).
    """

    saved: ClassVar[tuple[str, ...]] = ("_responds", "_generator")

    def __init__(
        self,
        best: NetworkPlayer,
        average: PolicyPlayer,
        num_streams: int,
        anticipatory_param: float,
        generator: np.random.Generator,
    ) -> None:
        """Draw the policies of the first games: the best response with probability `anticipatory_param`, eta."""
        self._best = best
        self._average = average
        self._anticipatory_param = anticipatory_param
        self._generator = generator
        self._explore = EpsilonGreedy(generator)
        self._responds = np.zeros(num_streams, np.bool_)
        self.start(np.arange(num_streams))

    def start(self, streams: Int64s) -> None:
        """Draw a policy for the next game of each of these streams, (streams,)."""
        self._responds[streams] = self._generator.random(len(streams)) < self._anticipatory_param

    def responds(self, streams: Int64s) -> npt.NDArray[np.bool_]:
        """Return whether each of these streams plays its best response in this game, (streams,), bool."""
        return self._responds[streams]

    def decisions(self, turns: Turns, actions: Int64s) -> Decisions:
        """Return the turns at which a best response decided, with `actions`, (turns,), for the average policy."""
        responds = self.responds(turns.streams)
        return Decisions(turns.observations[responds], turns.masks[responds] != 0, actions[responds])

    def act(self, turns: Turns, epsilon: float) -> Int64s:
        """Return each turn's action, (turns,), int64; the best response takes a random one with probability epsilon."""
        actions = np.zeros(len(turns.streams), np.int64)
        responds = self.responds(turns.streams)
        observations, masks = turns.observations[responds], turns.masks[responds]
        actions[responds] = self._explore(self._best.act(observations, masks), masks, epsilon)
        draws = self._generator.random(np.count_nonzero(~responds))
        actions[~responds] = self._average.act(turns.observations[~responds], turns.masks[~responds], draws)
        return actions


class ReservoirBuffer(SampledBuffer[Decisions]):
    """A uniform sample, without replacement, of all decisions that were ever added.

    Once it is full, the n-th decision replaces a random one with probability capacity / n: Vitter, "Random sampling
    with a reservoir", ACM Transactions on Mathematical Software 11 (1985), algorithm R. A decision of the first minute
    is as likely to be kept as one of the last, so what is learned from the buffer is the average best response.

    Attributes:
        added: how many decisions were added, kept or not.
    """

    saved = (*SampledBuffer.saved, "added")

    def __init__(self, capacity: int, observation_size: int, num_actions: int, generator: np.random.Generator) -> None:
        """Allocate the buffer; `generator` draws which decisions are kept, and the samples.

        Raises:
            CardgymError: if there is not enough memory.
        """
        layout: list[tuple[Any, ...]] = [
            ("observations", np.float32, observation_size),
            ("masks", np.bool_, num_actions),
            ("actions", np.int64),
        ]
        super().__init__(Decisions, layout, "reservoir_size", capacity, generator)
        self.added = 0

    def add(self, decisions: Decisions) -> None:
        """Offer decisions, NumPy arrays, one after the other."""
        numbers = np.arange(self.added, self.added + len(decisions.actions))
        places = numbers.copy()
        late = np.flatnonzero(numbers >= self.capacity)
        places[late] = self._generator.integers(0, numbers[late] + 1)
        kept = places < self.capacity
        for name, values in decisions._asdict().items():
            self._records[name][places[kept]] = values[kept]  # If a place occurs twice, the later decision stays.
        self.added += len(numbers)
        self.size = min(self.added, self.capacity)


def train(config: NFSPConfig, training: NetworkTraining) -> None:
    """Learn until the last step."""
    # -- the parts ---------------------------------------------------------------------------------------------------
    network = training.q_network(config.hidden_sizes, dueling=config.dueling, wide=config.wide)
    best = DQNLearner(network, config, training.device)
    average = AverageLearner(training.warm_start(training.policy_network(config.hidden_sizes)), config, training.device)
    player = PolicyPlayer("learner", average.network, training.observation)
    responder = NetworkPlayer("best response", best.network, training.observation)
    rollout = training.rollout(player)
    behavior = Behavior(responder, player, rollout.num_streams, config.anticipatory_param, training.generator(2, 0))
    inputs, actions = training.observation_size, training.num_actions
    builder = TransitionBuilder(rollout.num_streams, inputs, actions)
    replay = ReplayBuffer(config.buffer_size, inputs, actions, training.generator(2, 1))
    reservoir = ReservoirBuffer(config.reservoir_size, inputs, actions, training.generator(2, 2))
    training.start(
        rollout, player, lambda: average.network,
        best=best, average=average, behavior=behavior, builder=builder, replay=replay, reservoir=reservoir,
    )  # fmt: skip

    # -- the training loop; a step is a decision of the learner --------------------------------------------------------
    while training.step < config.total_steps:
        # Act: each seat with its best response or the average policy, whichever it plays in this game.
        turns = rollout.turns
        epsilon = training.linear(
            config.exploration_initial_eps, config.exploration_final_eps, config.exploration_fraction
        )
        chosen = behavior.act(turns, epsilon)
        builder.act(turns, chosen)
        rollout.step(chosen)

        # Store all transitions for the best response, and its own decisions for the average policy.
        for transitions in builder.complete(rollout.rewards * config.reward_scale, rollout.turns, rollout.ended):
            replay.add(transitions)
        reservoir.add(behavior.decisions(turns, chosen))
        behavior.start(rollout.ended)

        # Update both networks.
        best.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
        average.learning_rate = training.linear(config.sl_learning_rate, config.sl_learning_rate_final)
        updates_due = max(training.step - config.learning_starts, 0) // config.train_frequency
        while best.updates < updates_due and replay.size and reservoir.size:
            best.update(replay.sample(config.batch_size, best.device))
            average.update(reservoir.sample(config.batch_size, average.device))
        training.report(best.statistics, average.statistics, epsilon=epsilon, learning_rate=best.learning_rate)
    training.note_if_untrained(best.updates, config.learning_starts)

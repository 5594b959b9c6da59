"""What `train/nfsp.py` adds to DQN: the average policy, the reservoir it learns from, and which policy plays a game."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cardgym.engine.contract import Int64s
from cardgym.learn import tags
from cardgym.learn.buffers import Decisions, SampledBuffer
from cardgym.learn.dqn.config import NFSPConfig
from cardgym.learn.dqn.learner import EpsilonGreedy
from cardgym.learn.learner import NetworkLearner, entropy
from cardgym.learn.rollouts import Turns
from cardgym.players.networks import NetworkPlayer
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities


def imitation_loss(all_log_probs: Tensor, actions: Tensor) -> Tensor:
    """The mean of -log p(a|s): smallest where p is the share of each action among the decisions in s.

    Heinrich and Silver, "Deep reinforcement learning from self-play in imperfect-information games" (2016).

    Args:
        all_log_probs: log p(.|s), (rows, actions), from `log_probabilities`: illegal actions have no share.
        actions: a, (rows,), int64.
    """
    return -all_log_probs.gather(1, actions[:, None]).mean()


class AverageLearner(NetworkLearner[PolicyNetwork]):
    """A policy network that learns which actions were taken, from samples of a reservoir.

    Its checkpoints are players like those of any policy network; its state value is not trained.
    """

    def __init__(self, network: PolicyNetwork, config: NFSPConfig, device: torch.device) -> None:
        super().__init__(
            network,
            device,
            learning_rate=config.sl_learning_rate,
            adam_epsilon=config.adam_epsilon,
            reports=(tags.SL_LOSS, tags.ENTROPY),
        )

    def update(self, batch: Decisions) -> Tensor:
        """Take one step of Adam on the imitation loss of a batch of tensors; the loss, a scalar without a gradient."""
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
        """Draw a policy for the next game of each of these streams."""
        self._responds[streams] = self._generator.random(len(streams)) < self._anticipatory_param

    def responds(self, streams: Int64s) -> npt.NDArray[np.bool_]:
        """Whether each of these streams plays its best response in this game."""
        return self._responds[streams]

    def decisions(self, turns: Turns, actions: Int64s) -> Decisions:
        """The turns at which a best response decided, with its actions: what the average policy learns from."""
        responds = self.responds(turns.streams)
        return Decisions(turns.observations[responds], turns.masks[responds] != 0, actions[responds])

    def act(self, turns: Turns, epsilon: float) -> Int64s:
        """An action for each turn, (turns,), int64; the best response takes a random one with probability epsilon."""
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

"""Distillation for any card game of cardgym: a policy network imitates a player, the teacher.

docs/algorithms/more.md says what the teacher's share is for.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from pydantic import NonNegativeFloat, PositiveInt
from torch import Tensor

from cardgym.arena.playouts import Decisions
from cardgym.engine.contract import Float32s, Game, Int8s, Int64s, Options
from cardgym.errors import CardgymError
from cardgym.learn import tags
from cardgym.learn.config import Items, NetworkConfig, Share
from cardgym.learn.learner import NetworkLearner, entropy, take_rows
from cardgym.learn.network_training import NetworkTraining
from cardgym.players import one_hot, resolve, sample_actions
from cardgym.players.base import check_temperature
from cardgym.players.mixtures import MixturePlayer
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities


class DistillConfig(NetworkConfig):
    """Distillation: a policy network that imitates a player, in games that both play."""

    teacher: str = ""
    """The player to imitate: a name or a path."""
    temperature: NonNegativeFloat = 0.1
    """For a teacher that gives values: the network learns the softmax of the values divided by this; 0 for the best
    action alone."""
    teacher_share: Share = 1.0
    """The share of decisions in training that the teacher plays at the start; the network plays the others."""
    teacher_share_final: Share = 0.0
    """That share at the end; it falls linearly."""
    opponents: Items[str] = ("self=1",)
    num_steps: PositiveInt = 16
    """Decisions in each env between updates."""
    update_epochs: PositiveInt = 1
    """How many times an update goes through these decisions."""
    batch_size: PositiveInt = 512
    """Decisions in each step of Adam."""
    learning_rate_final: Share = 1e-5
    eval_greedy: bool = False
    """Evaluate with the most probable actions instead of sampled ones."""

    algorithm_name: ClassVar[str] = "distill"


class Teacher:
    """A player that says how probable each action is in given states.

    Soft targets say more than one action does: they also say how good the others are (Hinton et al., "Distilling the
    knowledge in a neural network", 2015; for policies Rusu et al., "Policy distillation", ICLR 2016). A player gives
    what it has: its own probabilities, values of the actions, whose softmax is taken, or just an action.
    """

    saved: ClassVar[tuple[str, ...]] = ("_generator",)

    def __init__(self, game: Game, options: Options, name: str, temperature: float, generator: np.random.Generator):
        """Find the player of this name or path.

        Values are divided by `temperature` before the softmax; 0 for the best action alone.

        Raises:
            CardgymError: for a player that cannot be found, or draws one of several players for each game, and for a
                temperature too close to 0.
        """
        if not name:
            raise CardgymError("teacher: name the player to imitate, such as --teacher random")
        player = resolve(name, game, options)
        if isinstance(player, MixturePlayer):
            raise CardgymError(f"teacher {name!r}: a mixture is a different player each game; imitate one of its parts")
        self._game, self._options = game, options
        self._player = player
        self._temperature = check_temperature(temperature) if temperature else 0.0
        self._generator = generator

    def targets(self, states: npt.NDArray[Any], seats: Int64s, masks: Int8s) -> Float32s:
        """Return the teacher's shares where `seats` decide in `states`, (rows, actions), float32; 0 if illegal."""
        decisions = Decisions(self._game, self._options, states, seats)
        probabilities = decisions.known_probabilities(self._player, self._temperature)
        if probabilities is None:
            source = self._generator.integers(2**63, size=2).astype(np.uint64)
            draws = self._generator.random(len(masks))
            return one_hot(decisions.actions_of(self._player, draws, source), masks)
        return probabilities.astype(np.float32)


class Labeled(NamedTuple):
    """Decisions with what the teacher would do, one per row, as NumPy arrays.

    Attributes:
        observations: what the seat saw, (rows, size), float32.
        masks: what was legal, (rows, actions), bool.
        targets: the probability of each action, (rows, actions), float32.
    """

    observations: Any
    masks: Any
    targets: Any


class DistillLearner(NetworkLearner[PolicyNetwork]):
    """A policy network that learns to choose as its teacher does."""

    saved = (*NetworkLearner.saved, "_generator")

    def __init__(
        self, network: PolicyNetwork, config: DistillConfig, device: torch.device, generator: np.random.Generator
    ) -> None:
        """Learn with this network; `generator` draws actions and shuffles decisions."""
        reports = (tags.CROSS_ENTROPY, tags.TEACHER_KL, tags.AGREEMENT, tags.ENTROPY)
        super().__init__(network, device, config.adam, reports)
        self._config = config
        self._generator = generator

    @torch.inference_mode()
    def act(self, observations: Float32s, masks: Int8s, targets: Float32s, teacher_share: float) -> Int64s:
        """Return an action for each row, (rows,), int64: with probability `teacher_share` of `targets`, else its own.

        So the network learns in the states that its own play reaches: Ross, Gordon and Bagnell, "A reduction of
        imitation learning and structured prediction to no-regret online learning", AISTATS 2011 (DAgger), where the
        share is called beta.
        """
        probabilities = targets.copy()
        own = self._generator.random(len(masks)) >= teacher_share
        if own.any():
            seen = torch.tensor(observations[own], device=self.device)
            legal = torch.tensor(masks[own], device=self.device).bool()
            probabilities[own] = log_probabilities(self.network(seen)[0], legal).exp().cpu().numpy()
        return sample_actions(probabilities, self._generator.random(len(masks)))

    def update(self, batch: Labeled) -> None:
        """Go through a batch `update_epochs` times, in random order."""
        config = self._config
        if not len(batch.masks):  # All moves were forced.
            return
        tensors = Labeled(*(torch.tensor(field, device=self.device) for field in batch))
        size = len(batch.masks)
        for rows in self.minibatches(size, max(size // config.batch_size, 1), config.update_epochs, self._generator):
            self._step(take_rows(tensors, rows))
        self.updates += 1

    def _step(self, rows: Labeled) -> None:
        logits, _ = self.network(rows.observations)
        log_probs = log_probabilities(logits, rows.masks)
        loss = cross_entropy(rows.targets, log_probs).mean()
        self.descend(loss)
        with torch.no_grad():
            uncertainty = torch.special.entr(rows.targets).sum(dim=1).mean()
            same = (log_probs.argmax(dim=1) == rows.targets.argmax(dim=1)).float().mean()
            self.log(loss, loss - uncertainty, same, entropy(log_probs).mean())


def cross_entropy(targets: Tensor, log_probs: Tensor) -> Tensor:
    """Return -sum q log p of each row, in nats; KL(q || p) plus the entropy of q, which is the teacher's own.

    Args:
        targets: the teacher's probabilities, (rows, actions); exactly 0 for illegal actions.
        log_probs: the network's log-probabilities, (rows, actions), finite.
    """
    return -(targets * log_probs).sum(dim=1)


def train(config: DistillConfig, training: NetworkTraining) -> None:
    """Learn until the last step."""
    # -- the parts ---------------------------------------------------------------------------------------------------
    teacher = Teacher(training.game, training.options, config.teacher, config.temperature, training.generator(3))
    network = training.warm_start(training.policy_network(config.hidden_sizes, wide=config.wide))
    learner = DistillLearner(network, config, training.device, training.generator(2))
    player = PolicyPlayer("learner", learner.network, training.observation, samples=not config.eval_greedy)
    rollout = training.rollout(player)
    training.start(
        rollout, player, lambda: learner.network,
        learner=learner, teacher=teacher,
    )  # fmt: skip

    # -- the training loop; a step is a decision, of the teacher or the network ----------------------------------------
    while training.step < config.total_steps:
        # Play, and ask the teacher at every decision.
        share = training.linear(config.teacher_share, config.teacher_share_final)
        labeled = []
        for _ in range(config.num_steps):
            turns = rollout.turns
            targets = teacher.targets(rollout.states, turns.streams % training.options.num_players, turns.masks)
            free = np.flatnonzero(turns.masks.sum(axis=1) > 1)  # Forced moves teach nothing.
            labeled.append((turns.observations[free], turns.masks[free] != 0, targets[free]))
            rollout.step(learner.act(turns.observations, turns.masks, targets, share))

        # Update the network.
        learner.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
        learner.update(Labeled(*(np.concatenate(field) for field in zip(*labeled, strict=True))))
        training.report(learner.statistics, learning_rate=learner.learning_rate, teacher_share=share)

"""Masked PPO in self-play for any card game of cardgym: hyper-parameters, update and training loop.

docs/algorithms/ppo.md says what the magnet is for. Turns and their advantages are in cardgym.learn.turns, the loss in
cardgym.learn.ppo_loss.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
import torch
from pydantic import NonNegativeFloat, PositiveFloat, PositiveInt
from torch import Tensor

from cardgym.engine.contract import Float32s, Int8s, Int64s
from cardgym.learn import tags
from cardgym.learn.config import Items, NetworkConfig, Share
from cardgym.learn.distinct import Distinct
from cardgym.learn.learner import NetworkLearner, take_rows
from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.ppo_loss import loss_gradient, uniform_log_probs
from cardgym.learn.ppo_networks import CentralCritic, Normalizer, folded, insert, measure
from cardgym.learn.turns import TurnBatch, TurnBuffer
from cardgym.players import sample_actions
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities, probabilities

Magnet = Literal["none", "uniform", "ema"]
Critic = Literal["own", "all"]


class PPOConfig(NetworkConfig):
    """Masked PPO in self-play, regularized by a magnet; every seat that `self` takes learns."""

    opponents: Items[str] = ("self=1",)

    normalize: bool = False
    """Shift and scale the inputs to mean 0 and standard deviation 1, as measured in games of the first policy;
    checkpoints have this in their first layer."""
    critic: Critic = "own"
    """What the critic reads in training: the observation of the seat alone, or the observations of all seats."""
    action_features: Items[str] = ()
    """Features of the observation with a number for each action, read with the same weights for every action."""
    num_steps: PositiveInt = 32
    """Decisions in each env between updates."""
    device_games: bool = False
    """Experimental: play the games on the device, too, and keep everything there; see docs/algorithms/ppo.md."""

    learning_rate_final: Share = 1e-4
    adam_epsilon: PositiveFloat = 1e-5
    max_grad_norm: NonNegativeFloat = 0.5
    gamma: Share = 1.0
    """Discount between consecutive decisions of a seat."""
    gae_lambda: Share = 0.95
    """Lambda of generalized advantage estimation: 0 trusts the critic, 1 the rewards."""
    update_epochs: PositiveInt = 2
    """How many times an update goes through its batch."""
    num_minibatches: PositiveInt = 16
    """Minibatches, and so steps of Adam, each time."""
    clip_coef: PositiveFloat = 0.2
    """How far a probability may move in an update, as a ratio, before its gradient stops."""
    norm_adv: bool = True
    """Normalize the advantages of each minibatch to mean 0 and standard deviation 1."""
    vf_coef: NonNegativeFloat = 0.5
    """The weight of the critic's loss."""
    ent_coef: NonNegativeFloat = 0.01
    """The weight of the entropy bonus at the start."""
    ent_coef_final: NonNegativeFloat = 0.001
    """The weight of the entropy bonus at the end; it falls linearly."""

    magnet: Magnet = "ema"
    """What attracts the policy: nothing, the uniform policy, or a moving average of itself."""
    magnet_coef: NonNegativeFloat = 0.1
    """The weight of the KL divergence from the magnet."""
    forward_kl: bool = False
    """Use the KL divergences from the magnet and from the uniform policy to the policy, not the reverse: they also move
    actions that the policy hardly ever takes."""
    magnet_tau: Share = 0.05
    """How far the magnet `ema` moves towards the policy at each update."""
    anneal_magnet: bool = False
    """Let `magnet_tau` fall linearly to 0, as the step size falls."""
    average_tau: Share = 0.0
    """How far the averaged weights that are evaluated and saved move towards the policy's at each update; 0 saves the
    policy's own."""
    threshold: Share = 0.0
    """The trained player leaves out actions less likely than this, in evaluations and as a `snapshot`, too; an entropy
    bonus keeps even bad actions from becoming unlikelier. The checkpoint knows it."""

    algorithm_name: ClassVar[str] = "ppo"
    small_game_flags: ClassVar[tuple[str, ...]] = (
        "--num-envs=128", "--num-minibatches=8", "--learning-rate=0.002", "--forward-kl", "--magnet-coef=0.3",
        "--magnet-tau=0.02", "--ent-coef=0.1", "--ent-coef-final=0.05", "--average-tau=0.02",
    )  # fmt: skip


REPORTS = (tags.POLICY_LOSS, tags.VALUE_LOSS, tags.ENTROPY, tags.MAGNET_KL, tags.APPROX_KL, tags.CLIP_FRACTION)


class PPOLearner(NetworkLearner[PolicyNetwork]):
    """A policy network that learns from batches of turns.

    PPO: Schulman et al., "Proximal policy optimization algorithms" (2017). The magnet makes self-play in games of
    hidden information converge instead of running in circles: Sokota et al., "A unified approach to reinforcement
    learning, quantal response equilibria, and two-player zero-sum games", ICLR 2023 (a fixed magnet); Rudolph et al.,
    "Reevaluating policy gradient methods for imperfect-information games" (ICLR 2026).

    Attributes:
        averaged: the network to evaluate and save: the learner's own, or one with the average of its weights.
        critic: a critic that reads the observations of all seats, or None; the network's own value learns too.
    """

    saved = (*NetworkLearner.saved, "magnet", "averaged", "_generator")
    critic: CentralCritic | None

    def __init__(
        self,
        network: PolicyNetwork,
        config: PPOConfig,
        device: torch.device,
        generator: np.random.Generator,
        critic: CentralCritic | None = None,
    ) -> None:
        """Learn with this network; `generator` samples actions and minibatches."""
        super().__init__(network, device, config.adam, REPORTS, critic)
        self.averaged = copy.deepcopy(network).requires_grad_(False) if config.average_tau else network
        self.magnet = copy.deepcopy(network).requires_grad_(False)
        self.ent_coef = config.ent_coef
        self.magnet_tau = config.magnet_tau
        self._config = config
        self._generator = generator
        self._statistics: dict[str, float] = {}

    @torch.inference_mode()
    def act(
        self, observations: Float32s, masks: Int8s, others: Float32s | None = None
    ) -> tuple[Int64s, Float32s, Float32s]:
        """Sample an action for each row; a critic of the whole table reads what the `others` see.

        Returns:
            The actions, int64, their log-probabilities and the states' values, float32, all (rows,).
        """
        seen = torch.tensor(observations, device=self.device)
        logits, values = Distinct.of(seen).through(self.network)
        if self.critic is not None and others is not None:
            everything = self.critic.inputs(seen, torch.tensor(others, device=self.device))
            values = Distinct.of(everything).through(self.critic)
        log_probs = log_probabilities(logits, torch.tensor(masks, device=self.device).bool())
        actions = sample_actions(probabilities(log_probs).cpu().numpy(), self._generator.random(len(masks)))
        chosen = log_probs.cpu().numpy()[np.arange(len(actions)), actions]
        return actions, chosen, values.cpu().numpy()

    def update(self, batch: TurnBatch) -> None:
        """Go through a batch `update_epochs` times in random minibatches, then move the magnet and the average."""
        config = self._config
        tensors = TurnBatch(*(torch.tensor(field, device=self.device) for field in batch))
        seen, everything = Distinct.of(tensors.observations), None
        if self.critic is not None:  # Joined and normalized once, not in every minibatch.
            everything = Distinct.of(self.critic.inputs(tensors.observations, tensors.others))
        magnet = self._magnet_log_probs(seen, tensors.masks)
        tensors = tensors._replace(observations=tensors.actions, others=tensors.actions)  # The tables have them.
        for numbers in self.minibatches(
            len(batch.actions), config.num_minibatches, config.update_epochs, self._generator
        ):
            read = None if everything is None else everything.take(numbers)
            pull = None if magnet is None else magnet[numbers.to(self.device)]
            self._step(take_rows(tensors, numbers), seen.take(numbers), read, pull)
        self.updates += 1
        self._follow()
        self._statistics = super().statistics()
        self._statistics[tags.EXPLAINED_VARIANCE] = explained_variance(tensors.values, tensors.returns)

    def _step(self, rows: TurnBatch, seen: Distinct, everything: Distinct | None, magnet: Tensor | None) -> None:
        """Descend once; the network reads what is `seen`, the critic `everything`."""
        config = self._config
        outputs = list(seen.through(self.network))
        if self.critic is not None and everything is not None:
            outputs.append(everything.through(self.critic))
        given = [output.detach().cpu().numpy() for output in outputs]
        gradients = [np.empty_like(output) for output in given]
        nothing, figures = np.empty(0, np.float32), np.empty(len(REPORTS))
        fields = (rows.masks, rows.actions, rows.log_probs, rows.advantages, rows.returns)
        loss_gradient(
            given[0], given[1], given[2] if self.critic is not None else nothing,
            tuple(field.cpu().numpy() for field in fields),
            np.empty((0, 0), np.float32) if magnet is None else magnet.cpu().numpy(),
            np.array([config.clip_coef, config.vf_coef, self.ent_coef, config.magnet_coef]),
            config.norm_adv, config.forward_kl,
            gradients[0], gradients[1], gradients[2] if self.critic is not None else nothing, figures,
        )  # fmt: skip
        self.descend(*outputs, gradients=[torch.from_numpy(gradient).to(self.device) for gradient in gradients])
        self.log(*torch.tensor(figures, dtype=torch.float32, device=self.device))

    @torch.no_grad()
    def _magnet_log_probs(self, seen: Distinct, masks: Tensor) -> Tensor | None:
        """Return the magnet's log-probabilities of all actions, (rows, actions); None without a magnet."""
        if self._config.magnet == "none" or not self._config.magnet_coef:
            return None
        if self._config.magnet == "uniform":
            return uniform_log_probs(masks)
        return log_probabilities(seen.through(self.magnet)[0], masks)

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the magnet and the averaged weights."""
        config = self._config
        followers = [(self.magnet, self.magnet_tau)] if config.magnet == "ema" else []
        if config.average_tau:
            # A plain mean of all weights so far, until a moving average would move faster.
            followers.append((self.averaged, max(config.average_tau, 1.0 / self.updates)))
        for follower, tau in followers:
            for old, new in zip(follower.parameters(), self.network.parameters(), strict=True):
                old.lerp_(new, tau)

    def checkpoint(self) -> PolicyNetwork:
        """Return the network to evaluate and save, without anything that only the training needs."""
        return folded(self.averaged)

    def statistics(self) -> dict[str, float]:
        """Return the losses, divergences and shares of the last update, by tag."""
        return self._statistics


def explained_variance(values: Tensor, returns: Tensor) -> float:
    """Return 1 - Var(returns - values) / Var(returns) of (turns,): 1 if perfect, 0 if either is constant."""
    variance = float(returns.var(unbiased=False))
    return 1.0 - float((returns - values).var(unbiased=False)) / variance if variance > 0 else 0.0


def first_network(config: PPOConfig, training: NetworkTraining) -> tuple[PolicyNetwork, Normalizer | None]:
    """Return the network that the training starts with, and what normalizes its inputs and its critic's, if asked."""
    network = training.warm_start(
        training.policy_network(config.hidden_sizes, wide=config.wide, action_features=config.action_features)
    )
    normalizer = None
    if config.normalize:
        first = PolicyPlayer("first", network, training.observation)
        others = config.critic == "all" and training.options.num_players > 1
        normalizer = measure(training.rollout(first), first, training.generator(3), others=others)
        insert(network, normalizer, same_function=bool(config.init_from))
    network.shape = replace(network.shape, threshold=config.threshold)
    return network, normalizer


def train(config: PPOConfig, training: NetworkTraining) -> None:
    """Learn until the last step."""
    # -- the parts ---------------------------------------------------------------------------------------------------
    inputs, actions = training.observation_size, training.num_actions
    others_size = inputs * (training.options.num_players - 1) if config.critic == "all" else 0
    network, normalizer = first_network(config, training)
    critic = CentralCritic(inputs + others_size, config.hidden_sizes, normalizer) if others_size else None
    learner = PPOLearner(network, config, training.device, training.generator(2), critic)
    player = PolicyPlayer("learner", learner.averaged, training.observation)
    rollout = training.rollout(player)
    capacity = config.num_envs * config.num_steps + rollout.num_streams
    buffer = TurnBuffer(rollout.num_streams, capacity, inputs, actions, others_size)
    training.start(
        rollout, player, learner.checkpoint,
        learner=learner, buffer=buffer,
    )  # fmt: skip

    # -- the training loop; a step is a decision of the learner --------------------------------------------------------
    while training.step < config.total_steps:
        # Act: sample from the policy, in every seat that learns.
        for _ in range(config.num_steps):
            turns = rollout.turns
            others = rollout.others() if others_size else None
            chosen, log_probs, values = learner.act(turns.observations, turns.masks, others)
            buffer.act(turns, chosen, log_probs, values, others)
            rollout.step(chosen)
            buffer.pay(rollout.rewards * config.reward_scale, rollout.ended)
        batch = buffer.take(config.gamma, config.gae_lambda)

        # Update the network.
        learner.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
        learner.ent_coef = training.linear(config.ent_coef, config.ent_coef_final)
        if config.anneal_magnet:
            learner.magnet_tau = training.linear(config.magnet_tau, 0.0)
        learner.update(batch)
        training.report(learner.statistics, learning_rate=learner.learning_rate, ent_coef=learner.ent_coef)

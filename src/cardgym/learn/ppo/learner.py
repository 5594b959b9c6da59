"""The learner of PPO: the policy network, its magnet, the update, and the terms of the loss."""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch import Tensor

from cardgym.engine.contract import Float32s, Int8s, Int64s
from cardgym.learn import tags
from cardgym.learn.learner import NetworkLearner, entropy, minibatches, take_rows
from cardgym.learn.ppo.config import PPOConfig
from cardgym.learn.ppo.distinct import ALL, Observed, distinct
from cardgym.learn.ppo.networks import TableCritic, folded
from cardgym.learn.ppo.turns import TurnBatch
from cardgym.players import sample_actions
from cardgym.players.policy_networks import PolicyNetwork, log_probabilities, probabilities

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

    def __init__(
        self,
        network: PolicyNetwork,
        config: PPOConfig,
        device: torch.device,
        generator: np.random.Generator,
        critic: TableCritic | None = None,
    ) -> None:
        """Learn with this network; `generator` samples actions and minibatches."""
        super().__init__(
            network,
            device,
            learning_rate=config.learning_rate,
            adam_epsilon=config.adam_epsilon,
            max_grad_norm=config.max_grad_norm,
            critic=critic,
            reports=REPORTS,
        )
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
        first, places = distinct(observations, others) if self._config.merge_equal else (ALL, ALL)
        seen = torch.tensor(observations[first], device=self.device)
        logits, values = self.network(seen)
        if self.critic is not None and others is not None:
            values = self.critic(seen, torch.tensor(others[first], device=self.device))
        logits, values = logits[places], values[places]
        log_probs = log_probabilities(logits, torch.tensor(masks, device=self.device).bool())
        actions = sample_actions(probabilities(log_probs).cpu().numpy(), self._generator.random(len(masks)))
        chosen = log_probs.cpu().numpy()[np.arange(len(actions)), actions]
        return actions, chosen, values.cpu().numpy()

    def update(self, batch: TurnBatch) -> None:
        """Go through a batch `update_epochs` times in random minibatches, then move the magnet and the average."""
        config = self._config
        tensors = TurnBatch(*(torch.tensor(field, device=self.device) for field in batch))
        observed = self._observed(batch, tensors)
        magnet = self._magnet_log_probs(tensors.masks, observed)
        for numbers in minibatches(len(batch.actions), config.num_minibatches, config.update_epochs, self._generator):
            rows = take_rows(tensors, numbers)
            places = numbers.to(self.device)
            part = Observed(rows.observations, rows.others, ALL)
            if isinstance(observed.places, Tensor):
                part = observed._replace(places=observed.places[places])
            self._step(rows, part, None if magnet is None else magnet[places])
        self.updates += 1
        self._follow()
        self._statistics = super().statistics()
        self._statistics[tags.EXPLAINED_VARIANCE] = explained_variance(tensors.values, tensors.returns)

    def _observed(self, batch: TurnBatch, tensors: TurnBatch) -> Observed:
        """What the networks read of a batch, each observation once if equal ones are merged."""
        if not self._config.merge_equal:
            return Observed(tensors.observations, tensors.others, ALL)
        first, places = (torch.from_numpy(rows).to(self.device) for rows in distinct(batch.observations, batch.others))
        return Observed(tensors.observations[first], tensors.others[first], places)

    def _step(self, rows: TurnBatch, observed: Observed, magnet: Tensor | None) -> None:
        config = self._config
        logits, values = (observed.spread(results) for results in self.network(observed.observations))
        all_log_probs = log_probabilities(logits, rows.masks)
        log_probs = all_log_probs.gather(1, rows.actions[:, None]).squeeze(1)
        advantages = rows.advantages
        if config.norm_adv:
            advantages = (advantages - advantages.mean()) / (advantages.std(unbiased=False) + 1e-8)
        surrogate = clipped_surrogate(log_probs, rows.log_probs, advantages, config.clip_coef).mean()
        critic = value_loss(values, rows.returns)
        if self.critic is not None:
            predictions = observed.spread(self.critic(observed.observations, observed.others))
            critic = critic + value_loss(predictions, rows.returns)
        bonus = entropy(all_log_probs).mean()
        drift = torch.zeros((), device=self.device) if magnet is None else kl_divergence(all_log_probs, magnet).mean()
        pull = config.magnet_coef * drift - self.ent_coef * bonus
        if config.forward_kl:
            pull = self.ent_coef * kl_divergence(uniform_log_probs(rows.masks), all_log_probs).mean()
            if magnet is not None:
                pull = pull + config.magnet_coef * kl_divergence(magnet, all_log_probs).mean()
        self.descend(config.vf_coef * critic - surrogate + pull)
        with torch.no_grad():
            kl = approximate_kl(log_probs, rows.log_probs)
            clipped = clip_fraction(log_probs, rows.log_probs, config.clip_coef)
        self.log(-surrogate, critic, bonus, drift, kl, clipped)

    @torch.no_grad()
    def _magnet_log_probs(self, masks: Tensor, observed: Observed) -> Tensor | None:
        """The magnet's log-probabilities of all actions, (rows, actions); None without a magnet."""
        if self._config.magnet == "none" or not self._config.magnet_coef:
            return None
        if self._config.magnet == "uniform":
            return uniform_log_probs(masks)
        return log_probabilities(observed.spread(self.magnet(observed.observations)[0]), masks)

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the magnet and the averaged weights."""
        config = self._config
        if config.magnet == "copy" and self.updates % config.magnet_interval == 0:
            self.magnet.load_state_dict(self.network.state_dict())
        followers = [(self.magnet, self.magnet_tau)] if config.magnet == "ema" else []
        if config.average_tau:
            # A plain mean of all weights so far, until a moving average would move faster.
            followers.append((self.averaged, max(config.average_tau, 1.0 / self.updates)))
        for follower, tau in followers:
            for old, new in zip(follower.parameters(), self.network.parameters(), strict=True):
                old.lerp_(new, tau)

    def checkpoint(self) -> PolicyNetwork:
        """The network to evaluate and save, without anything that only the training needs."""
        return folded(self.averaged)

    def statistics(self) -> dict[str, float]:
        """The losses, divergences and shares of the last update, by tag."""
        return self._statistics


# -- formulas ---------------------------------------------------------------------------------------------------------
# Shapes: log-probabilities of chosen actions, advantages, values and results (rows,); those of all actions (rows,
# actions), with the lowest finite float and probability 0 where an action is illegal.


def clipped_surrogate(log_probs: Tensor, old_log_probs: Tensor, advantages: Tensor, clip_coef: float) -> Tensor:
    """min(r A, clip(r, 1 - c, 1 + c) A) of each row, to be maximized; r is the ratio of new to old probability.

    Schulman et al., "Proximal policy optimization algorithms" (2017).
    """
    ratio = (log_probs - old_log_probs).exp()
    return torch.minimum(ratio * advantages, ratio.clamp(1.0 - clip_coef, 1.0 + clip_coef) * advantages)


def kl_divergence(all_log_probs: Tensor, other_log_probs: Tensor) -> Tensor:
    """KL(p || q) = sum p (log p - log q) of each row, in nats.

    The magnet's term: Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and
    two-player zero-sum games", ICLR 2023.
    """
    return (all_log_probs.exp() * (all_log_probs - other_log_probs)).sum(dim=1)


def uniform_log_probs(masks: Tensor) -> Tensor:
    """The log-probabilities of the uniform policy over the legal actions; `masks` (rows, actions), bool."""
    lowest = torch.finfo(torch.float32).min
    return torch.where(masks, -masks.sum(dim=1, keepdim=True).float().log(), lowest)


def value_loss(values: Tensor, returns: Tensor) -> Tensor:
    """Half the mean squared error of the values."""
    return 0.5 * (values - returns).square().mean()


def approximate_kl(log_probs: Tensor, old_log_probs: Tensor) -> Tensor:
    """An estimate of KL(old || new) from sampled actions: the mean of (r - 1) - log r, never negative.

    Schulman, "Approximating KL divergence" (2020).
    """
    log_ratio = log_probs - old_log_probs
    return (log_ratio.expm1() - log_ratio).mean()


def clip_fraction(log_probs: Tensor, old_log_probs: Tensor, clip_coef: float) -> Tensor:
    """The share of actions whose ratio is outside 1 - c .. 1 + c."""
    return ((log_probs - old_log_probs).exp().sub(1.0).abs() > clip_coef).float().mean()


def explained_variance(values: Tensor, returns: Tensor) -> float:
    """1 - Var(returns - values) / Var(returns): 1 for a perfect critic, 0 for a constant one; 0 if nothing varies."""
    variance = float(returns.var(unbiased=False))
    return 1.0 - float((returns - values).var(unbiased=False)) / variance if variance > 0 else 0.0

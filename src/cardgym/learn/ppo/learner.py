"""The learner of PPO: the policy network, its magnet, an optimizer and the update."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cardgym.learn import tags
from cardgym.learn.descent import Descent
from cardgym.learn.ppo.config import PPOConfig
from cardgym.learn.ppo.critic import TableCritic
from cardgym.learn.ppo.losses import (
    approximate_kl,
    clip_fraction,
    clipped_surrogate,
    entropy,
    explained_variance,
    kl_divergence,
    uniform_log_probs,
    value_loss,
)
from cardgym.learn.ppo.normalization import folded
from cardgym.learn.ppo.turns import TurnBatch
from cardgym.learn.resume import generator_state, set_generator_state
from cardgym.players.actions import sample_actions
from cardgym.players.policy_networks import PolicyNetwork, log_probabilities


class PPOLearner(Descent):
    """A policy network that learns from batches of turns.

    PPO: Schulman et al., "Proximal policy optimization algorithms" (2017). The magnet makes self-play in games of
    hidden information converge instead of running in circles: Sokota et al., "A unified approach to reinforcement
    learning, quantal response equilibria, and two-player zero-sum games", ICLR 2023 (a fixed magnet); Rudolph et al.,
    "Reevaluating policy gradient methods for imperfect-information games" (2025).

    Attributes:
        network: the network that learns.
        averaged: what is evaluated and saved: the network itself, or the average of its weights.
        critic: what reads the observations of all seats, if something does; the network's own value learns too.
        updates: how many updates were made.
    """

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
        )
        self.averaged = copy.deepcopy(network).requires_grad_(False) if config.average_tau else network
        self.magnet = copy.deepcopy(network).requires_grad_(False)
        self.ent_coef = config.ent_coef
        self.updates = 0
        self._config = config
        self._generator = generator
        self._statistics: dict[str, float] = {}

    @torch.inference_mode()
    def act(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        others: npt.NDArray[np.float32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Sample an action of each row; the critic of the whole table reads what the `others` see.

        Returns:
            The actions, int64, their log-probabilities and the states' values, float32, all (rows,).
        """
        seen = torch.tensor(observations, device=self.device)
        logits, values = self.network(seen)
        if self.critic is not None:
            values = self.critic(seen, torch.tensor(others, device=self.device))
        log_probs = log_probabilities(logits, torch.tensor(masks, device=self.device).bool())
        actions = sample_actions(log_probs.exp().cpu().numpy(), self._generator.random(len(masks)))
        chosen = log_probs.cpu().numpy()[np.arange(len(actions)), actions]
        return actions, chosen, values.cpu().numpy()

    def update(self, batch: TurnBatch) -> None:
        """Go through a batch `update_epochs` times in random minibatches, then move the magnet and the average."""
        config = self._config
        tensors = TurnBatch(*(torch.tensor(field, device=self.device) for field in batch))
        magnet = self._magnet_log_probs(tensors)
        size = len(batch.actions)
        sums = torch.zeros(6, device=self.device)
        for _ in range(config.update_epochs):
            order = torch.from_numpy(self._generator.permutation(size)).to(self.device)
            for rows in order.tensor_split(min(config.num_minibatches, size)):
                sums += self._step(
                    TurnBatch(*(field.index_select(0, rows) for field in tensors)),
                    None if magnet is None else magnet.index_select(0, rows),
                )
        self.updates += 1
        self._follow()
        names = (tags.POLICY_LOSS, tags.VALUE_LOSS, tags.ENTROPY, tags.MAGNET_KL, tags.APPROX_KL, tags.CLIP_FRACTION)
        steps = config.update_epochs * min(config.num_minibatches, size)
        self._statistics = dict(zip(names, (sums / steps).tolist(), strict=True))
        self._statistics[tags.EXPLAINED_VARIANCE] = explained_variance(tensors.values, tensors.returns)

    def _step(self, rows: TurnBatch, magnet: Tensor | None) -> Tensor:
        """One step of Adam; the figures of it, (6,)."""
        config = self._config
        logits, values = self.network(rows.observations)
        all_log_probs = log_probabilities(logits, rows.masks)
        log_probs = all_log_probs.gather(1, rows.actions[:, None]).squeeze(1)
        advantages = rows.advantages
        if config.norm_adv:
            advantages = (advantages - advantages.mean()) / (advantages.std(unbiased=False) + 1e-8)
        surrogate = clipped_surrogate(log_probs, rows.log_probs, advantages, config.clip_coef)
        bonus = entropy(all_log_probs).mean()
        critic = value_loss(values, rows.returns)
        if self.critic is not None:
            critic = critic + value_loss(self.critic(rows.observations, rows.others), rows.returns)
        loss = config.vf_coef * critic - surrogate - self.ent_coef * bonus
        drift = torch.zeros((), device=self.device)
        if magnet is not None:
            drift = kl_divergence(all_log_probs, magnet).mean()
            loss = loss + config.magnet_coef * drift
        self.descend(loss)
        with torch.no_grad():
            kl = approximate_kl(log_probs, rows.log_probs)
            clipped = clip_fraction(log_probs, rows.log_probs, config.clip_coef)
            return torch.stack([-surrogate, critic, bonus, drift, kl, clipped])

    @torch.no_grad()
    def _magnet_log_probs(self, batch: TurnBatch) -> Tensor | None:
        """The magnet's log-probabilities of all actions, (rows, actions); None without a magnet."""
        if self._config.magnet == "none" or not self._config.magnet_coef:
            return None
        if self._config.magnet == "uniform":
            return uniform_log_probs(batch.masks)
        return log_probabilities(self.magnet(batch.observations)[0], batch.masks)

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the magnet and the averaged weights."""
        config = self._config
        if config.magnet == "copy" and self.updates % config.magnet_interval == 0:
            self.magnet.load_state_dict(self.network.state_dict())
        followers = [(self.magnet, config.magnet_tau)] if config.magnet == "ema" else []
        if config.average_tau:
            # The mean of all weights so far until that is slower than the moving average.
            followers.append((self.averaged, max(config.average_tau, 1.0 / self.updates)))
        for follower, tau in followers:
            for old, new in zip(follower.parameters(), self.network.parameters(), strict=True):
                old.lerp_(new, tau)

    def checkpoint(self) -> PolicyNetwork:
        """What is evaluated and saved, as a network that needs nothing of the training."""
        return folded(self.averaged)

    def statistics(self) -> dict[str, float]:
        """The losses, divergences and shares of the last update, by tag."""
        return self._statistics

    def state_dict(self) -> dict[str, Any]:
        """All that decides how learning continues, as tensors and plain values."""
        return {
            **super().state_dict(),
            "magnet": self.magnet.state_dict(),
            "averaged": self.averaged.state_dict(),
            "updates": self.updates,
            "generator": generator_state(self._generator),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        super().load_state_dict(state)
        self.magnet.load_state_dict(state["magnet"])
        self.averaged.load_state_dict(state["averaged"])
        self.updates = state["updates"]
        set_generator_state(self._generator, state["generator"])

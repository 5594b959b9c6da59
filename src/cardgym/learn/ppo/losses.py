"""The terms of PPO's loss, and the figures that are logged of an update: one function for each formula.

Shapes: log-probabilities of chosen actions, advantages, values and results (rows,); those of all actions (rows,
actions), with the lowest finite float and probability 0 where an action is illegal.
"""

from __future__ import annotations

import torch
from torch import Tensor


def clipped_surrogate(log_probs: Tensor, old_log_probs: Tensor, advantages: Tensor, clip_coef: float) -> Tensor:
    """The mean of min(r A, clip(r, 1 - c, 1 + c) A), to be made large; r is the ratio of new to old probability.

    Schulman et al., "Proximal policy optimization algorithms" (2017), equation 7.
    """
    ratio = (log_probs - old_log_probs).exp()
    return torch.minimum(ratio * advantages, ratio.clamp(1.0 - clip_coef, 1.0 + clip_coef) * advantages).mean()


def entropy(all_log_probs: Tensor) -> Tensor:
    """The entropy -sum p log p of each row, in nats."""
    return -(all_log_probs.exp() * all_log_probs).sum(dim=1)


def kl_divergence(all_log_probs: Tensor, other_log_probs: Tensor) -> Tensor:
    """KL(p || q) = sum p (log p - log q) of each row, in nats.

    The magnet's term: Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and
    two-player zero-sum games", ICLR 2023, equation 5.
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

    Schulman, "Approximating KL divergence" (2020), estimator k3.
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

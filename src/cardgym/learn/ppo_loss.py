"""The loss of PPO and its gradient with respect to the network's outputs, by one compiled loop, and in PyTorch.

PyTorch takes about 40 small operations each way, which pays only where the outputs are on a GPU. The layers' gradients
are left to PyTorch. tests/learn/test_ppo_losses.py compares both.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, log, sqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s
from cardgym.learn.learner import entropy
from cardgym.players.policy_networks import log_probabilities

POLICY, VALUE, ENTROPY, MAGNET_KL, APPROX_KL, CLIPPED = range(6)
"""Places in the figures of `loss_gradient`."""


@compiled
def loss_gradient(
    logits: Float32s, values: Float32s, critic_values: Float32s, rows: tuple[Any, ...], magnet: Float32s,
    coefficients: Float64s, norm_adv: bool, forward_kl: bool,
    to_logits: Float32s, to_values: Float32s, to_critic: Float32s, figures: Float64s,
) -> None:  # fmt: skip
    """Write the gradient of the loss with respect to the outputs of the network and the critic, and its parts.

    With p the new policy, m the magnet, u the uniform policy, r = p(a) / old p(a) and A the advantage of action a, the
    loss is the mean over the rows of

        -min(r A, clip(r, 1 - c, 1 + c) A)      Schulman et al., "Proximal policy optimization algorithms" (2017)
        + vf_coef ((value - return)^2 + (critic's value - return)^2) / 2
        - ent_coef H(p) + magnet_coef KL(p || m)      the magnet: Sokota et al., see `PPOLearner`

    whose last line is ent_coef KL(u || p) + magnet_coef KL(m || p) with `forward_kl`. All are in nats, over the legal
    actions. With l = log p, the gradients with respect to the logit of action j are

        r A (p_j - [j = a]), or 0 where clipped;      H: -p_j (l_j + H);
        KL(p || m): p_j (l_j - log m_j - KL);         KL(q || p): p_j - q_j.

    Args:
        logits: (rows, actions).
        values: (rows,).
        critic_values: (rows,); empty without a critic.
        rows: masks (rows, actions), bool; actions (rows,), int64; log_probs, advantages, returns (rows,).
        magnet: the magnet's log-probabilities, (rows, actions); no rows without a magnet.
        coefficients: c, vf_coef, ent_coef and magnet_coef.
        norm_adv: normalize the advantages to mean 0 and standard deviation 1.
        forward_kl: see above.
        to_logits: the gradient, in the shape of `logits`; so are `to_values` and `to_critic`.
        figures: (6,): the means of the surrogate with its sign changed, of both value losses, of H(p), KL(p || m),
            an estimate of KL(old || p), (r - 1) - log r (Schulman, "Approximating KL divergence", 2020), and of
            whether r is outside 1 - c .. 1 + c.
    """
    masks, actions, log_probs, advantages, returns = rows
    clip, vf_coef, ent_coef, magnet_coef = coefficients
    count, num_actions = logits.shape
    new = np.empty(num_actions)  # l
    center, scale = 0.0, 1.0
    if norm_adv:
        for row in range(count):
            center += advantages[row] / count
        spread = 0.0
        for row in range(count):
            spread += (advantages[row] - center) ** 2 / count
        scale = 1.0 / (sqrt(spread) + 1e-8)
    figures[:] = 0.0
    for row in range(count):
        legal = 0
        top = -np.inf
        for j in range(num_actions):
            if masks[row, j]:
                legal += 1
                top = max(top, logits[row, j])
        total = 0.0
        for j in range(num_actions):
            if masks[row, j]:
                total += exp(logits[row, j] - top)
        total = log(total) + top
        entropy, drift = 0.0, 0.0
        for j in range(num_actions):
            if masks[row, j]:
                new[j] = logits[row, j] - total
                entropy -= exp(new[j]) * new[j]
                if magnet.shape[0]:
                    drift += exp(new[j]) * (new[j] - magnet[row, j])

        action, advantage = actions[row], (advantages[row] - center) * scale
        moved = new[action] - log_probs[row]
        ratio = exp(moved)
        clipped = min(max(ratio, 1.0 - clip), 1.0 + clip) * advantage
        pull = ratio * advantage if ratio * advantage <= clipped else 0.0
        for j in range(num_actions):
            to_logits[row, j] = 0.0
            if masks[row, j]:
                p = exp(new[j])
                slope = pull * (p - (1.0 if j == action else 0.0))
                if forward_kl:
                    slope += ent_coef * (p - 1.0 / legal)
                    if magnet.shape[0]:
                        slope += magnet_coef * (p - exp(magnet[row, j]))
                else:
                    slope += ent_coef * p * (new[j] + entropy)
                    if magnet.shape[0]:
                        slope += magnet_coef * p * (new[j] - magnet[row, j] - drift)
                to_logits[row, j] = slope / count

        error = values[row] - returns[row]
        to_values[row] = vf_coef * error / count
        figures[VALUE] += error * error / 2
        if critic_values.shape[0]:
            error = critic_values[row] - returns[row]
            to_critic[row] = vf_coef * error / count
            figures[VALUE] += error * error / 2
        figures[POLICY] -= min(ratio * advantage, clipped)
        figures[ENTROPY] += entropy
        figures[MAGNET_KL] += drift
        figures[APPROX_KL] += expm1(moved) - moved
        figures[CLIPPED] += abs(ratio - 1.0) > clip
    figures /= count


def uniform_log_probs(masks: Tensor) -> Tensor:
    """Return the log-probabilities of the uniform policy over the legal actions; `masks` (rows, actions), bool."""
    lowest = torch.finfo(torch.float32).min
    return torch.where(masks, -masks.sum(dim=1, keepdim=True).float().log(), lowest)


def loss(
    logits: Tensor, values: Sequence[Tensor], rows: Sequence[Tensor], magnet: Tensor | None, weights: Tensor,
    coefficients: Sequence[Any], norm_adv: bool, forward_kl: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the loss of `loss_gradient` as PyTorch differentiates it, a scalar, and its figures, (6,).

    Args:
        values: of the network and of the critic, if there is one, each (rows,).
        weights: of the rows in means, (rows,), with a sum of 1.
        logits, rows, magnet, coefficients, norm_adv, forward_kl: as there; None without a magnet.
    """
    masks, actions, log_probs, advantages, returns = rows
    clip, vf_coef, ent_coef, magnet_coef = coefficients
    new = log_probabilities(logits, masks)
    moved = new.gather(1, actions[:, None]).squeeze(1) - log_probs
    ratio = moved.exp()
    if norm_adv:
        centered = advantages - weights @ advantages
        advantages = centered / ((weights @ centered.square()).sqrt() + 1e-8)
    surrogate = weights @ torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    error = sum((weights @ (value - returns).square() for value in values), torch.zeros_like(surrogate)) / 2

    def divergence(one: Tensor, two: Tensor) -> Tensor:
        return weights @ torch.nn.functional.kl_div(two, one, log_target=True, reduction="none").sum(1)

    # The entropy is log n - KL(p || u), so its bonus has the gradient of that divergence.
    uniform = uniform_log_probs(masks)
    total = (
        vf_coef * error - surrogate + ent_coef * (divergence(uniform, new) if forward_kl else divergence(new, uniform))
    )
    if magnet is not None:
        total = total + magnet_coef * (divergence(magnet, new) if forward_kl else divergence(new, magnet))
    with torch.no_grad():
        drift = torch.zeros_like(surrogate) if magnet is None else divergence(new, magnet)
        approximate, clipped = weights @ (moved.expm1() - moved), weights @ ((ratio - 1).abs() > clip).float()
        figures = torch.stack([-surrogate, error, weights @ entropy(new), drift, approximate, clipped])
    return total, figures

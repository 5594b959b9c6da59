"""What a Q-network learns towards: one function for each formula.

Shapes: rewards, done and results (rows,); action values and masks (rows, actions). The masks belong to the next state,
as the values do: what is legal now does not tell what is legal then.
"""

from __future__ import annotations

import torch
from torch import Tensor

from cardgym.players.networks import masked


def dqn_target(rewards: Tensor, done: Tensor, discount: float, next_values: Tensor, next_masks: Tensor) -> Tensor:
    """r + discount max_a Q'(s', a) over the legal actions a; r alone if the episode ended.

    Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015).

    Args:
        rewards: r, float32; with n steps their discounted sum.
        done: bool, True if the episode ended, so that s' has no value.
        discount: gamma; with n steps gamma^n.
        next_values: Q'(s', .), of the target network.
        next_masks: bool, which actions are legal in s'.
    """
    best = masked(next_values, next_masks).amax(dim=1)
    return rewards + torch.where(done, 0.0, discount * best)


def double_dqn_target(
    rewards: Tensor,
    done: Tensor,
    discount: float,
    next_online_values: Tensor,
    next_values: Tensor,
    next_masks: Tensor,
) -> Tensor:
    """r + discount Q'(s', argmax_a Q(s', a)) over the legal actions a; r alone if the episode ended.

    The online network Q selects the action, the target network Q' evaluates it: van Hasselt, Guez and Silver, "Deep
    reinforcement learning with double Q-learning", AAAI 2016.

    Args:
        rewards: r, float32; with n steps their discounted sum.
        done: bool, True if the episode ended, so that s' has no value.
        discount: gamma; with n steps gamma^n.
        next_online_values: Q(s', .), of the online network.
        next_values: Q'(s', .), of the target network.
        next_masks: bool, which actions are legal in s'.
    """
    chosen = masked(next_online_values, next_masks).argmax(dim=1, keepdim=True)
    best = next_values.gather(1, chosen).squeeze(1)
    return rewards + torch.where(done, 0.0, discount * best)

"""What a Q-network learns towards: one formula, one function.

Shapes: rewards, done and results (rows,); action values and masks (rows, actions). The masks are those of the next
state, the one whose values are passed: an action that is legal now says nothing of what is legal then.
"""

from __future__ import annotations

import torch
from torch import Tensor

from cardgym.players.networks import masked


def dqn_target(rewards: Tensor, done: Tensor, discount: float, next_values: Tensor, next_masks: Tensor) -> Tensor:
    """r + discount max_a Q'(s', a) over the legal a; r at the end.

    Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015), equation 2.

    Args:
        rewards: float32; over n steps, their discounted sum.
        done: bool, True where the episode ended and s' has no value.
        discount: gamma, or gamma^n over n steps.
        next_values: Q'(s', .) of the target network.
        next_masks: bool, what is legal in s'.
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
    """r + discount Q'(s', argmax_a Q(s', a)) over the legal a; r at the end.

    The online network Q chooses, the target network Q' judges: van Hasselt, Guez and Silver, "Deep reinforcement
    learning with double Q-learning", AAAI 2016, equation 4. The arguments are those of `dqn_target`, and
    `next_online_values`, Q(s', .) of the online network.
    """
    chosen = masked(next_online_values, next_masks).argmax(dim=1, keepdim=True)
    best = next_values.gather(1, chosen).squeeze(1)
    return rewards + torch.where(done, 0.0, discount * best)

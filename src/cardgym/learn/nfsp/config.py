"""The hyper-parameters of neural fictitious self-play."""

from __future__ import annotations

from pydantic import PositiveInt

from cardgym.learn.config import Items, LearningRate, Share
from cardgym.learn.dqn.config import DQNConfig


class NFSPConfig(DQNConfig):
    """Neural fictitious self-play: double DQN learns best responses, a second network their average."""

    opponents: Items[str] = ("self=1",)
    """Who plays the other seats, each as name=weight: players' names, paths, `self`, or `snapshot` for an earlier copy
    of the average policy."""
    exploration_initial_eps: Share = 0.06
    """The share of the best response's random decisions at the start."""
    exploration_final_eps: Share = 0.0
    """The share of the best response's random decisions after epsilon has fallen."""
    exploration_fraction: Share = 1.0
    """The part of the training in which epsilon falls."""
    gamma: Share = 1.0
    """Discount from one of the learner's decisions to its next."""

    anticipatory_param: Share = 0.1
    """The share of games in which a seat plays its best response, instead of the average policy: the paper's eta."""
    reservoir_size: PositiveInt = 1_000_000
    """Capacity of the reservoir buffer, in decisions of best responses."""
    sl_learning_rate: LearningRate = 1e-3
    """Adam's step size for the average policy at the start."""
    sl_learning_rate_final: Share = 1e-4
    """Adam's step size for the average policy at the end; it falls linearly."""

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return "nfsp"

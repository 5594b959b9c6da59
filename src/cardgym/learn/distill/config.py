"""The hyper-parameters of distillation."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from cardgym.learn.config import Games, Items, LearningRate, NetworkConfig, Share


class DistillConfig(NetworkConfig):
    """Distillation: a policy network that imitates a player, in games that both play."""

    teacher: str = ""
    """The player to imitate: a name or a path."""
    temperature: NonNegativeFloat = 0.1
    """Where the teacher gives values: the network learns their softmax, values divided by this; 0 for the best action
    alone."""
    teacher_share: Share = 1.0
    """The share of decisions in training that the teacher plays at the start; the network plays the others."""
    teacher_share_final: Share = 0.0
    """That share at the end; it falls linearly."""
    opponents: Items[str] = ("self=1",)
    """Who plays the other seats, each as name=weight: players' names, paths, `self`, or `snapshot` for an earlier copy
    of the learner."""
    wide: bool = False
    """Also connect the observation directly to the last layer."""

    num_steps: PositiveInt = 16
    """Decisions in each env from one update to the next."""
    update_epochs: PositiveInt = 1
    """How often an update goes through these decisions."""
    batch_size: PositiveInt = 512
    """Decisions in each step of Adam."""
    learning_rate: LearningRate = 1e-3
    """Adam's step size at the start."""
    learning_rate_final: Share = 1e-5
    """Adam's step size at the end; it falls linearly."""
    adam_epsilon: PositiveFloat = 1e-8
    """Adam's epsilon."""
    max_grad_norm: NonNegativeFloat = 0.0
    """Longer gradients are scaled down to this norm; 0 for no limit."""

    eval_greedy: bool = False
    """Evaluate with the most probable actions, instead of drawn ones."""
    eval_games: Annotated[Games, Field(ge=1)] = 500
    """Games against each opponent in an evaluation."""
    log_every: NonNegativeInt = 50_000
    """Steps from one entry in TensorBoard to the next."""

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return "distill"

"""Stable-Baselines3 and sb3-contrib on any card game of cardgym: the hyper-parameters, and the training.

The hyper-parameters can be read without Stable-Baselines3. docs/interop/stable_baselines3.md shows the same in a script
of your own. A step is a decision of the learner.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

from cardgym.learn.config import HiddenSizes, ParallelConfig, ReplayConfig, Share, TrainingConfig


class PPOKeys(TrainingConfig):
    """PPO and MaskablePPO only."""

    num_steps: PositiveInt = 16
    """Steps of each env in a rollout."""
    update_epochs: PositiveInt = 4
    """Passes over a rollout."""
    gae_lambda: Share = 0.95
    """Lambda of generalized advantage estimation."""
    clip_coef: PositiveFloat = 0.2
    """How far the new probability of an action may be from the old, as a ratio."""
    ent_coef: NonNegativeFloat = 0.0
    """Weight of the entropy in the loss."""
    vf_coef: NonNegativeFloat = 0.5
    """Weight of the value's error in the loss."""


class SB3Config(ParallelConfig, ReplayConfig, PPOKeys):
    """Stable-Baselines3 on one seat of a card game, against a mix of opponents."""

    resumable: ClassVar[bool] = False
    """Stable-Baselines3 saves models, but not the state of a training."""

    snapshot_every: PositiveInt = 50_000
    algorithm: Literal["maskable_ppo", "ppo", "maskable_dqn", "dqn"] = "maskable_ppo"
    """maskable_ppo and maskable_dqn keep to the legal actions; an illegal action of ppo or dqn becomes a random legal
    one."""
    hidden_sizes: HiddenSizes = (128, 128)
    """Units of each hidden layer; PPO has a second such network for the value."""

    batch_size: Annotated[int, Field(ge=1, le=1_000_000)] = 512
    """Transitions in an update."""
    max_grad_norm: PositiveFloat = 10.0
    """Longer gradients are scaled down to this norm."""
    gamma: Share = 0.99
    """Discount between consecutive decisions of the learner."""
    normalize_reward: bool = False
    """Divide rewards by the standard deviation of discounted returns so far, with VecNormalize."""

    log_every: PositiveInt = 50_000
    """Steps between entries in TensorBoard."""

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name, such as `sb3_maskable_ppo`."""
        double = "double_" if self.double and self.algorithm == "maskable_dqn" else ""
        return f"sb3_{self.algorithm.replace('dqn', f'{double}dqn')}"

"""The hyper-parameters of PPO."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from cardgym.learn.config import Games, Items, LearningRate, NetworkConfig, Share

Magnet = Literal["none", "uniform", "copy", "ema"]
Critic = Literal["own", "all"]


class PPOConfig(NetworkConfig):
    """Masked PPO in self-play, regularized by a magnet; every seat that `self` takes learns."""

    opponents: Items[str] = ("self=1",)
    """Who plays the other seats, each as name=weight: players' names, paths, `self`, or `snapshot` for an earlier copy
    of the learner."""

    normalize: bool = False
    """Shift and scale the inputs to mean 0 and standard deviation 1, as measured in games of the first policy;
    checkpoints have this in their first layer."""
    critic: Critic = "own"
    """What the critic reads in training: the observation of the seat alone, or the observations of all seats."""
    wide: bool = False
    """Also connect the observation directly to the last layer."""
    action_features: Items[str] = ()
    """Features of the observation with a number for each action, read with the same weights for every action."""
    merge_equal: bool = False
    """Compute equal observations in a batch only once: the same losses, sooner in games with few observations."""
    num_steps: PositiveInt = 32
    """Decisions in each env between updates."""

    learning_rate: LearningRate = 1e-3
    """Adam's step size at the start."""
    learning_rate_final: Share = 1e-4
    """Adam's step size at the end; it falls linearly."""
    adam_epsilon: PositiveFloat = 1e-5
    """Adam's epsilon."""
    max_grad_norm: NonNegativeFloat = 0.5
    """Longer gradients are scaled down to this norm; 0 for no limit."""
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
    """What attracts the policy: nothing, the uniform policy, a copy of itself, or a moving average of itself."""
    magnet_coef: NonNegativeFloat = 0.1
    """The weight of the KL divergence from the magnet."""
    forward_kl: bool = False
    """Use the KL divergences from the magnet and from the uniform policy to the policy, not the reverse: they also move
    actions that the policy hardly ever takes."""
    magnet_interval: PositiveInt = 100
    """Updates between copies, for the magnet `copy`."""
    magnet_tau: Share = 0.05
    """How far the magnet `ema` moves towards the policy at each update."""
    anneal_magnet: bool = False
    """Let `magnet_tau` fall linearly to 0, as the step size falls."""
    average_tau: Share = 0.0
    """How far the averaged weights that are evaluated and saved move towards the policy's at each update; 0 saves the
    policy's own."""

    eval_games: Annotated[Games, Field(ge=1)] = 500
    """Games against each opponent in an evaluation."""
    save_every: PositiveInt = 500_000
    """Steps between checkpoints, each saved with its state to resume from."""
    log_every: NonNegativeInt = 50_000
    """Steps between entries in TensorBoard."""

    algorithm_name: ClassVar[str] = "ppo"

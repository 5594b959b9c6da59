"""The hyper-parameters of PPO."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from cardgym.learn.config import Games, Items, LearningRate, NetworkConfig, Share

Magnet = Literal["none", "uniform", "copy", "ema"]
Critic = Literal["own", "all"]


class PPOConfig(NetworkConfig):
    """Masked PPO in self-play, held by a magnet: every seat that `self` takes learns."""

    opponents: Items[str] = ("self=1",)
    """Who plays the other seats, each as name=weight: players' names, paths, `self`, or `snapshot` for an earlier copy
    of the learner."""

    normalize: bool = False
    """Shift and scale the inputs to mean 0 and standard deviation 1, as the first policy meets them; checkpoints have
    that in their first layer."""
    critic: Critic = "own"
    """What the critic reads in training: the observation of the seat alone, or the observations of all seats."""
    wide: bool = False
    """Also connect the observation directly to the last layer."""
    action_features: Items[str] = ()
    """Features of the observation with a number for each action, read with the same weights for every action."""
    num_steps: PositiveInt = 32
    """Decisions in each env from one update to the next."""

    learning_rate: LearningRate = 1e-3
    """Adam's step size at the start."""
    learning_rate_final: Share = 1e-4
    """Adam's step size at the end; it falls linearly."""
    adam_epsilon: PositiveFloat = 1e-5
    """Adam's epsilon."""
    max_grad_norm: NonNegativeFloat = 0.5
    """Longer gradients are scaled down to this norm; 0 for no limit."""
    gamma: Share = 1.0
    """Discount from one of a seat's decisions to its next."""
    gae_lambda: Share = 0.95
    """Lambda of generalized advantage estimation: 0 trusts the critic, 1 the rewards."""
    update_epochs: PositiveInt = 2
    """How often an update goes through its batch."""
    num_minibatches: PositiveInt = 16
    """Steps of Adam in each of these."""
    clip_coef: PositiveFloat = 0.2
    """How far a probability may move in an update, as a ratio, before its gradient stops."""
    norm_adv: bool = True
    """Give the advantages of each minibatch mean 0 and standard deviation 1."""
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
    """Take the KL divergences from the magnet and from the uniform policy to the policy, not the reverse: they also
    move actions that the policy hardly takes."""
    magnet_interval: PositiveInt = 100
    """Updates from one copy to the next, for the magnet `copy`."""
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
    """Steps from one checkpoint, with its state to resume from, to the next."""
    log_every: NonNegativeInt = 50_000
    """Steps from one entry in TensorBoard to the next."""

    algorithm_name: ClassVar[str] = "ppo"

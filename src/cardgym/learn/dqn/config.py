"""The hyper-parameters of DQN, double DQN, and of neural fictitious self-play, which learns best responses by DQN."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from cardgym.learn.config import (
    EvaluationConfig,
    ExplorationConfig,
    Games,
    Items,
    LearningRate,
    NetworkConfig,
    SelfPlayConfig,
    Share,
)


# The bases of `NetworkConfig` are repeated to set the order of the keys, in help and in files.
class DQNConfig(NetworkConfig, EvaluationConfig, ExplorationConfig, SelfPlayConfig):
    """Deep Q-learning of one seat of a card game, against a mix of opponents."""

    double: bool = True
    """Double DQN: the online network chooses the next action, the target network values it."""
    dueling: bool = False
    """Split the network's output into a state value and advantages."""
    wide: bool = False
    """Add a linear layer straight from the observation to the action values."""

    learning_rate: LearningRate = 1e-3
    """Adam's step size at the start."""
    learning_rate_final: Share = 1e-3
    """Adam's step size at the end; it falls linearly."""
    adam_epsilon: PositiveFloat = 1e-8
    """Adam's epsilon."""
    max_grad_norm: NonNegativeFloat = 0.0
    """Longer gradients are scaled down to this norm; 0 for no limit."""
    gamma: Share = 0.99
    """Discount between consecutive decisions of the learner."""
    n_step: PositiveInt = 1
    """Over how many of the learner's decisions rewards are summed before the target network values the rest."""
    buffer_size: PositiveInt = 200_000
    """Capacity of the replay buffer, in transitions."""
    learning_starts: NonNegativeInt = 10_000
    """Steps before the first update."""
    train_frequency: PositiveInt = 256
    """Steps between updates."""
    batch_size: Annotated[int, Field(ge=1, le=1_000_000)] = 512
    """Transitions in an update."""
    target_update_interval: PositiveInt = 100
    """Updates of the network between updates of the target network."""
    tau: Share = 1.0
    """How far an update moves the target network towards the network; 1 copies the weights."""

    eval_games: Annotated[Games, Field(ge=1)] = 500
    """Games against each opponent in an evaluation."""
    save_every: PositiveInt = 500_000
    """Steps between checkpoints, each saved with its state to resume from."""
    log_every: PositiveInt = 50_000
    """Steps between entries in TensorBoard."""

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return "double_dqn" if self.double else "dqn"


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
    """The fraction of the training during which epsilon falls."""
    gamma: Share = 1.0
    """Discount between consecutive decisions of the learner."""

    anticipatory_param: Share = 0.1
    """The share of games in which a seat plays its best response, instead of the average policy: the paper's eta."""
    reservoir_size: PositiveInt = 1_000_000
    """Capacity of the reservoir buffer, in decisions of best responses."""
    sl_learning_rate: LearningRate = 1e-3
    """Adam's step size for the average policy at the start."""
    sl_learning_rate_final: Share = 1e-4
    """Adam's step size for the average policy at the end; it falls linearly."""

    algorithm_name: ClassVar[str] = "nfsp"

"""The hyper-parameters of the Corellian Spike paper's batch Q-learning."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from cardgym.learn.config import EnvOptions, Games, Items, Share, TrainingConfig

ENV = "CorellianSpike-v0"

Exploration = Literal["published", "legal"]
"""How to explore."""


class BatchQConfig(TrainingConfig):
    """The batch Q-learning of the Corellian Spike paper (section 4.2)."""

    env_options: EnvOptions = Field(default={})
    """Options of the game, such as num_players=4 or reward=weighted."""
    state: Literal["code", "cards", "spikes"] = "code"
    """What tells states apart: code (the paper's state code), cards (the player's cards instead of their sum) or spikes
    (the code, and the opponents' spikes)."""
    num_iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 50
    """How often games are played and learned from."""
    games_per_iteration: Annotated[int, Field(ge=1, le=10_000_000)] = 2000
    """Games in each iteration."""
    update_epochs: Annotated[int, Field(ge=1, le=1_000_000)] = 20
    """Passes over an iteration's transitions."""
    learning_rate: Annotated[float, Field(gt=0, le=1)] = 0.1
    """The paper's alpha."""
    gamma: Share = 1.0
    """Discount from one decision of a seat to its next."""
    exploration: Exploration = "published"
    """How to explore: published (as the paper's program: never fold, always buy, never swap with the higher card) or
    legal (uniform over the legal actions)."""
    exploration_initial_eps: Share = 0.9
    """The share of exploring decisions in the first iteration."""
    exploration_decay: Share = 0.9556
    """Epsilon is multiplied by this after each iteration."""
    save_every: PositiveInt = 5
    """Iterations from one policy file to the next; the last iteration always has one."""
    eval_opponents: Items[str] = ("random", "initial")
    """Whom the policy is evaluated against each time it is saved."""
    eval_games: Games = 1000
    """Games against each opponent in an evaluation; 0 for none."""
    final_games: Games = 10_000
    """Games against each opponent in the final evaluation; 0 for none."""

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return ENV

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return "batch_q"

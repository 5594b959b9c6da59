"""The hyper-parameters of Q-learning and Sarsa."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat

from cardgym.learn.config import EvaluationConfig, ExplorationConfig, GameConfig, Items, Share, Steps


class TabularConfig(EvaluationConfig, ExplorationConfig, GameConfig):
    """Q-learning or Sarsa over a table: one seat of a card game, against a mix of opponents."""

    observation: str = ""
    """The observation whose hash identifies the state; if empty, the game's own numbering of states."""
    opponents: Items[str] = ("random=1",)
    """Who plays the other seats, each as name=weight: compiled players, tables, policy files, or `self`."""
    num_deals: Annotated[int, Field(ge=0, lt=2**31)] = 0
    """Play only this many different deals, over and over, to study memorization; 0 for no limit."""
    terminal_on_deal_end: bool = False
    """End the learner's episode with the deal: later rewards do not count for decisions in it."""

    algorithm: Literal["q_learning", "sarsa"] = "q_learning"
    """q_learning looks ahead to the best legal action, sarsa to the one taken."""
    total_steps: Steps = 1_000_000
    """How many decisions the learner takes. A decision is a step."""
    table_size: Annotated[int, Field(ge=1, le=2**40)] = 1 << 20
    """Capacity of the table in pairs of observation and action, if observations are hashed."""
    gamma: Share = 1.0
    """Discount between consecutive decisions of the learner."""
    learning_rate: Annotated[float, Field(gt=0, le=1)] = 0.1
    """Alpha at the start."""
    learning_rate_final: Share = 0.1
    """Alpha at the end; it falls linearly."""
    visits_power: NonNegativeFloat = 0.0
    """Alpha is divided by the number of updates of the pair of state and action, to this power; 0 leaves it
    unchanged."""

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return self.algorithm

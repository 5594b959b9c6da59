"""The hyper-parameters of experts at cribbage."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

from cardgym.learn.config import Games, Items, Share, TrainingConfig

ENV = "Cribbage-v0"


class ExpertsConfig(TrainingConfig):
    """Experts at cribbage: how much each of eight strategies counts, by both scores and who deals."""

    total_games: Annotated[Games, Field(ge=1)] = 1_000_000
    """How many games are played."""
    init: Annotated[Items[str], Field(min_length=1, max_length=2)] = ("uniform",)
    """What the expert starts from: weights with a name, or the path of a weight file. One expert plays itself; name two
    to let two learn against each other."""
    update: Literal["gradient", "paper"] = "gradient"
    """How experts learn: by the gradient of what is won, or by the paper's update."""
    init_noise: NonNegativeFloat = 0.05
    """Standard deviation of the noise on the logarithms of weights with a name; the paper's update needs some."""
    own_crib: bool = False
    """Let `crib_min_avg` maximise the own crib as dealer, which the paper's eight strategies cannot."""
    seed_deals: Games = 200_000
    """Deals with random keeps, before training, that the statistics of pegging start from."""

    learning_rate: NonNegativeFloat = 0.1
    """The gradient's step size at the start; it falls to 0 in a straight line."""
    temperature: PositiveFloat = 0.005
    """Temperature of the softmax over the keeps whose gradient is taken, in units of P = w S, whose mean is 1 / 15."""
    reach: Annotated[int, Field(ge=0, le=60)] = 16
    """An update also changes the positions up to this many points away."""
    exploring_starts: Share = 0.5
    """The share of games that begin at two scores drawn at random."""
    value_every: PositiveInt = 20_000
    """Games from one valuation of all positions to the next."""
    buffer_size: Annotated[int, Field(ge=1, le=10_000_000)] = 4096
    """How many of the last deals are kept to value positions by."""
    gamma: Share = 1.0
    """The paper's update: a position n deals before the last counts gamma^n; 1 counts all positions alike."""

    save_every: PositiveInt = 200_000
    """Games from one weight file, with its state to resume from, to the next, whatever `value_every` is."""
    eval_opponents: Items[str] = ("greedy", "uniform")
    """Whom the first expert is evaluated against each time it is saved."""
    eval_games: Annotated[Games, Field(ge=1)] = 20_000
    """Games against each opponent in an evaluation; deals are swapped."""

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return ENV

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return "experts"

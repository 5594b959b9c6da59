"""The hyper-parameters of a league."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from cardgym.learn.config import EnvOptions, Games, Items, TrainingConfig

WHERE = ("engine", "workers", "address", "generations", "tolerance")
"""Keys that may change when a league goes on: they change nothing of the generations it has."""


class LeagueConfig(TrainingConfig):
    """Policy-space response oracles: each generation answers the equilibrium of all players so far."""

    env_id: str = ""
    """The game's id, as `cardgym games` lists it."""
    env_options: EnvOptions = Field(default_factory=dict)
    """Options of the game."""
    players: Items[str] = ("random",)
    """Who is there before the first generation: players' names or paths."""
    trainer: str = "dqn"
    """The training script of the responders, as `cardgym train` names it."""
    trainer_config: str = ""
    """The config of that script: a file, or the name of one that comes with cardgym."""
    trainer_options: EnvOptions = Field(default_factory=dict)
    """Keys of that config to change, such as total_steps=50000."""
    generations: NonNegativeInt = 10
    """How many generations are trained."""
    responders: Annotated[int, Field(ge=1, le=16)] = 1
    """Responders of each generation, with seeds of their own; all of them join."""
    games: Annotated[Games, Field(ge=2)] = 20_000
    """Games of each match between two players."""
    tolerance: NonNegativeFloat = 0.0
    """The league ends early where no responder wins more than this from the equilibrium; 0 for never."""
    engine: Literal["local", "ray", "slurm"] = "local"
    """Where games and trainings run."""
    workers: NonNegativeInt = 0
    """How many of them run at once; 0 for one a core."""
    address: str = ""
    """The head of the Ray cluster."""

    @property
    def game_id(self) -> str:
        """The id of the game; empty if none is named yet."""
        return self.env_id

    @property
    def algorithm_name(self) -> str:
        """`league`."""
        return "league"

    def lasting(self) -> LeagueConfig:
        """The config without what may change when a league goes on."""
        defaults = type(self)()
        return self.replace(**{name: getattr(defaults, name) for name in WHERE})

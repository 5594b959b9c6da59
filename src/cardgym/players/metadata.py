"""What is saved with a player: the game, options and observation it was made for."""

from __future__ import annotations

from typing import Any

from cardgym.engine.contract import Game, Options

PAYMENT_OPTION = "reward"
"""By convention, an option of this name changes only what is paid, not what a player sees or may do."""


def options_that_count(options: Options) -> dict[str, int | str]:
    """The options that a saved player and its games must share: all but what is paid."""
    values = {"num_players": options.num_players, **options.asdict()}
    return {name: value for name, value in values.items() if name != PAYMENT_OPTION}


def checkpoint_metadata(game: Game, options: Options, observation_name: str) -> dict[str, Any]:
    """What is saved with a player of this game, options and observation, as plain values.

    Returns:
        `env`, `options`, `observation` (its name) and `features` (the digest of its features).
    """
    return {
        "env": game.id,
        "options": options_that_count(options),
        "observation": observation_name,
        "features": game.observation(observation_name).digest(options),
    }

"""What a saved player was made for: a game, its options and an observation; and whether that is what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError

PAYMENT_OPTION = "reward"
"""By convention a game's option of this name changes only what is paid, not what is seen or allowed."""


def options_that_count(options: Options) -> dict[str, int | str]:
    """The options that a saved player must share with the table it plays at: all but what is paid."""
    known = {"num_players": options.num_players, **options.asdict()}
    return {name: value for name, value in known.items() if name != PAYMENT_OPTION}


def checkpoint_metadata(game: Game, options: Options, observation_name: str) -> dict[str, Any]:
    """What a player of this game, options and observation is saved with; plain values."""
    return {
        "env": game.id,
        "options": options_that_count(options),
        "observation": observation_name,
        "table": game.observation(observation_name).digest(options),
    }


def check_compatible(what: str, purpose: Mapping[str, Any], game: Game, options: Options) -> None:
    """Refuse a saved player, called `what` in the message, that was made for something else.

    Raises:
        CardgymError: for another game, other options (only `reward` may differ), or an observation whose table has
            changed since; and where `purpose` is not what `checkpoint_metadata` gives.
    """
    env, there, observation_name = (purpose.get(name) for name in ("env", "options", "observation"))
    if not (isinstance(env, str) and isinstance(there, dict) and isinstance(observation_name, str)):
        raise CardgymError(f"{what}: does not say for which game, options and observation it was made")
    if env != game.id:
        raise CardgymError(f"{what}: made for {env}, not for {game.id}")
    here = options_that_count(options)
    for name in sorted({*here, *there}):
        if here.get(name) != there.get(name):
            raise CardgymError(
                f"{what}: made for {name}={there.get(name)}, not {name}={here.get(name)}; "
                f"set {name}={there.get(name)} or train one for these options"
            )
    if observation_name not in game.observations or game.observation(observation_name).digest(options) != purpose.get(
        "table"
    ):
        raise CardgymError(
            f"{what}: its observation {observation_name!r} is not the one {game.id} has now; train it anew"
        )

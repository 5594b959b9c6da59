"""What a saved player was made for: a game, its options and an observation; and whether that is what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardgym.errors import CardgymError
from cardgym.rules import Game, Options

PAYMENT_OPTION = "reward"
"""By convention a game's option of this name changes only what is paid, not what is seen or allowed."""


def options_that_count(options: Options) -> dict[str, int | str]:
    """The options that a saved player must share with the table it plays at: all but what is paid."""
    known = {"num_players": options.num_players, **options.asdict()}
    return {name: value for name, value in known.items() if name != PAYMENT_OPTION}


def purpose_of(game: Game, options: Options, encoding: str) -> dict[str, Any]:
    """What a player of this game, options and observation is saved with; plain values."""
    return {
        "env": game.id,
        "options": options_that_count(options),
        "observation": encoding,
        "table": game.encoding(encoding).digest(options),
    }


def check_purpose(what: str, purpose: Mapping[str, Any], game: Game, options: Options) -> None:
    """Refuse a saved player, called `what` in the message, that was made for something else.

    Raises:
        CardgymError: for another game, other options (only `reward` may differ), or an observation whose table has
            changed since; and where `purpose` is not what `purpose_of` gives.
    """
    env, there, encoding = (purpose.get(name) for name in ("env", "options", "observation"))
    if not (isinstance(env, str) and isinstance(there, dict) and isinstance(encoding, str)):
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
    if encoding not in game.encodings or game.encoding(encoding).digest(options) != purpose.get("table"):
        raise CardgymError(f"{what}: its observation {encoding!r} is not the one {game.id} has now; train it anew")

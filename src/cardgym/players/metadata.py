"""What a saved player was made for, and whether it fits the game, options and observation it is loaded for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError

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


def check_compatible(what: str, metadata: Mapping[str, Any], game: Game, options: Options) -> None:
    """Refuse a saved player, called `what` in the message, that was made for something else.

    Raises:
        CardgymError: for another game, other options (only `reward` may differ), or an observation whose features
            have changed since; and for metadata without the keys of `checkpoint_metadata`.
    """
    env, saved, observation_name = (metadata.get(name) for name in ("env", "options", "observation"))
    if not (isinstance(env, str) and isinstance(saved, dict) and isinstance(observation_name, str)):
        raise CardgymError(f"{what}: does not say for which game, options and observation it was made")
    if env != game.id:
        raise CardgymError(f"{what}: made for {env}, not for {game.id}")
    wanted = options_that_count(options)
    for name in sorted({*wanted, *saved}):
        if wanted.get(name) != saved.get(name):
            raise CardgymError(
                f"{what}: made for {name}={saved.get(name)}, not {name}={wanted.get(name)}; "
                f"set {name}={saved.get(name)} or train one for these options"
            )
    if observation_name in game.observations:
        digest = game.observation(observation_name).digest(options)
        if metadata.get("features") == digest:
            return
    raise CardgymError(f"{what}: observation {observation_name!r} of {game.id} has changed since; train it again")


def read_safetensors(
    path: Path, kind: str, content: str, format: str, framework: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a safetensors file of cardgym: a JSON object with a `format` under the metadata key `cardgym`.

    Args:
        path: the file.
        kind: the kind of file, for messages, such as `checkpoint`.
        content: what it should hold, for messages, such as `a Q-network`.
        format: the format that the metadata must name.
        framework: `pt` for torch tensors, `numpy` for arrays.

    Returns:
        The tensors by name, and the JSON object.

    Raises:
        CardgymError: for a file that is missing, truncated or of another format.
    """
    import safetensors

    if not path.is_file():
        raise CardgymError(f"{kind} {path}: no such file")
    try:
        with safetensors.safe_open(path, framework=framework) as file:
            texts: dict[str, str] = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, OSError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CardgymError(f"{kind} {path}: truncated or not a safetensors file ({reason})") from None
    try:
        metadata: dict[str, Any] = json.loads(texts["cardgym"])
        known = metadata["format"] == format
    except (KeyError, TypeError, ValueError):
        known = False
    if not known:
        raise CardgymError(f"{kind} {path}: not {content} of cardgym (no format {format!r} in its metadata)")
    return tensors, metadata

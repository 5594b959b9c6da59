"""Policy files: JSON from states to action numbers, with a head that says what it was made for.

A state is named by its key, or by the label that the game gives it (`StateIndex.info_state_labels`). Files of the
papers have no head: they are read too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.players.base import TablePlayer

FORMAT = "cardgym policy 1"


def load_policy(path: Path, game: Game, options: Options) -> npt.NDArray[np.int8]:
    """Read a policy file, with a head or without, as int8 actions by state index, (num_info_states,).

    Raises:
        CardgymError: for a file that is missing, no policy file, or made for another game or other options.
    """
    labels = _labels(game, options)
    entries = _read(path)
    if not isinstance(entries, dict):
        raise CardgymError(f"policy file {path}: holds no JSON object from states to actions")
    if "format" in entries:
        _check_head(path, entries, game, options)
        entries = entries["actions"]
    index_of = {label: i for i, label in enumerate(labels)}
    actions = np.full(len(labels), -1, np.int64)
    for label, action in entries.items():
        if label not in index_of:
            raise CardgymError(f"policy file {path}: unknown state {label!r}; was it made for other options?")
        if isinstance(action, bool) or not isinstance(action, int) or not 0 <= action < game.num_actions:
            raise CardgymError(
                f"policy file {path}: action {action!r} in state {label}; allowed are 0 to {game.num_actions - 1}"
            )
        actions[index_of[label]] = action
    actions[0] = max(actions[0], 0)  # Index 0 is the end, where nothing is decided; a file may leave it out.
    if (actions < 0).any():
        missing = np.flatnonzero(actions < 0)
        count = f"{len(missing)} state{'s' if len(missing) > 1 else ''} missing"
        raise CardgymError(f"policy file {path}: {count}, such as {labels[missing[0]]}; made for other options?")
    return actions.astype(np.int8)


def load_player(path: Path, game: Game, options: Options) -> TablePlayer:
    """The player of a policy file; raises as `load_policy`."""
    return TablePlayer(str(path), load_policy(path, game, options))


def save_policy(path: Path, actions: npt.NDArray[np.int8], game: Game, options: Options, **about: str) -> None:
    """Write actions as a policy file, one line for each state.

    Args:
        path: the file.
        actions: actions by state index, (num_info_states,), int8.
        game: the game.
        options: its options.
        about: further entries of the head, such as `gamma`, for people; they are not read back.
    """
    head = {"format": FORMAT, "env": game.id, "options": options.asdict(), **about}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    entries = zip(_labels(game, options)[1:], actions.tolist()[1:], strict=True)
    states = ",\n".join(f"    {json.dumps(label)}: {action}" for label, action in entries)
    with replacing(path) as temporary:
        temporary.write_text("\n".join(["{", *lines, '  "actions": {', states, "  }", "}"]) + "\n", encoding="utf-8")


def _read(path: Path) -> Any:
    def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for name, value in pairs:
            if name in entries:
                raise CardgymError(f"policy file {path}: says {name!r} twice")
            entries[name] = value
        return entries

    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=without_repeats)
    except FileNotFoundError:
        raise CardgymError(f"policy file {path}: no such file") from None
    except CardgymError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise CardgymError(f"policy file {path}: cannot be read as JSON ({error})") from None


def _check_head(path: Path, content: dict[str, Any], game: Game, options: Options) -> None:
    if content["format"] != FORMAT or not isinstance(content.get("actions"), dict):
        raise CardgymError(f"policy file {path}: its head does not say {FORMAT!r}, or it has no object `actions`")
    if content.get("env") != game.id:
        raise CardgymError(f"policy file {path}: made for {content.get('env')}, not for {game.id}")
    if content.get("options") != options.asdict():
        raise CardgymError(
            f"policy file {path}: made for {_text(content.get('options'))}, not for {_text(options.asdict())}; "
            "set the options it was made for"
        )


def _text(options: object) -> str:
    if not isinstance(options, dict):
        return "no options"
    return ", ".join(f"{name}={value}" for name, value in options.items())


def _labels(game: Game, options: Options) -> list[str]:
    if game.state_index.info_state_labels is not None:
        return game.state_index.info_state_labels(options)
    if game.state_index.info_state_keys is None:
        raise CardgymError(f"{game.id} does not number its states, so it has no policy files")
    return [str(key) for key in game.state_index.info_state_keys(options).tolist()]

"""Policy files: JSON from states to action numbers, with a head that says what the policy was made for.

A state is named by its key, or by the game's label for it (`StateIndex.info_state_labels`). The papers' files, which
have no head, can also be read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cardgym.engine.contract import Game, Int8s, Options
from cardgym.errors import CardgymError, brief, path_of, quoted
from cardgym.files import write_text
from cardgym.files.documents import Document, Name, validate
from cardgym.files.json_values import parse_json, read_bytes, sealed
from cardgym.files.schema import Field
from cardgym.players.base import TablePlayer
from cardgym.players.checks import check_rows, check_setting
from cardgym.players.compatibility import OptionValues, check_made_for

FORMAT = "cardgym policy 1"
_BYTES_PER_STATE = 256
"""An upper bound for a state's line in a policy file."""


class _Head(Document):
    """A policy file with a head, whose further entries are for people."""

    format: Literal["cardgym policy 1"]
    env: Name
    options: OptionValues = Field(default_factory=dict)
    actions: dict[Any, Any]


def load_policy(path: Path, game: Game, options: Options) -> Int8s:
    """Read a policy file, with a head or without, as int8 actions by state index, (num_info_states,).

    Raises:
        CardgymError: for a file that is missing, not a policy file, or made for another game or other options.
    """
    check_setting(game, options)
    path = path_of("path", path)
    what = f"policy file {path}"
    labels = _labels(game, options)
    content = read_bytes(path, what, limit=_BYTES_PER_STATE * (len(labels) + 1000))
    entries = parse_json(content, what)
    if not isinstance(entries, dict):
        raise CardgymError(f"{what}: not a JSON object from states to actions")
    if "format" in entries:
        head = validate(_Head, entries, what)
        check_made_for(what, head.env, head.options, game, options)
        entries = head.actions
    index_of = {label: i for i, label in enumerate(labels)}
    actions = np.full(len(labels), -1, np.int64)
    for label, action in entries.items():
        if label not in index_of:
            raise CardgymError(f"{what}: unknown state {quoted(label)}; was it made for other options?")
        if isinstance(action, bool) or not isinstance(action, int) or not 0 <= action < game.num_actions:
            raise CardgymError(
                f"{what}: action {brief(action)} in state {label}; allowed are 0 to {game.num_actions - 1}"
            )
        actions[index_of[label]] = action
    actions[0] = max(actions[0], 0)  # Index 0 is the end, where no one decides; a file may leave it out.
    if (actions < 0).any():
        missing = np.flatnonzero(actions < 0)
        count = f"{len(missing)} state{'s' if len(missing) > 1 else ''} missing"
        raise CardgymError(f"{what}: {count}, such as {labels[missing[0]]}; made for other options?")
    return actions.astype(np.int8)


def load_player(path: Path, game: Game, options: Options) -> TablePlayer:
    """Return the player of a policy file; raises as `load_policy`."""
    return TablePlayer(str(path_of("path", path)), load_policy(path, game, options))


def save_policy(path: Path, actions: Int8s, game: Game, options: Options, **about: str) -> None:
    """Write actions by state index, (num_info_states,), int8, as a policy file, one line for each state.

    `about` gives further entries of the head, such as `gamma`, for people; they are not read back.
    """
    check_setting(game, options)
    check_rows("actions", actions, kinds="iu", dimensions=1)
    path, labels = path_of("path", path), _labels(game, options)
    if len(actions) != len(labels):
        raise CardgymError(f"actions: {len(actions)} for {len(labels)} states of {game.id}; give one for each")
    head = {"format": FORMAT, "env": game.id, "options": options.asdict(), **about}
    entries = dict(zip(labels[1:], actions.tolist()[1:], strict=True))
    head = {name: value for name, value in sealed({**head, "actions": entries}).items() if name != "actions"}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    states = ",\n".join(f"    {json.dumps(label)}: {action}" for label, action in entries.items())
    write_text(path, "\n".join(["{", *lines, '  "actions": {', states, "  }", "}"]) + "\n")


def _labels(game: Game, options: Options) -> list[str]:
    if game.state_index.info_state_labels is not None:
        return game.state_index.info_state_labels(options)
    if game.state_index.info_state_keys is None:
        raise CardgymError(f"{game.id} does not number its states, so it has no policy files")
    return [str(key) for key in game.state_index.info_state_keys(options).tolist()]

"""Q-tables as players: action values by a hash of the observation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options, rule
from cardgym.engine.generator import mix
from cardgym.engine.numba.compilation import compiled
from cardgym.errors import CardgymError
from cardgym.files.archives import Archive
from cardgym.files.atomic import replacing
from cardgym.files.documents import parse_document
from cardgym.players.actions import Actions, Masks, Observations
from cardgym.players.base import Player
from cardgym.players.compatibility import PlayerMetadata, check_compatible
from cardgym.players.metadata import checkpoint_metadata

FORMAT = "cardgym q-table 1"
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@rule
def hash_of(observation: npt.NDArray[np.float32]) -> np.uint64:
    """A 64-bit hash of an observation, never 0. Observations with the same hash share their values.

    Among n different observations a collision has probability about n^2 / 2^65: below 10^-6 for some millions.
    """
    bits = observation.view(np.uint32)
    key = _GOLDEN
    for place in range(bits.shape[0]):
        # 0 and -0 are equal but differ in their bits.
        number = np.uint64(0) if observation[place] == 0 else np.uint64(bits[place])
        key = mix(key ^ number) + _GOLDEN
    return np.uint64(1) if key == np.uint64(0) else key


class QTableMetadata(PlayerMetadata):
    """What is saved with a Q-table."""

    format: Literal["cardgym q-table 1"]
    """`FORMAT`."""


class Pairs(NamedTuple):
    """A Q-table: the pairs of observation and action that were tried, sorted by key and action.

    Attributes:
        keys: the hash of each pair's observation, (pairs,), uint64.
        actions: its action, (pairs,), int32.
        values: its action value, (pairs,), float64.
    """

    keys: npt.NDArray[np.uint64]
    actions: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]


@compiled
def _act(observations: Any, masks: Any, keys: Any, actions: Any, values: Any, out: Any) -> None:
    """Write the greedy action of each row to `out`; where nothing was tried, the legal action that the hash picks."""
    for i in range(observations.shape[0]):
        key = hash_of(observations[i])
        pair = np.searchsorted(keys, key)
        best = -np.inf
        out[i] = -1
        while pair < keys.shape[0] and keys[pair] == key:
            if masks[i, actions[pair]] and values[pair] > best:
                best = values[pair]
                out[i] = actions[pair]
            pair += 1
        if out[i] < 0:
            count = 0
            for action in range(masks.shape[1]):
                count += masks[i, action] != 0
            place = np.int64(mix(key) % np.uint64(count))
            for action in range(masks.shape[1]):
                if masks[i, action]:
                    if place == 0:
                        out[i] = action
                        break
                    place -= 1


class QTablePlayer(Player):
    """The greedy player of a Q-table; deterministic."""

    def __init__(self, name: str, observation_name: str, pairs: Pairs) -> None:
        self.name = name
        self.observation_name = observation_name
        self._pairs = pairs

    def act(self, observations: Observations, masks: Masks, draws: npt.NDArray[np.float64] | None = None) -> Actions:
        """The legal action of the highest value among those tried, the first of equals, (rows,) int64.

        Where none was tried, the observation's hash picks a legal one: always the first would favour one action.
        """
        actions = np.empty(len(observations), np.int64)
        _act(np.ascontiguousarray(observations), masks, *self._pairs, actions)
        return actions


def save_q_table(
    path: Path,
    pairs: Pairs,
    game: Game,
    options: Options,
    observation_name: str,
    config: Mapping[str, Any] | None = None,
) -> None:
    """Write a Q-table as .npz, with what it was made for.

    Raises:
        CardgymError: where the file cannot be written.
    """
    metadata = {"format": FORMAT, **checkpoint_metadata(game, options, observation_name), "config": dict(config or {})}
    write_pairs(path, pairs, metadata, np.savez)


def write_pairs(path: Path, pairs: Pairs, metadata: Mapping[str, Any], save: Callable[..., None]) -> None:
    """Write pairs and metadata with `np.savez` or `np.savez_compressed`.

    Raises:
        CardgymError: where the file cannot be written.
    """
    with replacing(path) as temporary, open(temporary, "wb") as file:
        save(file, metadata=np.array(json.dumps(metadata)), **pairs._asdict())


def load_player(path: Path, game: Game, options: Options) -> QTablePlayer:
    """The greedy player of a Q-table file.

    Raises:
        CardgymError: for a file that is missing, no Q-table of cardgym, or made for another game, options or
            observation.
    """
    what = f"Q-table {path}"
    metadata, pairs = read_pairs(path, what, "a Q-table of cardgym", QTableMetadata, game, options)
    return QTablePlayer(str(path), metadata.observation, pairs)


def read_pairs(
    path: Path, what: str, kind: str, document: type[PlayerMetadata], game: Game, options: Options
) -> tuple[PlayerMetadata, Pairs]:
    """What a file of pairs says of itself, and its pairs; checked.

    Args:
        path: the file.
        what: the file in words, for messages.
        kind: what it should be.
        document: the class of its metadata.
        game: the game that it must be made for.
        options: its options.

    Raises:
        CardgymError: for a file that is missing, of another kind, or made for another game, options or observation.
    """
    with Archive(path, what, kind) as archive:
        metadata = parse_document(document, archive.text("metadata"), f"{what}: metadata")
        check_compatible(what, metadata, game, options)
        pairs = Pairs(
            archive.array("keys", np.uint64), archive.array("actions", np.int32), archive.array("values", np.float64)
        )
    if not are_valid(pairs, game.actions(options)):
        raise CardgymError(f"{what}: its pairs are not sorted and of one length, or an action is none of {game.id}")
    return metadata, pairs


def are_valid(pairs: Pairs, num_actions: int) -> bool:
    """Whether the arrays are of one length, and sorted by key, with actions in range."""
    keys, actions, values = pairs
    if not len(keys) == len(actions) == len(values):
        return False
    return not len(keys) or bool((keys[1:] >= keys[:-1]).all() and actions.min() >= 0 and actions.max() < num_actions)

"""Tables as players, by a hash of the observation: action values, a Q-table, or probabilities, a mixed strategy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Game, Options
from cardgym.engine.declarations import checkpoint_metadata
from cardgym.engine.rules import hash_of, mix
from cardgym.errors import CardgymError, of_kind, one_of, path_of
from cardgym.files.tensors import Layout, read_tensors, write_tensors
from cardgym.players.base import Actions, Masks, Observations, Player
from cardgym.players.checks import check_setting
from cardgym.players.compatibility import PlayerMetadata, check_compatible

Q_TABLE, STRATEGY = "cardgym-q-table-1", "cardgym-strategy-1"


class _Metadata(PlayerMetadata):
    format: Literal["cardgym-q-table-1", "cardgym-strategy-1"]


class Pairs(NamedTuple):
    """Pairs of observation and action, sorted by key and action.

    Attributes:
        keys: the hash of each pair's observation, (pairs,), uint64.
        actions: its action, (pairs,), int32.
        values: its action value or probability, (pairs,), float64.
    """

    keys: npt.NDArray[np.uint64]
    actions: npt.NDArray[np.int32]
    values: Float64s


@compiled
def _act(observations: Any, masks: Any, keys: Any, actions: Any, values: Any, out: Any) -> None:
    """Write the greedy action of each row to `out`; if no legal action was tried, the one that the hash picks."""
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

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """Return the legal action with the highest value among those tried, the first in a tie, (rows,) int64.

        If none was tried, the observation's hash picks a legal one, because always taking the first would be biased.
        """
        actions = np.empty(len(observations), np.int64)
        _act(np.ascontiguousarray(observations), masks, *self._pairs, actions)
        return actions


class StrategyPlayer(Player):
    """The player of a mixed strategy, `pairs` with probabilities; it samples, uniformly in unknown states."""

    samples = True

    def __init__(self, name: str, observation_name: str, pairs: Pairs) -> None:
        self.name = name
        self.observation_name = observation_name
        self.pairs = pairs

    def probabilities(self, observations: Observations, masks: Masks, temperature: float = 0.0) -> Float64s:
        """See `Player.probabilities`."""
        shares = np.zeros(masks.shape)
        _look_up(np.ascontiguousarray(observations), masks, *self.pairs, shares)
        return shares


@compiled
def _look_up(observations: Any, masks: Any, keys: Any, actions: Any, values: Any, shares: Any) -> None:
    for row in range(observations.shape[0]):
        key = hash_of(observations[row])
        place = np.searchsorted(keys, key)
        total = 0.0
        while place < keys.shape[0] and keys[place] == key:
            if masks[row, actions[place]]:
                shares[row, actions[place]] = values[place]
                total += values[place]
            place += 1
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[row, action] != 0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                shares[row, action] = shares[row, action] / total if total > 0.0 else 1.0 / legal


def save_q_table(
    path: Path,
    pairs: Pairs,
    game: Game,
    options: Options,
    observation_name: str,
    config: Mapping[str, Any] | None = None,
    *,
    form: str = Q_TABLE,
) -> None:
    """Write a Q-table, or pairs in another format, with the keys of `checkpoint_metadata` and `config`."""
    check_setting(game, options)
    one_of("form", form, (Q_TABLE, STRATEGY))
    of_kind("config", config, Mapping | None, "mappings and None")
    of_kind("pairs", pairs, Pairs, "Pairs")
    made_for = checkpoint_metadata(game, options, observation_name)
    write_tensors(path_of("path", path), {"format": form, **made_for, "config": dict(config or {})}, pairs._asdict())


save_strategy = partial(save_q_table, form=STRATEGY)
"""Writes the pairs of a mixed strategy; see `save_q_table`."""


def load_player(path: Path, game: Game, options: Options) -> QTablePlayer | StrategyPlayer:
    """Return the player of a table: greedy for a Q-table, sampling for a strategy.

    Raises:
        CardgymError: for a file that is missing, not a table of cardgym, or made for another game, options or
            observation.
    """
    check_setting(game, options)
    path = path_of("path", path)
    what = f"table {path}"

    def layout(metadata: _Metadata) -> Layout:
        check_compatible(what, metadata, game, options)
        return {"keys": (np.uint64, (None,)), "actions": (np.int32, (None,)), "values": (np.float64, (None,))}

    metadata, arrays = read_tensors(path, what, _Metadata, layout)
    pairs = Pairs(**arrays)
    if not _are_valid(pairs, game.actions(options)):
        raise CardgymError(f"{what}: its pairs are not sorted and of one length, or {game.id} lacks one of its actions")
    if metadata.format == Q_TABLE:
        return QTablePlayer(str(path), metadata.observation, pairs)
    if not (pairs.values >= 0).all():
        raise CardgymError(f"{what}: a probability is negative or not a number")
    return StrategyPlayer(str(path), metadata.observation, pairs)


def _are_valid(pairs: Pairs, num_actions: int) -> bool:
    """Whether the arrays are of one length, and sorted by key, with actions in range."""
    keys, actions, values = pairs
    if not len(keys) == len(actions) == len(values):
        return False
    return not len(keys) or bool((keys[1:] >= keys[:-1]).all() and actions.min() >= 0 and actions.max() < num_actions)

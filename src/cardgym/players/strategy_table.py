"""Mixed strategies as players: the probabilities of actions by a hash of the observation.

A file contains pairs of observation and action, as that of a Q-table does, with probabilities.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Game, Options
from cardgym.engine.rules import hash_of
from cardgym.errors import CardgymError
from cardgym.players import Masks, Observations, Player
from cardgym.players.compatibility import PlayerMetadata
from cardgym.players.q_table import Pairs, read_pairs, save_q_table

FORMAT = "cardgym-strategy-1"


class StrategyMetadata(PlayerMetadata):
    """What is saved with a strategy."""

    format: Literal["cardgym-strategy-1"]
    """`FORMAT`."""


class StrategyPlayer(Player):
    """The player of a mixed strategy, `pairs` with probabilities; it samples, uniformly in unknown states."""

    samples = True

    def __init__(self, name: str, observation_name: str, pairs: Pairs) -> None:
        self.name = name
        self.observation_name = observation_name
        self.pairs = pairs

    def probabilities(
        self, observations: Observations, masks: Masks, temperature: float = 0.0
    ) -> npt.NDArray[np.float64]:
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


save_strategy = partial(save_q_table, form=FORMAT)
"""Writes the pairs of a strategy; see `save_q_table`."""


def load_player(path: Path, game: Game, options: Options) -> StrategyPlayer:
    """The player of a strategy file.

    Raises:
        CardgymError: for a file that is missing, not a strategy of cardgym, or made for another game, options or
            observation.
    """
    what = f"strategy {path}"
    metadata, pairs = read_pairs(path, what, StrategyMetadata, game, options)
    if not (pairs.values >= 0).all():
        raise CardgymError(f"{what}: a probability is negative or not a number")
    return StrategyPlayer(str(path), metadata.observation, pairs)

"""Mixtures: players that play each game as one of several players, drawn at its start.

The equilibrium of a tournament is a mixture, and learners in a league train against one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym.engine.generator import draws_of, mix
from cardgym.engine.numba.cache import plain_function
from cardgym.errors import CardgymError
from cardgym.players.actions import Actions, Masks, Observations
from cardgym.players.base import Player

_STREAM = 0x9E3779B97F4A7C15 ^ 0x311C
"""The stream of mixtures' draws, apart from those of cards and of players' choices."""


@dataclass(eq=False)
class MixturePlayer(Player):
    """A player that draws one of several players for each game; made by `mixture`.

    Attributes:
        name: its name in reports.
        players: the players, none of them a mixture.
        weights: how likely each of them is, summing to 1.
    """

    name: str
    players: tuple[Player, ...]
    weights: tuple[float, ...]

    def act(self, observations: Observations, masks: Masks, draws: npt.NDArray[np.float64] | None = None) -> Actions:
        """See `Player.act`."""
        raise CardgymError(f"player {self.name} is another player in each game: seat it in a `SeatedBatch`")


def mixture(name: str, players: Sequence[Player], weights: Sequence[float]) -> MixturePlayer:
    """A mixture of players; only the proportions of the weights matter. Mixtures among the players are expanded.

    Raises:
        CardgymError: if no weight is above 0, or one is negative or not finite.
    """
    total = math.fsum(weights)
    if not 0.0 < total < math.inf or min(weights) < 0.0 or len(players) != len(weights):
        raise CardgymError(f"mixture {name}: give each player a weight from 0 up, and one of them a weight above 0")
    parts: dict[Player, float] = {}
    for player, weight in zip(players, weights, strict=True):
        within = (
            zip(player.players, player.weights, strict=True) if isinstance(player, MixturePlayer) else [(player, 1.0)]
        )
        for part, share in within:
            parts[part] = parts.get(part, 0.0) + weight / total * share
    return MixturePlayer(name, tuple(parts), tuple(parts.values()))


def drawn(
    player: MixturePlayer, keys: npt.NDArray[np.uint64], games: npt.NDArray[np.uint64], place: int
) -> npt.NDArray[np.int64]:
    """The index of the player that a mixture plays as in each game, (rows,), int64.

    A game's key and number decide it, with the mixture's place in the lineup, so the same deal meets the same player in
    every seating.
    """
    streams = plain_function(mix)(keys ^ np.uint64((_STREAM + place) % 2**64))
    bounds = np.cumsum(player.weights)[:-1]
    return np.searchsorted(bounds, draws_of(streams, games), side="right")

"""Players by weight: mixtures, which play each game as one of several players."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float64s, Int64s
from cardgym.engine.rules import GOLDEN, draws_of, mix
from cardgym.errors import CardgymError, of_kind, quoted, real_number
from cardgym.players.base import Actions, Masks, Observations, Player

_STREAM = int(GOLDEN) ^ 0x311C
"""The stream of mixtures' draws, apart from those of cards and of players' choices."""

_MOST = 1e100
"""The largest weight: sums of weights stay finite."""


def parse_weights(weights: Mapping[Any, float] | Sequence[str]) -> dict[Any, float]:
    """Players with their weights, from a mapping or from words such as `heuristic=0.7`; a name alone has weight 1.

    Only the proportions of the weights matter.

    Raises:
        CardgymError: for a word of another form, a weight that is negative or not finite, or if none is above 0.
    """
    if isinstance(weights, str | bytes) or not isinstance(weights, Mapping | Sequence):
        raise CardgymError(f"weights={quoted(weights)}: give a mapping from players to weights, or words like random=1")
    pairs = weights.items() if isinstance(weights, Mapping) else map(_pair, weights)
    parsed: dict[Any, float] = {}
    for player, weight in pairs:
        name = f"player {quoted(player)}, weight"
        weight = real_number(name, weight, 0.0, _MOST, f"numbers from 0 to {_MOST:g}")
        parsed[player] = parsed.get(player, 0.0) + weight
    if not any(parsed.values()):
        raise CardgymError("players by weight: name at least one with a weight above 0, such as random=1")
    return parsed


def _pair(word: str) -> tuple[str, float]:
    of_kind("player by weight", word, str, "words such as random=1")
    name, _, weight = (word if "=" in word else f"{word}=1").rpartition("=")
    try:
        return name, float(weight if name else "")
    except ValueError:
        raise CardgymError(f"player {quoted(word)}: write it as name=weight, such as random=0.7") from None


@dataclass(eq=False)
class MixturePlayer(Player):
    """A player that draws one of several players for each game; `mixture` makes it.

    Attributes:
        players: the players, none of them a mixture.
        weights: the probability of each of them.
    """

    name: str
    players: tuple[Player, ...]
    weights: tuple[float, ...]

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """See `Player.act`."""
        raise CardgymError(
            f"player {self.name} is a different player in each game: name it as an opponent, or pass it to "
            "env.unwrapped.player(...), which returns a function that chooses its action in an env"
        )


def mixture(name: str, players: Sequence[Player], weights: Sequence[float]) -> MixturePlayer:
    """Return a mixture of players; only the proportions of the weights matter. Mixtures among the players are expanded.

    Raises:
        CardgymError: if no weight is above 0, or one is negative or not finite.
    """
    of_kind("name", name, str, "texts")
    for kind, values in (("players", players), ("weights", weights)):
        of_kind(kind, values, (list, tuple), "lists and tuples")
    for player in players:
        of_kind("player", player, Player, "players, such as resolve returns them")
    are_real = all(isinstance(weight, Real) and not isinstance(weight, bool) for weight in weights)
    total = math.fsum(weights) if are_real and all(0.0 <= weight <= _MOST for weight in weights) else 0.0
    if not total or len(players) != len(weights):
        raise CardgymError(
            f"mixture {name}: give each player a weight from 0 up to {_MOST:g}, and one of them a weight above 0"
        )
    parts: dict[Player, float] = {}
    for player, weight in zip(players, weights, strict=True):
        within = (
            zip(player.players, player.weights, strict=True) if isinstance(player, MixturePlayer) else [(player, 1.0)]
        )
        for part, share in within:
            parts[part] = parts.get(part, 0.0) + weight / total * share
    return MixturePlayer(name, tuple(parts), tuple(parts.values()))


def drawn(player: MixturePlayer, keys: npt.NDArray[np.uint64], games: npt.NDArray[np.uint64], place: int) -> Int64s:
    """Return the index of the player as which a mixture plays in each game, (rows,), int64.

    It depends only on the game's key and number and the mixture's place in the lineup, so that the same deal meets the
    same player in every seating.
    """
    streams = inspect.unwrap(mix)(keys ^ np.uint64((_STREAM + place) % 2**64))
    bounds = np.cumsum(player.weights)[:-1]
    return np.searchsorted(bounds, draws_of(streams, games), side="right")

"""Opponents of a learner: named players, the learner itself, and earlier copies of it, drawn by weight."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import CALLER
from cardgym.errors import CardgymError
from cardgym.players import Player, PlayerSpec, resolve
from cardgym.players.mixtures import parse_weights

SELF = "self"
"""The opponent that is the learner as it is now; every seat it takes learns."""

SNAPSHOT = "snapshot"
"""The opponent that is an earlier copy of the learner; it does not learn."""


@dataclass(frozen=True)
class OpponentPool:
    """The opponents that may sit opposite a learner, each with its weight.

    Attributes:
        specs: players as `resolve` takes them, or the names `self` and `snapshot`.
        weights: a nonnegative number for each; only their proportions matter.
    """

    specs: tuple[PlayerSpec, ...]
    weights: tuple[float, ...]

    @classmethod
    def parse(cls, opponents: Sequence[str] | Mapping[PlayerSpec, float]) -> OpponentPool:
        """The pool of opponents by weight; see `parse_weights`."""
        weights = parse_weights(opponents)
        return cls(tuple(weights), tuple(weights.values()))

    @property
    def has_snapshots(self) -> bool:
        """Whether earlier copies of the learner are among the opponents."""
        return SNAPSHOT in self.specs

    def players(self, game: Game, options: Options) -> list[Player]:
        """The named players, in order: all opponents but `self` and `snapshot`."""
        named = [spec for spec in self.specs if spec not in (SELF, SNAPSHOT)]
        return [resolve(spec, game, options) for spec in named]

    def choices(self, named: Sequence[int], snapshots: Sequence[int] = ()) -> tuple[npt.NDArray[np.int32], list[float]]:
        """The policy numbers to draw from, (choices,), int32, and the weight of each; `CALLER` is `self`.

        `named` are the policy numbers of `players()`, in order. `snapshots` are those of the earlier copies, which come
        last and share the weight of `snapshot` equally.

        Raises:
            CardgymError: if `snapshot` is an opponent but there are no copies.
        """
        if self.has_snapshots and not snapshots:
            raise CardgymError(f"opponent {SNAPSHOT!r}: this learner keeps no copies of itself; use {SELF!r} or a name")
        remaining = iter(named)
        numbers: list[int] = []
        weights: list[float] = []
        for spec, weight in zip(self.specs, self.weights, strict=True):
            if spec != SNAPSHOT:
                numbers.append(CALLER if spec == SELF else next(remaining))
                weights.append(weight)
        of_snapshots = sum(weight for spec, weight in zip(self.specs, self.weights, strict=True) if spec == SNAPSHOT)
        numbers += snapshots
        weights += [of_snapshots / max(len(snapshots), 1)] * len(snapshots)
        return np.array(numbers, np.int32), weights


class Snapshots:
    """The last copies of a learner, as players that do not learn; each plays as the learner did when it was copied."""

    saved: ClassVar[tuple[str, ...]] = ("networks", "_taken")

    def __init__(self, learner: Any, count: int) -> None:
        self.players: list[Any] = [copy.deepcopy(learner) for _ in range(count)]
        for number, player in enumerate(self.players, 1):
            player.name = f"{SNAPSHOT} {number}"
            player.network.requires_grad_(False)
        self._taken = 0

    @property
    def networks(self) -> tuple[Any, ...]:
        """The network of each copy."""
        return tuple(player.network for player in self.players)

    def take(self, learner: Any) -> None:
        """Replace the oldest copy by the learner as it is now."""
        if self.players:
            oldest = self.players[self._taken % len(self.players)]
            oldest.network.load_state_dict(learner.network.state_dict())
            self._taken += 1

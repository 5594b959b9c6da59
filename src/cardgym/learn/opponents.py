"""Opponents of a learner: named players, the learner itself, and earlier copies of it, drawn by weight.

The weights may change along the training: `random=1@:0.2` is an opponent in its first fifth, `self=1@0.2:` in the rest.
"""

from __future__ import annotations

import copy
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import CALLER
from cardgym.errors import CardgymError, quoted
from cardgym.players import Player, PlayerSpec, resolve
from cardgym.players.mixtures import parse_weights

SELF = "self"
"""The opponent that is the learner as it is now; every seat it takes learns."""

SNAPSHOT = "snapshot"
"""The opponent that is an earlier copy of the learner; it does not learn."""


_SPAN = re.compile(r"(.+)@([-+.\deE]*):([-+.\deE]*)", re.DOTALL)
"""An opponent during a part of the training: `name=weight@from:to`, in shares of its length."""


@dataclass(frozen=True)
class OpponentPool:
    """The opponents that may sit opposite a learner, each with its weight in each phase of the training.

    Attributes:
        phases: for each phase the same opponents in the same order: players as `resolve` takes them, or the names
            `self` and `snapshot`, with nonnegative weights, of which only the proportions matter.
        starts: the step at which each phase starts, 0 first.
    """

    phases: tuple[dict[PlayerSpec, float], ...]
    starts: tuple[int, ...] = (0,)

    @classmethod
    def parse(cls, opponents: Sequence[str] | Mapping[PlayerSpec, float], total_steps: int = 0) -> OpponentPool:
        """Get the pool of opponents by weight, and with `name=weight@from:to` by share of a training of `total_steps`.

        `from` is 0 and `to` is 1 where they are left out; see `parse_weights` for the rest.

        Raises:
            CardgymError: for a share outside 0 to 1, a part of the training without opponents, and a schedule without
                `total_steps`.
        """
        if isinstance(opponents, Mapping):
            return cls((parse_weights(opponents),))
        spans = [_span(word) for word in opponents]
        shares = sorted({0.0, *(share for _, *span in spans for share in span if share < 1.0)})
        if len(shares) > 1 and not total_steps:
            raise CardgymError("opponents by share of the training: only a training with total_steps can have them")
        phases = []
        for start, end in zip(shares, [*shares[1:], 1.0], strict=True):
            now = [word for word, first, last in spans if first <= start < last]
            if not now and spans:
                raise CardgymError(f"opponents: none from {start:g} to {end:g} of the training; name one for that part")
            phases.append(parse_weights(now))
        every = dict.fromkeys((spec for phase in phases for spec in phase), 0.0)
        return cls(tuple(every | phase for phase in phases), tuple(round(share * total_steps) for share in shares))

    @property
    def specs(self) -> tuple[PlayerSpec, ...]:
        """All opponents, in order."""
        return tuple(self.phases[0])

    def phase(self, step: int) -> int:
        """Return the number of the phase at a step of the training."""
        return bisect_right(self.starts, step) - 1

    @property
    def has_snapshots(self) -> bool:
        """Whether earlier copies of the learner are among the opponents."""
        return SNAPSHOT in self.specs

    def players(self, game: Game, options: Options) -> list[Player]:
        """Return the named players, in order: all opponents but `self` and `snapshot`."""
        named = [spec for spec in self.specs if spec not in (SELF, SNAPSHOT)]
        return [resolve(spec, game, options) for spec in named]

    def choices(
        self, named: Sequence[int], snapshots: Sequence[int] = ()
    ) -> tuple[npt.NDArray[np.int32], list[list[float]]]:
        """Return the policy numbers to draw from, (choices,), int32, and for each phase the weight of each of them.

        `CALLER` is `self`. `named` are the policy numbers of `players()`, in order. `snapshots` are those of the
        earlier copies, which come last and share the weight of `snapshot` equally.

        Raises:
            CardgymError: if `snapshot` is an opponent but there are no copies.
        """
        if self.has_snapshots and not snapshots:
            raise CardgymError(f"opponent {SNAPSHOT!r}: this learner keeps no copies of itself; use {SELF!r} or a name")
        remaining = iter(named)
        numbers = [CALLER if spec == SELF else next(remaining) for spec in self.specs if spec != SNAPSHOT]
        phases = []
        for phase in self.phases:
            named_weights = [weight for spec, weight in phase.items() if spec != SNAPSHOT]
            phases.append([*named_weights, *[phase.get(SNAPSHOT, 0.0) / max(len(snapshots), 1)] * len(snapshots)])
        return np.array([*numbers, *snapshots], np.int32), phases


def _span(word: str) -> tuple[str, float, float]:
    """Return an opponent as `name=weight`, and the shares of the training between which it is one."""
    found = _SPAN.fullmatch(word)
    if found is None:
        return word, 0.0, 1.0
    opponent, *ends = found.groups()
    try:
        first, last = (float(end or default) for end, default in zip(ends, (0, 1), strict=True))
    except ValueError:
        first = last = -1.0
    if not 0.0 <= first < last <= 1.0:
        raise CardgymError(
            f"opponent {quoted(word)}: after @ write the shares of the training from which and up to which it is one, "
            "such as random=1@0:0.3"
        )
    return opponent, first, last


class Snapshots:
    """The last `count` copies of a learner, as players that do not learn; each plays as the learner did then."""

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

"""Ranges of deals: the unit of work of a tournament, the sums it returns, and their bootstrap."""

from __future__ import annotations

import functools
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cardgym.arena.match import Match, deals_at_once
from cardgym.arena.report import TotalsLayout
from cardgym.engine.contract import RETURN, Float64s, Game, Options
from cardgym.engine.registry import find
from cardgym.engine.rules import derive, draws_of
from cardgym.errors import CardgymError, printable
from cardgym.files.documents import Document
from cardgym.files.tensors import SUFFIX, read_tensors, write_tensors
from cardgym.players import Player, PlayerSpec, resolve
from cardgym.players.identity import player_digest

Sums = Float64s
"""Sums over deals, (1 + REPLICATES, 6): for each resample the number of deals, the wins of the first player and of the
second, and the first player's payoff and its square; and the largest payoff that a deal could have had (see
`cardgym.statistics.Moments.add`), which `joined` does not add up. Row 0 has every deal once."""

DEALS, WINS, LOSSES, PAYOFF, SQUARE, LARGEST = range(6)

_UNIT = 2.0**-16
"""Totals of a deal are rounded to multiples of this, so that their sums are exact in any order and on any processor.
Whole numbers, halves and quarters do not change."""

_MAX_SUM = 1e15
"""The largest sum; whole numbers up to this are exact."""

_RANGES = 8
"""Ranges of a match; a long match has more, because a range is played in parallel as a whole."""


@dataclass(frozen=True)
class Pairing:
    """Two players of a tournament, with their identities (see `Entrant`), and the deals they play.

    In a game of several seats the second player takes every other seat; in a game of one seat both play each deal. The
    payoff is `RETURN` or the name of one of the game's metrics.
    """

    env: str
    options: tuple[tuple[str, int | str], ...]
    first: PlayerSpec
    second: PlayerSpec
    payoff: str
    seed: int
    identities: tuple[str, str] = ("", "")


def ranges(deals: int, seatings: int) -> list[tuple[int, int]]:
    """Return the ranges of a match: the first deal and the number of deals of each. They depend on the match alone."""
    size = min(-(-deals // _RANGES), deals_at_once(seatings))
    return [(first, min(size, deals - first)) for first in range(0, deals, size)]


def play_range(pairing: Pairing, first: int, count: int) -> Sums:
    """Play the deals `first` to `first + count - 1` from every rotation of the players; the same sums on any worker.

    Raises:
        CardgymError: for an unknown player, and for an illegal action.
    """
    matches = _matches(pairing, count)
    totals = [np.concatenate(list(match.play(first, count))) for match in matches]
    seats = matches[0].layout.num_players
    columns = np.empty((count, SQUARE + 1))
    columns[:, DEALS] = 1.0
    if seats == 1:
        own, other = (_payoffs(matches[0].layout, part, pairing.payoff)[:, 0] for part in totals)
        largest = 2.0 * max(np.abs(own).max(), np.abs(other).max())
        columns[:, WINS] = (own > other) + 0.5 * (own == other)
        columns[:, LOSSES] = 1.0 - columns[:, WINS]
        columns[:, PAYOFF] = own - other
    else:
        layout, part = matches[0].layout, totals[0]
        scores = part[:, [layout.start(player) for player in range(seats)]]
        scores += (part[:, :1] - scores.sum(axis=1, keepdims=True)) / seats
        columns[:, WINS] = scores[:, 0]
        columns[:, LOSSES] = scores[:, 1:].sum(axis=1) / (seats - 1)
        payoffs = _payoffs(layout, part, pairing.payoff)
        columns[:, PAYOFF] = payoffs[:, 0] - payoffs.sum(axis=1) / seats
        all_largest = _payoffs(layout, matches[0].largest[None], pairing.payoff)[0]
        largest = (1.0 - 1.0 / seats) * all_largest[0] + all_largest[1:].sum() / seats
    columns[:, SQUARE] = columns[:, PAYOFF] ** 2
    columns = np.rint(columns / _UNIT) * _UNIT
    sums = weights(first, count) @ columns
    return np.column_stack([sums, np.full(len(sums), largest)])


def joined(some: Sums, others: Sums) -> Sums:
    """Return the sums over two sets of deals of a match."""
    sums = some + others
    sums[:, LARGEST] = np.maximum(some[:, LARGEST], others[:, LARGEST])
    return sums


def _payoffs(layout: TotalsLayout, totals: Float64s, payoff: str) -> Float64s:
    """Each player's payoff on each deal, (deals, num_players)."""
    offset = 1 if payoff == RETURN else 2 + layout.metrics.index(payoff)
    return totals[:, [layout.start(player) + offset for player in range(layout.num_players)]]


@functools.lru_cache(maxsize=4)
def _matches(pairing: Pairing, deals: int) -> tuple[Match, ...]:
    """Return the match of a pairing, which plays `deals` at once; in a game of one seat, one match for each player."""
    game = find(pairing.env)
    options = game.parse_options(dict(pairing.options))
    first, second = (
        _player(spec, game, options, identity)  # type: ignore[arg-type]  # Players can be hashed.
        for spec, identity in zip((pairing.first, pairing.second), pairing.identities, strict=True)
    )
    seats = options.num_players
    rosters: list[list[Player]] = [[first], [second]] if seats == 1 else [[first, *[second] * (seats - 1)]]
    return tuple(
        Match(game, options, roster, seed=pairing.seed, seatings=seats, deals_at_once=deals) for roster in rosters
    )


@functools.lru_cache(maxsize=64)
def _player(spec: Any, game: Game, options: Options, identity: str) -> Player:
    """Return the player with this identity, which changes with its file and the rules.

    Raises:
        CardgymError: if it has another one by now: its results would be kept as those of the earlier one.
    """
    player = resolve(spec, game, options)
    if isinstance(spec, str) and identity not in ("", player_digest(spec, game, options)):
        raise CardgymError(f"player {printable(spec)}: it or the rules changed meanwhile; play the tournament again")
    return player


# -- ranges on disk ---------------------------------------------------------------------------------------------------


_FORMAT = "cardgym-tournament-range-2"


class _Range(Document):
    format: Literal["cardgym-tournament-range-2"]


class RangeStore:
    """The ranges that a tournament has played, each in a file named by a digest of everything that determines its sums.

    Files are written atomically, so a tournament that was killed resumes from the ranges it finished.
    """

    def __init__(self, folder: Path, *, resume: bool = True) -> None:
        """Keep ranges in a folder.

        Raises:
            CardgymError: if the folder has ranges, and not `resume`.
        """
        self._folder = folder / "ranges"
        if not resume and any(self._folder.glob(f"*{SUFFIX}")):
            raise CardgymError(
                f"{folder}: has games already; add --resume to continue from them, or name another folder"
            )

    def load(self, pairing: Pairing, first: int, count: int) -> Sums | None:
        """Return the sums of a range; None if it was not played."""
        path = self._path(pairing, first, count)
        if not path.exists():
            return None
        _, arrays = read_tensors(path, f"range {path}", _Range, {"sums": (np.float64, (1 + REPLICATES, 6))})
        if np.abs(arrays["sums"]).max() > _MAX_SUM:
            raise CardgymError(f"range {path}: a sum is too large for games; delete the file to play the range again")
        return arrays["sums"]

    def save(self, pairing: Pairing, first: int, count: int, sums: Sums) -> None:
        """Keep the sums of a range."""
        write_tensors(self._path(pairing, first, count), {"format": _FORMAT}, {"sums": sums})

    def _path(self, pairing: Pairing, first: int, count: int) -> Path:
        facts = (pairing.env, pairing.options, pairing.identities, pairing.payoff, pairing.seed, first, count)
        text = repr((_FORMAT, *facts))
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}{SUFFIX}"


REPLICATES = 400
"""The number of resamples. The standard error of an interval's width is then about 4 % of the width."""

_STREAM = np.uint64(0xB0075)
_CUMULATIVE = np.cumsum([math.exp(-1.0) / math.factorial(count) for count in range(20)])


def weights(first: int, count: int) -> Float64s:
    """How many times each deal is in each resample, (1 + REPLICATES, count), float64; row 0 has every deal once.

    A count is drawn from Poisson(1) with the numbers of the deal, from `first` on, and of the resample as its seed. So
    sums over ranges of deals add up to sums over all deals, and all matches on the same deals are resampled together
    (Chamandy et al., "Estimating uncertainty for massive data streams", Google 2012; Hanley and MacGibbon, "Creating
    non-parametric bootstrap samples using Poisson frequencies", 2006).
    """
    return np.concatenate([np.ones((1, count)), _counts(first, count)])


@functools.lru_cache(maxsize=64)  # At most a megabyte each; all matches have the same ranges.
def _counts(first: int, count: int) -> npt.NDArray[np.uint8]:
    deals = np.arange(first, first + count, dtype=np.uint64)
    keys = np.array([derive(_STREAM, number) for number in np.arange(REPLICATES, dtype=np.uint64)], np.uint64)
    draws = draws_of(keys[:, None], deals[None, :])
    return np.searchsorted(_CUMULATIVE, draws, side="right").astype(np.uint8)

"""Measure cribbage's players: points a deal, wins, the first dealer's share of wins.

Run `python research/cribbage_points.py`.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

import cardgym
from cardgym.console.tables import with_interval
from cardgym.engine.batch import Batch
from cardgym.engine.kernel import RESET
from cardgym.games.cribbage.state import CRIB, DEALER_HAND, DEALER_PEGGING, HEELS, PONE_HAND, PONE_PEGGING
from cardgym.statistics import mean_estimate

PARTS = ("pone pegging", "pone hand", "dealer pegging", "dealer hand", "crib", "heels")


def play(players: tuple[str, str], games: int, seed: int, seat: int = 0, **options: int) -> npt.NDArray[np.void]:
    """The final states of games in which the first player has `seat`; the same seed deals the same cards."""
    game = cardgym.find("Cribbage-v0")
    batch = Batch(game, game.parse_options(options), games, players=game.players)
    batch.plain_rows["key"] = np.random.default_rng(seed).integers(0, 2**63, games, dtype=np.uint64)
    batch.plain_rows["requested_seat"] = seat
    for place, name in enumerate(players):
        batch.plain_rows["lineup"][:, place] = batch.kernel.players.index(name)
    batch.step(0, RESET, *batch.new_outputs())
    return batch.plain_states


def interval(values: npt.NDArray[np.float64]) -> str:
    """A mean with its 95 % interval."""
    return with_interval(*mean_estimate(values), ".4f")


def measure_points(name: str, deals: int, seed: int) -> None:
    """Points of single deals of a player against itself."""
    states = play((name, name), deals, seed, deals=1)
    rows, dealer = np.arange(deals), states["dealer"]
    tally = states["tally"].astype(float)
    pone_kinds, dealer_kinds = [PONE_PEGGING, PONE_HAND], [DEALER_PEGGING, DEALER_HAND, CRIB, HEELS]
    parts = [*tally[rows, 1 - dealer][:, pone_kinds].T, *tally[rows, dealer][:, dealer_kinds].T]
    listing = ", ".join(f"{part} {values.mean():.3f}" for part, values in zip(PARTS, parts, strict=True))
    pone_points, dealer_points = parts[0] + parts[1], sum(parts[2:])
    print(f"{name}: pone {interval(pone_points)}, dealer {interval(dealer_points)}; {listing}")


def measure_wins(name: str, other: str, games: int, seed: int) -> None:
    """The share of games that the first player wins; each deal is played from both seats."""
    both = [play((name, other), games, seed, seat)["scores"] for seat in range(2)]
    won = np.mean([scores[:, seat] > scores[:, 1 - seat] for seat, scores in enumerate(both)], axis=0)
    print(f"{name} against {other}: {interval(won)} of {2 * games} games")


def measure_first_dealer(name: str, games: int, seed: int) -> None:
    """The share of games that the first dealer wins."""
    states = play((name, name), games, seed)
    first = (states["cuts"][:, 0] % 13 > states["cuts"][:, 1] % 13).astype(int)
    won = states["scores"][np.arange(games), first] >= 121
    print(f"{name} against itself: the first dealer wins {interval(won.astype(float))} of {games} games")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--deals", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name in ("random", "greedy", "expert"):
        measure_points(name, args.deals, args.seed)
        measure_first_dealer(name, args.games, args.seed + 1)
    for pair in (("greedy", "random"), ("expert", "random"), ("expert", "greedy")):
        measure_wins(*pair, args.games, args.seed + 2)


if __name__ == "__main__":
    main()

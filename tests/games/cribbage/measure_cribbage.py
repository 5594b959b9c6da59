"""Measure cribbage's players: points a deal, wins, first dealer's share: `python benchmarks/measure_cribbage.py`."""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

import cardgym
from cardgym.engine.batch import Batch
from cardgym.engine.kernel import RESET

PARTS = ("pone pegging", "pone hand", "dealer pegging", "dealer hand", "crib", "heels")


def play(players: tuple[str, str], games: int, seed: int, seat: int = 0, **options: int) -> npt.NDArray[np.void]:
    """The final states of games in which `players` sit from `seat` on; the same deals for the same seed."""
    game = cardgym.find("Cribbage-v0")
    batch = Batch(game, game.options.parse(options), games, players=game.players)
    batch.plain_rows["key"] = np.random.default_rng(seed).integers(0, 2**63, games, dtype=np.uint64)
    batch.plain_rows["requested_seat"] = seat
    for place, name in enumerate(players):
        batch.plain_rows["lineup"][:, place] = batch.kernel.policy_number(name)
    batch.step(0, RESET, *batch.new_outputs())
    return batch.plain_states


def interval(values: npt.NDArray[np.float64]) -> str:
    """A mean with its 95 % interval."""
    half = 1.96 * values.std() / np.sqrt(len(values))
    return f"{values.mean():.4f} [{values.mean() - half:.4f}, {values.mean() + half:.4f}]"


def measure_points(name: str, deals: int, seed: int) -> None:
    """Points of single deals of a player against itself."""
    states = play((name, name), deals, seed, deals=1)
    rows, dealer = np.arange(deals), states["dealer"]
    tally = states["tally"].astype(float)
    parts = [*tally[rows, 1 - dealer, :2].T, *tally[rows, dealer, 2:].T]
    listing = ", ".join(f"{part} {values.mean():.3f}" for part, values in zip(PARTS, parts, strict=True))
    pone, dealt = parts[0] + parts[1], sum(parts[2:])
    print(f"{name}: pone {interval(pone)}, dealer {interval(dealt)}; {listing}")


def measure_wins(name: str, other: str, games: int, seed: int) -> None:
    """Share of games won, each deal played with the seats swapped too."""
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

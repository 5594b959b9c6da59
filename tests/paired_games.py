"""Games that players took from both seats on the same deals, from which tests draw matches of a few deals.

    python tests/paired_games.py    make tests/paired_games.npz anew, and print how often intervals cover (1 minute)

`paired_games.npz` has an array for each match, named `ID first second`, (deals, 2, 3) int16: for both games of a deal
the maximum score, the first player's score and its return.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.arena.match import Match, deals_at_once
from cardgym.engine.registry import find
from cardgym.players import resolve_all
from cardgym.statistics import Moments

FILE = Path(__file__).with_suffix(".npz")
MATCHES = (
    "KuhnPoker-v0 random honest", "KuhnPoker-v0 random equilibrium", "CorellianSpike-v0 heuristic random",
    "CorellianSpike-v0 ppo heuristic", "Coda-v0 random heuristic", "Coda-v0 bayes heuristic",
    "Cribbage-v0 random greedy", "Cribbage-v0 greedy expert",
)  # fmt: skip
DEALS, SEED = 2000, 7
SIZES = (4, 10, 50, 400)
"""The games of the matches drawn."""


def coverage(games: npt.NDArray[np.int16], size: int, *, draws: int = 1000, seed: int = 1) -> tuple[float, float]:
    """How many of `draws` intervals of matches of `size` games have the true mean return, and the true win rate."""
    totals = games.sum(axis=1, dtype=np.float64)
    largest = 2.0 * np.abs(games).max(axis=1)
    _, wins, returns = totals.sum(axis=0)
    truth = returns / len(games) / 2, wins / totals[:, 0].sum()
    drawn = np.random.default_rng(seed).integers(0, len(games), (draws, size // 2))
    covered = np.zeros(2)
    for deals in drawn:
        moments = Moments(3)
        moments.add(totals[deals], largest[deals].max(axis=0))
        intervals = moments.mean(np.array([0.0, 0.0, 0.5])).interval, moments.share(1, 0).interval
        covered += [low - 1e-9 <= true <= high + 1e-9 for (low, high), true in zip(intervals, truth, strict=True)]
    mean, share = covered / draws
    return float(mean), float(share)


def _played(match: str) -> npt.NDArray[np.int16]:
    env, *players = match.split()
    game = find(env)
    options = game.parse_options()
    totals = []
    for seatings in (2, 1):  # Both games of each deal together, and the first alone.
        roster, at_once = resolve_all(players, game, options), deals_at_once(seatings)
        played = Match(game, options, roster, seed=SEED, seatings=seatings, deals_at_once=at_once)
        start = played.layout.start(0)
        totals.append(np.concatenate(list(played.play(0, DEALS)))[:, [0, start, start + 1]])
    return np.stack([totals[1], totals[0] - totals[1]], axis=1).astype(np.int16)


def main() -> None:
    """Make the file, and print the coverage of each statistic."""
    games = {match: _played(match) for match in MATCHES}
    np.savez_compressed(FILE, allow_pickle=False, **games)
    for match, one in games.items():
        figures = (coverage(one, size) for size in SIZES)
        print(f"{match:38}", *(f"{mean:.3f} {share:.3f} " for mean, share in figures))


if __name__ == "__main__":
    main()

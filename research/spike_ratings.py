"""Elo points of Corellian Spike's players by games: the player that gains more credits in ten hands wins.

The leaderboard rates hands; a person's record counts games. `python research/spike_ratings.py` prints what
`src/cardgym/games/corellian_spike/measured.toml` has under `ratings`.
"""

from __future__ import annotations

import itertools

import numpy as np

import cardgym
from cardgym.arena.tournament.standings import bradley_terry
from cardgym.engine.kernel import RESET
from cardgym.players import resolve
from cardgym.players.seats import SeatedBatch

NAMES = ("random", "initial", "heuristic", "dqn", "double_dqn", "ppo")
DEALS = 1000


def main() -> None:
    game = cardgym.find("CorellianSpike-v0")
    options = game.parse_options()
    players = [resolve(name, game, options) for name in NAMES]
    wins = np.zeros((len(players), len(players)))
    for one, other in itertools.combinations(range(len(players)), 2):
        for first, second in ((one, other), (other, one)):  # The same deals from both seats.
            played = SeatedBatch(game, options, DEALS, [players[first], players[second]])
            played.seat(played.numbers)
            played.seed(np.arange(1, DEALS + 1, dtype=np.uint64))
            played.step(0, RESET)
            gained = played.paid[:, 0] - played.paid[:, 1]
            wins[first, second] += (gained > 0).sum() + 0.5 * (gained == 0).sum()
            wins[second, first] += (gained < 0).sum() + 0.5 * (gained == 0).sum()
    for name, rating in zip(NAMES, bradley_terry(wins), strict=True):
        print(f'"{name}": {rating:.0f},')


if __name__ == "__main__":
    main()

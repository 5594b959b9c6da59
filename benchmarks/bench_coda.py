"""Speed of Coda on one core: decisions through a batch's step, and games of compiled players.

`python benchmarks/bench_coda.py` prints one line a figure; run it on an idle machine.
"""

from __future__ import annotations

import time

import numpy as np

from cardgym.batch import Batch
from cardgym.kernel import ACTING, STARTING
from cardgym.players.base import CompiledPlayer
from cardgym.players.played import PlayedBatch, game_keys
from cardgym.registry import find, parse_options

ROWS = 1024
SECONDS = 2.0


def decisions_per_second(game_id: str, encoding: str) -> float:
    """Both seats random and legal, chosen outside: mask and observation are written for every decision."""
    game = find(game_id)
    batch = Batch(game, parse_options(game, {}), ROWS, encoding)
    rows = batch.plain_rows
    rows["key"] = game_keys(1, ROWS)
    observations, masks = batch.new_outputs()
    batch.step(0, STARTING, observations, masks)
    noise = np.random.default_rng(1)
    spent, start = 0.0, int(rows["decisions"].sum())
    while spent < SECONDS:
        # The choice among legal actions is not the env's work: it is left out of the time.
        actions = np.where(masks != 0, noise.random(masks.shape, np.float32), -1.0).argmax(axis=1)
        activity = np.where(rows["asked"] == 0, STARTING, ACTING).astype(np.uint8)
        before = time.perf_counter()
        batch.step(actions, activity, observations, masks)
        spent += time.perf_counter() - before
    return (int(rows["decisions"].sum()) - start) / spent


def games_per_second(game_id: str, first: str, second: str) -> float:
    """Whole games of two compiled players."""
    game = find(game_id)
    options = parse_options(game, {})
    table = PlayedBatch(game, options, ROWS, [CompiledPlayer(first), CompiledPlayer(second)])
    table.seat(table.numbers)
    table.seed(game_keys(1, ROWS))
    starts = np.zeros(ROWS, np.int64), np.full(ROWS, STARTING, np.uint8)
    table.step(*starts)
    begun = time.perf_counter()
    batches = 0
    while time.perf_counter() - begun < SECONDS:
        table.step(*starts)
        batches += 1
    return batches * ROWS / (time.perf_counter() - begun)


def main() -> None:
    for game_id in ("Coda-v0", "CodaOfficial-v0"):
        for encoding in ("full", "paper", "beliefs"):
            rate = decisions_per_second(game_id, encoding)
            print(f"{game_id:16} N={ROWS} obs={encoding:8} {rate / 1e6:6.2f} M decisions/s", flush=True)
        for first, second in (("heuristic", "random"), ("bayes", "random"), ("bayes", "bayes")):
            rate = games_per_second(game_id, first, second)
            print(f"{game_id:16} {first} against {second}: {rate:10,.0f} games/s", flush=True)


if __name__ == "__main__":
    main()

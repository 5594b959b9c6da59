"""Speed of Coda on one core: the vector env, games of compiled players, and the paper's training of a network.

`python benchmarks/bench_coda.py [--networks]` prints one line a figure, the best of three tries, by processor time:
on a machine that is shared wall time tells more of the others.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium
import numpy as np

import cardgym  # noqa: F401  (registers the games)
from cardgym.engine.kernel import RESET
from cardgym.engine.registry import find
from cardgym.engine.sampling import LegalSampler
from cardgym.players.base import CompiledPlayer
from cardgym.players.seating import SeatedBatch, game_keys

ROWS = 1024
SECONDS = 1.5
TRIES = 3


def decisions_per_second(game_id: str, observation_name: str) -> tuple[float, float]:
    """Through `step` of a vector env whose every seat is played by the caller, random and legal.

    Mask and observation are made anew for every decision. First with the drawing of actions left out of the time, for
    that is its user's work; then with `LegalSampler` in it.
    """
    env: Any = gymnasium.make_vec(game_id, num_envs=ROWS, seat="all", obs=observation_name)
    sampler = LegalSampler(1)
    _, info = env.reset(seed=1)
    best = [0.0, 0.0]
    for _ in range(TRIES):
        inside = outside = 0.0
        decisions = 0
        while inside + outside < SECONDS:
            begun = time.process_time()
            actions = sampler(info["action_mask"])
            drawn = time.process_time()
            decisions += int(np.count_nonzero(info["seat"] >= 0))  # The others start their next game.
            before = time.process_time()
            info = env.step(actions)[4]
            inside += time.process_time() - before
            outside += drawn - begun
        best = [max(best[0], decisions / inside), max(best[1], decisions / (inside + outside))]
    return best[0], best[1]


def games_per_second(game_id: str, first: str, second: str) -> float:
    """Whole games of two compiled players."""
    game = find(game_id)
    options = game.parse_options()
    table = SeatedBatch(game, options, ROWS, [CompiledPlayer(first), CompiledPlayer(second)], "paper")
    table.seat(table.numbers)
    table.seed(game_keys(1, ROWS))
    starts = np.zeros(ROWS, np.int64), np.full(ROWS, RESET, np.uint8)
    table.step(*starts)
    best = 0.0
    for _ in range(TRIES):
        begun = time.process_time()
        batches = 0
        while time.process_time() - begun < SECONDS:
            table.step(*starts)
            batches += 1
        best = max(best, batches * ROWS / (time.process_time() - begun))
    return best


def networks() -> None:
    """The paper's 2,000 training games; 25 s and 128 s there at batch 32 and 128."""
    from cardgym.games.coda.paper.networks import Budget, train_network

    train_network(Budget(games=100))
    for double in (True, False):
        for batch_size in (32, 128):
            runs = [train_network(Budget(double, batch_size=batch_size)) for _ in range(TRIES)]
            run = min(runs, key=lambda run: run.seconds)
            print(
                f"{'double DQN' if double else 'DQN':10}, 2,000 games, batch {batch_size:3}: {run.seconds:5.1f} s, "
                f"{run.decisions:,} decisions, {len(run.losses):,} updates",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--networks", action="store_true", help="the paper's training of a network, minutes of it")
    if parser.parse_args().networks:
        networks()
        return
    for game_id in ("Coda-v0", "CodaOfficial-v0"):
        for observation_name in ("full", "paper", "beliefs"):
            rate, sampled = decisions_per_second(game_id, observation_name)
            print(
                f"{game_id:16} vector env, N={ROWS} obs={encoding:8} {rate / 1e6:6.2f} M decisions/s, "
                f"{sampled / 1e6:.2f} M with the drawing of actions",
                flush=True,
            )
        for first, second in (("heuristic", "random"), ("bayes", "random"), ("bayes", "bayes")):
            rate = games_per_second(game_id, first, second)
            print(f"{game_id:16} {first} against {second}: {rate:10,.0f} games/s", flush=True)


if __name__ == "__main__":
    main()

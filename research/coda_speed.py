"""Speed of Coda on one core: the vector env, games of compiled players, and the paper's training of a network.

`python research/coda_speed.py [--networks]` prints one line for each figure: the best of three tries, in processor
time, because wall-clock time depends on the machine's other load.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import cardgym  # noqa: F401  (registers the games)
from cardgym.engine.batch import LegalSampler
from cardgym.engine.kernel import RESET
from cardgym.engine.registry import find
from cardgym.players import CompiledPlayer
from cardgym.players.seats import SeatedBatch, game_keys

NUM_ENVS = 1024
SECONDS = 1.5
TRIES = 3


def decisions_per_second(game_id: str, observation_name: str) -> tuple[float, float]:
    """Decisions through `step` of a vector env in which the caller plays all seats, at random.

    Returns:
        The rate without the time for sampling actions, which is the caller's work, and the rate with it, by
        `LegalSampler`.
    """
    env: Any = gymnasium.make_vec(game_id, num_envs=NUM_ENVS, seat="all", obs=observation_name)
    sampler = LegalSampler(1)
    _, info = env.reset(seed=1)
    best = [0.0, 0.0]
    for _ in range(TRIES):
        in_step = in_sampler = 0.0
        decisions = 0
        while in_step + in_sampler < SECONDS:
            start = time.process_time()
            actions = sampler(info["action_mask"])
            sampled = time.process_time()
            decisions += int(np.count_nonzero(info["seat"] >= 0))  # The other envs start their next game.
            before = time.process_time()
            info = env.step(actions)[4]
            in_step += time.process_time() - before
            in_sampler += sampled - start
        best = [max(best[0], decisions / in_step), max(best[1], decisions / (in_step + in_sampler))]
    return best[0], best[1]


def games_per_second(game_id: str, first: str, second: str) -> float:
    """Whole games of two compiled players."""
    game = find(game_id)
    options = game.parse_options()
    seated = SeatedBatch(game, options, NUM_ENVS, [CompiledPlayer(first), CompiledPlayer(second)], "paper")
    seated.seat(seated.numbers)
    seated.seed(game_keys(1, NUM_ENVS))
    starts = np.zeros(NUM_ENVS, np.int64), np.full(NUM_ENVS, RESET, np.uint8)
    seated.step(*starts)
    best = 0.0
    for _ in range(TRIES):
        start = time.process_time()
        batches = 0
        while time.process_time() - start < SECONDS:
            seated.step(*starts)
            batches += 1
        best = max(best, batches * NUM_ENVS / (time.process_time() - start))
    return best


def bench_networks() -> None:
    """The paper's 2,000 training games, which took 25 s and 128 s there at batch sizes 32 and 128."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "papers" / "coda"))
    from coda_networks import Budget, train_network

    train_network(Budget(games=100))
    for double in (True, False):
        for batch_size in (32, 128):
            runs = [train_network(Budget(double, batch_size=batch_size)) for _ in range(TRIES)]
            run = min(runs, key=lambda run: run.seconds)
            print(
                f"{run.player.name:10}, 2,000 games, batch {batch_size:3}: {run.seconds:5.1f} s, "
                f"{run.decisions:,} decisions, {len(run.losses):,} updates",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--networks", action="store_true", help="measure the paper's training of a network instead, for minutes"
    )
    if parser.parse_args().networks:
        bench_networks()
        return
    for game_id in ("Coda-v0", "CodaOfficial-v0"):
        for observation_name in ("full", "paper", "beliefs"):
            rate, sampled = decisions_per_second(game_id, observation_name)
            print(
                f"{game_id:16} vector env, N={NUM_ENVS} obs={observation_name:8} {rate / 1e6:6.2f} M decisions/s, "
                f"{sampled / 1e6:.2f} M including the sampling of actions",
                flush=True,
            )
        for first, second in (("heuristic", "random"), ("bayes", "random"), ("bayes", "bayes")):
            rate = games_per_second(game_id, first, second)
            print(f"{game_id:16} {first} against {second}: {rate:10,.0f} games/s", flush=True)


if __name__ == "__main__":
    main()

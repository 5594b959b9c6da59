"""CorellianSpike-v0 compared with what you would use instead, on one core: `python benchmarks/compare.py`.

The two sides of a pair are measured in turns, so that other load on the machine slows both alike; the ratios of the
turns are printed with their spread. Only decisions of players are counted, on both sides.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np

from cardgym.cli.bench import VECTOR_ROWS, compile_first, machine, single_env, training, vector_env

GAME = "CorellianSpike-v0"
SCRIPT = Path(__file__).parent.parent / "train" / "dqn.py"


def blackjack_vector(seconds: float) -> float:
    """Gymnasium's Blackjack-v1, 64 envs in its SyncVectorEnv, random actions."""
    env = gymnasium.make_vec("Blackjack-v1", num_envs=64, vectorization_mode="sync")
    generator = np.random.default_rng(0)
    env.reset(seed=0)
    decisions, over = 0, np.zeros(64, bool)
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        decisions += int(np.count_nonzero(~over))  # The step after the end resets the env; it is no decision.
        _, _, over, _, _ = env.step(generator.integers(0, 2, 64))
    return decisions / (time.perf_counter() - start)


def blackjack_single(seconds: float) -> float:
    """Gymnasium's Blackjack-v1 through `gymnasium.make`, random actions."""
    env = gymnasium.make("Blackjack-v1")
    actions = np.random.default_rng(0).integers(0, 2, 1 << 14).tolist()
    env.reset(seed=0)
    decisions = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for action in actions:
            if env.step(action)[2]:
                env.reset()
        decisions += len(actions)
    return decisions / (time.perf_counter() - start)


def openspiel_leduc(seconds: float) -> float:
    """OpenSpiel's leduc_poker, bare states without observations, random legal actions."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    chooser = random.Random(0)
    decisions = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(chooser.choice(state.legal_actions()))
    return decisions / (time.perf_counter() - start)


def sb3_dqn(decisions: int) -> float:
    """stable-baselines3's DQN on the same game: 8 envs, batch 32, an update every 8 decisions, one thread."""
    import torch
    from stable_baselines3 import DQN
    from stable_baselines3.common.env_util import make_vec_env

    torch.set_num_threads(1)
    env = make_vec_env(GAME, n_envs=8, env_kwargs={"illegal_action": "random"})
    model = DQN("MlpPolicy", env, batch_size=32, train_freq=1, gradient_steps=1, learning_starts=1000, seed=0)
    start = time.perf_counter()
    model.learn(decisions)
    return decisions / (time.perf_counter() - start)


def main() -> None:
    """Measure the pairs and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=5, metavar="N", help="how often to measure each side (5)")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="how long to step an env each time (2)")
    parser.add_argument(
        "--decisions", type=int, default=400_000, metavar="N", help="decisions of a training; a 20th for the other side"
    )
    arguments = parser.parse_args()
    seconds, steps = arguments.seconds, arguments.decisions
    described = machine()  # Before this process is bound to one core.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    vector = f"vector env, {VECTOR_ROWS} rows, mask and observation"
    train = "double DQN, batch 512, an update every 256 decisions"
    pairs: list[tuple[str, Callable[[], float], str, Callable[[], float]]] = [
        (vector, lambda: vector_env(GAME, seconds), "Blackjack-v1, 64 envs, sync", lambda: blackjack_vector(seconds)),
        (vector, lambda: vector_env(GAME, seconds), "OpenSpiel leduc_poker, bare", lambda: openspiel_leduc(seconds)),
        ("single env", lambda: single_env(GAME, seconds), "Blackjack-v1", lambda: blackjack_single(seconds)),
        (
            train,
            lambda: training(GAME, SCRIPT, steps),
            "stable-baselines3 DQN, same game",
            lambda: sb3_dqn(steps // 20),
        ),
    ]
    compile_first(GAME)
    print(f"{described}, one of them used; medians of {arguments.turns} turns, ratio [lowest, highest]\n")
    print("| cardgym | decisions/s | instead | decisions/s | ratio |\n|---|---|---|---|---|")
    for ours, run, theirs, run_theirs in pairs:
        turns = [(run(), run_theirs()) for _ in range(arguments.turns)]
        ratios = [one / other for one, other in turns]
        mine, others = (statistics.median(column) for column in zip(*turns, strict=True))
        spread = f"{statistics.median(ratios):,.1f} [{min(ratios):,.1f}, {max(ratios):,.1f}]"
        print(f"| {ours} | {mine:,.0f} | {theirs} | {others:,.0f} | {spread} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

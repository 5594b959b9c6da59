"""Compare the speed of cribbage with OpenSpiel's: `python research/cribbage_speed.py [--json]`.

A decision is a card played or two cards tossed, by players who choose uniformly among the legal actions. Forced cards
count for both. OpenSpiel's "pass", which is not an action in cardgym, counts only in its second figure. All times are
processor time, so that other load on the machine matters little.
"""

from __future__ import annotations

import argparse
import json
import random
import time

import gymnasium
import numpy as np

import cardgym  # noqa: F401
from cardgym.engine.batch import LegalSampler
from cardgym.engine.compilation import compiled
from cardgym.files.shipped import import_script
from cardgym.games.cribbage.scoring import score_hand

PASS = 2756
lookup = import_script("papers/cribbage/cribbage_lookup.py").lookup
build_arrays = import_script("papers/cribbage/cribbage_statistics_arrays.py").build_arrays


@compiled
def score_many(hands, starters, rounds):
    """The sum of the points of all hands, `rounds` times."""
    total = 0
    for _ in range(rounds):
        for row in range(hands.shape[0]):
            total += score_hand(hands[row], starters[row])
    return total


@compiled
def look_up_many(arrays, hands, out):
    """Look up the statistics of all hands."""
    for row in range(hands.shape[0]):
        lookup(arrays, hands[row], out)


def time_vector(num_envs: int, seconds: float) -> float:
    """Decisions a second of a vector env, which writes a mask and an observation for each."""
    env = gymnasium.make_vec("Cribbage-v0", num_envs=num_envs, seat="all")
    _, info = env.reset(seed=1)
    sampler = LegalSampler(7)
    *_, info = env.step(sampler(info["action_mask"]))
    over = np.zeros(num_envs, np.bool_)
    decisions, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        actions = sampler(info["action_mask"])
        decisions += num_envs - int(over.sum())  # A step after the end of a game only starts the next one.
        _, _, over, _, info = env.step(actions)
    env.close()
    return decisions / spent


def time_open_spiel(seconds: float) -> tuple[float, float]:
    """Decisions a second of OpenSpiel's Python state, without and with passes."""
    import pyspiel

    game, rng = pyspiel.load_game("cribbage"), random.Random(1)
    decisions, passes, start = 0, 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            action = rng.choice(state.legal_actions())
            if not state.is_chance_node():
                decisions += 1
                passes += action == PASS
            state.apply_action(action)
    return (decisions - passes) / spent, decisions / spent


def time_scoring() -> float:
    """Hands scored a second."""
    rng = np.random.default_rng(1)
    cards = np.argsort(rng.random((20_000, 52)), axis=1)[:, :5].astype(np.int8)
    hands, starters = np.ascontiguousarray(cards[:, :4]), np.ascontiguousarray(cards[:, 4])
    score_many(hands, starters, 1)
    start = time.process_time()
    score_many(hands, starters, 500)
    return 500 * len(hands) / (time.process_time() - start)


def time_lookup() -> float:
    """Random hands looked up per second, each with eight statistics of 15 tosses."""
    rng = np.random.default_rng(1)
    hands = np.sort(np.argsort(rng.random((100_000, 52)), axis=1)[:, :6], axis=1).astype(np.int8)
    arrays, out = build_arrays(), np.zeros((15, 8), np.int32)
    look_up_many(arrays, hands[:10], out)
    start = time.process_time()
    look_up_many(arrays, hands, out)
    return len(hands) / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each of the three measurements")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    time_vector(args.num_envs, 0.1)  # Compiles.
    # Alternate, so that other load on the machine slows both equally; the best of each counts.
    rounds = [(time_vector(args.num_envs, args.seconds), *time_open_spiel(args.seconds)) for _ in range(3)]
    ours, theirs, with_passes = (max(figures) for figures in zip(*rounds, strict=True))
    figures = {
        "vector_decisions_per_second": ours,
        "open_spiel_decisions_per_second": theirs,
        "open_spiel_with_passes_per_second": with_passes,
        "ratio": ours / theirs,
        "ratio_with_passes": ours / with_passes,
        "hands_scored_per_second": time_scoring(),
        "hands_looked_up_per_second": time_lookup(),
    }
    if args.json:
        print(json.dumps(figures))
    else:
        for name, figure in figures.items():
            print(f"{name:<36} {figure:>16,.1f}")


if __name__ == "__main__":
    main()

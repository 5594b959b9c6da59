"""Fit the action model of the observation `belief` to a checkpoint's actions in self-play.

Run `python research/spike_belief_model.py`; it prints the tables of `cardgym.games.corellian_spike.belief`.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

import cardgym
from cardgym.engine.declarations import offsets
from cardgym.games.corellian_spike.belief import SIZES
from cardgym.games.corellian_spike.state import BUY, DISCARD, FOLD, RAISE, SWAP_HIGH
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.players import resolve

PRIOR = 5.0
"""Weight, in decisions, of the round's mean in each share, so that rare sizes do not get extreme shares."""


def play(checkpoint: str, decisions: int, seed: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """What the player saw and did in all seats of its games: observations `full` and actions."""
    torch.set_num_threads(1)
    game = cardgym.find("CorellianSpike-v0")
    options = game.parse_options()
    player: Any = resolve(checkpoint, game, options)
    rollout = SelfPlayRollout(game, options, 512, OpponentPool.parse(["self=1"]), player, seed=seed)
    generator = np.random.default_rng(seed)
    seen, done = [], []
    while rollout.decisions < decisions:
        turns = rollout.turns
        actions = player.act(turns.observations, turns.masks, generator.random(len(turns.masks)))
        seen.append(np.where(turns.masks.sum(axis=1, keepdims=True) > 1, turns.observations, np.nan))
        done.append(actions)
        rollout.step(actions)
    observations, chosen = np.concatenate(seen), np.concatenate(done)
    decided = ~np.isnan(observations[:, 0])
    return observations[decided], chosen[decided]


def shares(cases: npt.NDArray[np.bool_], took: npt.NDArray[np.bool_], sizes: npt.NDArray[np.int64]) -> list[int]:
    """By |sum|, the percentage of cases in which the action was taken, from 1 to 98."""
    count = np.bincount(sizes[cases], minlength=SIZES)
    taken = np.bincount(sizes[cases & took], minlength=SIZES)
    mean = took[cases].mean()
    return [int(percent) for percent in np.clip(np.rint(100 * (taken + PRIOR * mean) / (count + PRIOR)), 1, 98)]


def main() -> None:
    """Print the constants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", default="ppo")
    parser.add_argument("--decisions", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    observations, actions = play(arguments.checkpoint, arguments.decisions, arguments.seed)
    game = cardgym.find("CorellianSpike-v0")
    at = offsets(game.observation("full").features(game.parse_options()))
    rounds = observations[:, at["round"] : at["round"] + 4].argmax(axis=1)
    sizes = np.minimum(np.abs(np.rint(observations[:, at["sum"]] * 30)).astype(np.int64), SIZES - 1)
    betting, buying = (observations[:, at["decision"] + place] == 1 for place in range(2))
    owing = observations[:, at["raised"]] == 1
    for name, cases, action in (
        ("OPENS", betting & ~owing, RAISE),
        ("RERAISES", betting & owing, RAISE),
        ("FOLDS", betting & owing, FOLD),
        ("BUYS", buying, BUY),
    ):
        print(f"{name} = (")
        for number in range(4):
            here = cases & (rounds == number)
            row = shares(here, actions == action, sizes) if here.any() else [1] * SIZES
            print(f"    {tuple(row)},  # {here.sum():,} decisions")
        print(")")
    placing = (actions >= DISCARD) & (actions <= SWAP_HIGH)
    total = np.abs(np.rint(observations[placing, at["sum"]] * 30))
    places = np.abs(np.rint(observations[placing, at["sum_placed"] : at["sum_placed"] + 3] * 30))
    totals = np.concatenate([total[:, None], places], axis=1)
    chosen = totals[np.arange(len(totals)), actions[placing] - DISCARD]
    ratios = np.arange(0.02, 1.0, 0.02)
    likelihood = [(chosen * np.log(one) - np.log((one**totals).sum(axis=1))).mean() for one in ratios]
    best = int(np.argmax(likelihood))
    print(f"PLACE_RATIO = {ratios[best]:.2f}  # {placing.sum():,} decisions, {likelihood[best]:.3f} nats each")
    print(f"folds with nothing to match: {np.mean(actions[betting & ~owing] == FOLD):.2%}")


if __name__ == "__main__":
    main()

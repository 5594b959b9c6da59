"""Count how a player acts, for the action models of the coach and of the observation `belief`.

`python research/spike_belief_model.py` prints the table of `action_models.toml`, for `ppo` against itself. The one
there came from other games of the same kind: they differ by at most a few percent.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt
import torch

import cardgym
from cardgym.arena.playouts import NO_MOVE, ManyGames, generators
from cardgym.engine.batch import look
from cardgym.engine.declarations import offsets
from cardgym.engine.rules import draws_of
from cardgym.games.corellian_spike.action_models import SIZES
from cardgym.games.corellian_spike.state import BUY, DISCARD, FOLD, RAISE, SWAP_HIGH
from cardgym.players import resolve

PRIOR = 5.0
"""Weight, in decisions, of the round's mean in each share, so that rare sizes do not get extreme shares."""
GAME = cardgym.find("CorellianSpike-v0")
OPTIONS = GAME.parse_options()


def play(names: tuple[str, str], games: int, seed: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """What the first player saw and did where it had a choice: observations `full` and actions; seats alternate."""
    torch.set_num_threads(1)
    players = [resolve(name, GAME, OPTIONS) for name in names]
    rng = np.random.default_rng(seed)
    table = ManyGames.of_new_games(GAME, OPTIONS, rng.integers(2**63, size=games, dtype=np.uint64))
    choice = generators(rng.integers(2**63, size=games, dtype=np.uint64))
    source = rng.integers(2**63, size=2, dtype=np.uint64)
    moves = np.full(games, NO_MOVE)
    seen, done = [], []
    while (live := np.flatnonzero(table.who >= 0)).size:
        draws = draws_of(choice[live, 0], choice[live, 1])
        choice[live, 1] += np.uint64(1)
        for number, player in enumerate(players):
            turn = table.who[live] == (live + number) % 2
            rows = live[turn]
            decisions = table.decisions(rows)
            states, seats = decisions.states, decisions.seats
            moves[rows] = decisions.actions_of(player, draws[turn], source)
            if number == 0:
                observations, masks, _ = look(GAME, OPTIONS, states, seats, "full")
                chosen = masks.sum(axis=1) > 1
                seen.append(observations[chosen])
                done.append(moves[rows][chosen])
        table.advance(moves)
    return np.concatenate(seen), np.concatenate(done)


def shares(cases: npt.NDArray[np.bool_], took: npt.NDArray[np.bool_], sizes: npt.NDArray[np.int64]) -> list[int]:
    """By |sum|, the percentage of cases in which the action was taken, from 1 to 98."""
    count = np.bincount(sizes[cases], minlength=SIZES)
    taken = np.bincount(sizes[cases & took], minlength=SIZES)
    mean = took[cases].mean()
    return [int(percent) for percent in np.clip(np.rint(100 * (taken + PRIOR * mean) / (count + PRIOR)), 1, 98)]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--player", default="ppo")
    parser.add_argument("--opponent", default="ppo")
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    observations, actions = play((arguments.player, arguments.opponent), arguments.games, arguments.seed)
    at = offsets(GAME.observation("full").features(OPTIONS))
    rounds = observations[:, at["round"] : at["round"] + 4].argmax(axis=1)
    sizes = np.minimum(np.abs(np.rint(observations[:, at["sum"]] * 30)).astype(np.int64), SIZES - 1)
    betting, buying = (observations[:, at["decision"] + place] == 1 for place in range(2))
    owing = observations[:, at["raised"]] == 1
    for name, cases, action in (
        ("opens", betting & ~owing, RAISE),
        ("reraises", betting & owing, RAISE),
        ("folds", betting & owing, FOLD),
        ("buys", buying, BUY),
    ):
        print(f"{name} = [")
        for number in range(4):
            here = cases & (rounds == number)
            row = shares(here, actions == action, sizes) if here.any() else [1] * SIZES
            print(f"    {row},  # {here.sum():,} decisions")
        print("]")
    placing = (actions >= DISCARD) & (actions <= SWAP_HIGH)
    total = np.abs(np.rint(observations[placing, at["sum"]] * 30))
    places = np.abs(np.rint(observations[placing, at["sum_placed"] : at["sum_placed"] + 3] * 30))
    totals = np.concatenate([total[:, None], places], axis=1)
    chosen = totals[np.arange(len(totals)), actions[placing] - DISCARD]
    ratios = np.arange(0.02, 1.0, 0.02)
    likelihood = [(chosen * np.log(one) - np.log((one**totals).sum(axis=1))).mean() for one in ratios]
    best = int(np.argmax(likelihood))
    print(f"place_ratio = {ratios[best]:.2f}  # {placing.sum():,} decisions, {likelihood[best]:.3f} nats each")
    print(f"folds with nothing to match: {np.mean(actions[betting & ~owing] == FOLD):.2%}")


if __name__ == "__main__":
    main()

"""What do `ppo` and `equilibrium` do, and when? The basis of "How to play well" on two pages of games.

    python research/agent_habits.py spike cribbage

Each agent plays against itself, 256 games at a time, seed 1. `spike`: how often `ppo` raises, folds and buys, by the
distance of its sum from 0. `cribbage`: what `equilibrium` leads, and how often it leaves a count of 5 or 21 where it
could leave another; and what a hand kept wins in the play, by its cards below 5 and its pairs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from cardgym import find
from cardgym.engine.declarations import offsets
from cardgym.games.cribbage.pegging.hands import COPIES, RANKS
from cardgym.games.cribbage.pegging.policy import load_policy
from cardgym.players import resolve

Decisions = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


def decisions(env_id: str, name: str, observation: str, steps: int) -> Iterator[Decisions]:
    """The observations, masks and actions of one seat, step by step."""
    game = find(env_id)
    player = resolve(name, game, game.parse_options())
    envs = gymnasium.make_vec(env_id, num_envs=256, opponent=name, obs=observation, seat="random")
    observations, infos = envs.reset(seed=1)
    over = np.zeros(256, bool)
    for _ in range(steps):
        actions = np.asarray(player.act(observations, infos["action_mask"]))
        yield observations[~over], infos["action_mask"][~over], actions[~over]
        observations, _, ended, _, infos = envs.step(actions)
        over = ended


def spike() -> None:
    game = find("CorellianSpike-v0")
    at = offsets(game.observations["full"].features(game.parse_options()))
    parts = list(zip(*decisions(game.id, "ppo", "full", 400), strict=True))
    seen, masks, actions = (np.concatenate(part) for part in parts)
    size = np.rint(np.abs(30 * seen[:, at["sum"]])).astype(int)
    later = seen[:, at["round"]] == 0
    betting, buying = (seen[:, at["decision"] + kind] == 1 for kind in range(2))
    owes = betting & (seen[:, at["to_match"]] > 0)
    print(f"{len(actions):,} decisions; buys {np.mean(actions[buying] == 3):.1%}")
    print("distance from 0: raises in round 0, in rounds 1 to 3; folds if it has to pay; buys")
    for low, high in ((0, 0), (1, 1), (2, 4), (5, 8), (9, 14), (15, 30)):
        here = (low <= size) & (size <= high)
        may_raise = here & betting & (masks[:, 0] == 1)
        shares = [actions[may_raise & ~later] == 0, actions[may_raise & later] == 0, actions[here & owes] == 2]
        shares.append(actions[here & buying] == 3)
        print(f"{low} to {high}: " + ", ".join(f"{share.mean():.1%}" for share in shares))


def cribbage() -> None:
    game = find("Cribbage-v0")
    at = offsets(game.observations["plain"].features(game.parse_options()))
    held, led, low, left = np.zeros(13, int), np.zeros(13, int), np.zeros(2, int), np.zeros((2, 2), int)
    for seen, masks, actions in decisions(game.id, "equilibrium", "plain", 600):
        playing = seen[:, at["playing"]] == 1
        leads = playing & (seen[:, at["count"]] == 0) & (seen[:, at["opponent_cards"]] == 4)
        for row in np.flatnonzero(leads):
            ranks = np.flatnonzero(masks[row]) % 13
            held[np.unique(ranks)] += 1
            led[actions[row] % 13] += 1
            low += [ranks.min() < 4, ranks.min() < 4 and actions[row] % 13 < 4]
        for row in np.flatnonzero(playing & ~leads):
            count = int(seen[row, at["count"]])
            counts = {count + min(int(card) % 13 + 1, 10) for card in np.flatnonzero(masks[row])}
            chosen = count + min(int(actions[row]) % 13 + 1, 10)
            for place, bad in enumerate((5, 21)):
                left[place] += [bad in counts and len(counts) > 1, len(counts) > 1 and chosen == bad]
    print("leads, of the hands that hold the rank:", dict(zip("A23456789TJQK", (led / held).round(3), strict=True)))
    print(f"leads a card below 5 if it has one: {low[1] / low[0]:.1%}")
    print("leaves 5, 21 if it could and need not:", (left[:, 1] / left[:, 0]).round(3))
    policy = load_policy()
    for name, kind in (("cards below 5", (RANKS < 4).sum(axis=1)), ("pairs", (COPIES == 2).sum(axis=1))):
        for number in range(3):
            of = kind == number
            pone, dealer = (np.average(policy.worths[side][of], weights=policy.kept[side][of]) for side in range(2))
            print(f"{number} {name}: wins in the play {pone:+.2f} as pone, {dealer:+.2f} as dealer")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", choices=("spike", "cribbage"))
    for name in parser.parse_args().games:
        {"spike": spike, "cribbage": cribbage}[name]()


if __name__ == "__main__":
    main()

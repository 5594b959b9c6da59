"""What does a responder win from `ppo` and from `champion`, which differ only in the betting of the last round?

    python research/spike_last_betting.py [--games 200] [--seed 1] [--worlds 128] [--responder PLAYER]

Before the last betting of a hand, the responder decides by the search of `cardgym exploit` against `ppo`. From there it
has the exact best responses, to `ppo` and to the solution of `champion`. A search against `champion` itself would solve
some 13,000 bettings in each game, so what it wins before the last betting is that from `ppo`. With another responder,
such as one that was trained against `ppo`, its own decisions in the last betting are evaluated instead, also exactly.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from cardgym import find
from cardgym.arena.playouts import Decisions
from cardgym.engine.contract import Float64s, Int64s
from cardgym.experiments.exploit.local_best_response import LocalBestResponse
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.champion import ChampionPlayer, start_of_betting
from cardgym.games.corellian_spike.hand import hand_rank
from cardgym.games.corellian_spike.last_bets import FOLDS, MATCHES, RAISES, num_nodes
from cardgym.games.corellian_spike.posterior import HIGH, LOW, NUM_PAIRS, face_down
from cardgym.games.corellian_spike.replay import ranges_of
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.players import Player, resolve
from cardgym.players.base import sample_actions
from cardgym.statistics import mean_estimate

GAME = find("CorellianSpike-v0")
OPTIONS = CorellianSpikeOptions()
PPO, CHAMPION = resolve("ppo", GAME, OPTIONS), resolve("champion", GAME, OPTIONS)


class Responder(LocalBestResponse):
    """The search, or a player, before the last betting; what is won from there on is noted."""

    last: Float64s
    player: Player | None = None

    def totals(self, games: int, seed: int) -> Float64s:
        """By game: what the search wins before, and the best responses to `ppo` and `champion` after it, (games, 3)."""
        found = []
        for first in range(0, games // 2, 16):
            deals = np.repeat(np.arange(first, min(first + 16, games // 2)), 2)
            self.last = np.zeros((len(deals), 2))
            _, gained = self._play(deals, np.tile([0, 1], len(deals) // 2), seed)
            found.append(np.column_stack([gained, self.last]))
            print(f"{len(np.concatenate(found)):,} games", flush=True)
        return np.concatenate(found)

    def _search(
        self, games: Int64s, states: Any, who: Int64s, seats: Int64s, worlds: Any, generator: np.random.Generator
    ) -> tuple[Int64s, Float64s]:
        betting = (states["phase"] == sabacc.BETTING) & (states["round_number"] == OPTIONS.rounds)
        last = betting[games]
        actions, mixes = np.zeros(len(games), np.int64), np.zeros((len(games), sabacc.NUM_ACTIONS))
        if not last.all():
            before = games[~last]
            if self.player is None:
                actions[~last], mixes[~last] = super()._search(before, states, who, seats, worlds, generator)
            else:
                decisions = Decisions(GAME, OPTIONS, states.take(before), seats[before])
                draws = generator.random(len(before))
                actions[~last] = decisions.actions_of(self.player, draws, np.zeros(2, np.uint64))
        for place in np.flatnonzero(last):
            game = games[place]
            state, seat = states[game : game + 1], int(seats[game])
            decision = Decisions(GAME, OPTIONS, state, np.array([seat]))
            shares = decision.probabilities_of(PPO, np.zeros(0), np.zeros(2, np.uint64))
            actions[place] = sample_actions(shares, generator.random(1))[0]
            put = state["put_phase"][0]
            if put[seat] == 0 and (seat == 1 or put[1] == 0):  # Its first decision there.
                self.last[game] += gains(state, seat, self.player)
        return actions, mixes


def gains(state: Any, seat: int, player: Player | None) -> Float64s:
    """How much more than `ppo` against itself the seat wins with its pair from `ppo` and from `champion`.

    It plays the best responses to them, or as `player`.
    """
    assert isinstance(CHAMPION, ChampionPlayer)
    start = start_of_betting(state)
    stacks, pool = start["stack"][0, :2].astype(int), float(start["pool"][0])
    ranges = ranges_of(GAME, OPTIONS, CHAMPION._base, start)
    solved = CHAMPION._solution(start, 1 - seat)
    if ranges is None or solved is None or stacks.min() == 0:
        return np.zeros(2)
    cards, spikes = [int(card) for card in state["cards"][0, seat, :2]], start["cards"][0, :2, 2].astype(int)
    counts = face_down(start)[0]
    for card in cards:
        counts[card + 10] -= 1
    same = LOW == HIGH
    weights = ranges[1 - seat] * counts[LOW] * (counts[HIGH] - same) / (1.0 + same)
    rank = hand_rank(cards[0], cards[1], int(spikes[seat]))
    pairs = zip((LOW - 10).tolist(), (HIGH - 10).tolist(), strict=True)
    others = np.array([hand_rank(low, high, int(spikes[1 - seat])) for low, high in pairs])
    wins = ((rank > others) + (rank == others) / 2.0) * 5 / 6 + 1 / 12
    weights /= weights.sum()
    nodes = num_nodes(stacks)
    theirs = [shares_at(start, PPO, one, nodes) for one in range(2)]
    pair = int(np.flatnonzero((cards[0] + 10 == LOW) & (cards[1] + 10 == HIGH))[0])
    usual = value(seat, stacks, pool, weights, wins, theirs[1 - seat], theirs[seat][:, pair])
    own = None if player is None else shares_at(start, player, seat, nodes)[:, pair]
    found = [value(seat, stacks, pool, weights, wins, strategy, own) for strategy in (theirs[1 - seat], solved)]
    return np.array(found) - usual


def shares_at(start: Any, player: Player, seat: int, nodes: int) -> Float64s:
    """What a player does with every pair after so many raises, (3, 231, nodes)."""
    states = np.repeat(start, NUM_PAIRS * nodes)
    number = np.tile(np.arange(nodes), NUM_PAIRS)
    for bettor, raises in ((seat, number // 2), (1 - seat, (number + 1) // 2)):
        states["put_phase"][:, bettor] = 2 * raises
        states["stack"][:, bettor] -= 2 * raises
        states["put_hand"][:, bettor] += 2 * raises
        states["raises"][:, bettor] += raises
    states["pool"] += states["put_phase"].sum(axis=1)
    states["level"], states["turn"], states["turns_left"] = 2 * (number > 0), seat, (number == 0) & (seat == 0)
    states["cards"][:, seat, 0], states["cards"][:, seat, 1] = np.repeat(LOW - 10, nodes), np.repeat(HIGH - 10, nodes)
    states["stack"] = np.maximum(states["stack"], 0)
    decisions = Decisions(GAME, OPTIONS, states, np.full(len(states), seat))
    shares = decisions.probabilities_of(player, np.zeros(0), np.zeros(2, np.uint64))[:, :3].astype(np.float64)
    shares[states["stack"][:, seat] == 0] = (0.0, 1.0, 0.0)  # Without credits it does not bet.
    return shares.reshape(NUM_PAIRS, nodes, 3).transpose(2, 0, 1)


def value(
    seat: int, stacks: Any, pool: float, weights: Float64s, wins: Float64s, strategy: Float64s, own: Float64s | None
) -> float:
    """What `seat` wins on average with its pair, by its best actions or its `own` shares, (3, nodes)."""
    nodes, half = strategy.shape[2], pool / 2
    reaches = [weights, weights * (strategy[MATCHES, :, 0] if seat == 1 else 1.0)]
    for node in range(2, nodes):
        reaches.append(reaches[node - 2] * strategy[RAISES, :, node - 2])

    def showdown(arriving: Float64s, mine: float, other: float) -> float:
        return float(arriving @ (wins * (pool + mine + other) - half - mine))

    after = [0.0] * (nodes + 2)
    for node in range(nodes - 1, -1, -1):
        if node:
            arriving = reaches[node - 1] * strategy[RAISES, :, node - 1]
        else:
            arriving = weights * strategy[MATCHES, :, 0] if seat == 1 else weights
        mine, other = 2 * (node // 2), 2 * ((node + 1) // 2)
        left = stacks[seat] - mine
        pays = 2 if node and left > 0 else 0
        options: dict[int, float] = {MATCHES: showdown(arriving, mine + pays, other)}
        if node == 0 and seat == 0:
            options[MATCHES] = showdown(weights * strategy[MATCHES, :, 0], 0, 0) + after[1]
        if node and left > 0:
            options[FOLDS] = -(half + mine) * float(arriving.sum())
        if left >= 2 and node + 1 < nodes:
            at, put, raised = reaches[node + 1], 2 * ((node + 1) // 2), 2 * ((node + 2) // 2)
            pays = 2 if stacks[1 - seat] > put else 0
            options[RAISES] = (half + put) * float((at * strategy[FOLDS, :, node + 1]).sum()) + after[node + 2]
            options[RAISES] += showdown(at * strategy[MATCHES, :, node + 1], raised, put + pays)
        if own is None:
            after[node] = max(options.values())
        else:
            after[node] = sum(own[action, node] * paid for action, paid in options.items())
            after[node] += own[FOLDS, node] * options[MATCHES] * (FOLDS not in options)
    return after[0] if seat == 0 else after[0] + after[1]


def main() -> None:
    """Play, and print what the responder wins a game."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=128)
    parser.add_argument("--responder", metavar="PLAYER")
    arguments = parser.parse_args()
    responder = Responder(GAME, OPTIONS, PPO, worlds=arguments.worlds)
    if arguments.responder is not None:
        responder.player = resolve(arguments.responder, GAME, OPTIONS)
    early, ppo, champion = responder.totals(arguments.games, arguments.seed).T
    figures = {
        "before the last betting": early, "in it, from ppo": ppo, "in it, from champion": champion,
        "from ppo": early + ppo, "from champion": early + champion,
        "less from champion": ppo - champion,
    }  # fmt: skip
    for name, values in figures.items():
        print(f"{name}: {mean_estimate(values.reshape(-1, 2).mean(axis=1))}")


if __name__ == "__main__":
    main()

"""How well Corellian Spike's `champion` bets by how much it doubts the seats' ranges; exactly, within each betting.

Usage:
    python research/spike_bettings.py [--games N] [--seed N] [--doubts SHARE ...]

`champion` plays itself. Each betting that it solves there is solved again with each share of doubt. Printed is, in
credits a game, what a best responder with the true ranges wins in them, and what `champion` wins more than `ppo` would
in its place if the other seat is `ppo`. What follows the betting is worth what the networks of `ends.py` say.
"""

from __future__ import annotations

import argparse

import numpy as np

from cardgym import find
from cardgym.arena import evaluate
from cardgym.arena.playouts import Decisions
from cardgym.engine.contract import Float64s
from cardgym.engine.states import record
from cardgym.games.corellian_spike import champion, rounds
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.bets import FOLDS, MATCHES, RAISES, credits_put, num_nodes
from cardgym.games.corellian_spike.ends import worths
from cardgym.games.corellian_spike.hand import hand_rank
from cardgym.games.corellian_spike.posterior import HIGH, LOW, NUM_PAIRS, face_down, pair_ways
from cardgym.games.corellian_spike.replay import States, ranges_of
from cardgym.players import resolve
from cardgym.statistics import mean_estimate

GAME = find("CorellianSpike-v0")
OPTIONS = GAME.parse_options({})
PPO, PLAYER = resolve("ppo", GAME, OPTIONS), resolve("champion", GAME, OPTIONS)
RANKS = np.array([[hand_rank(int(low), int(high), spike) for low, high in zip(LOW - 10, HIGH - 10, strict=True)]
                  for spike in range(-10, 11)])  # fmt: skip


class Betting:
    """A betting in which each seat holds one of 231 pairs, counted one by one."""

    def __init__(self, start: States, nodes: int) -> None:
        counts, self.stacks, self.pool = face_down(start)[0], start["stack"][0, :2].astype(np.int64), start["pool"][0]
        spikes, number = start["cards"][0, :2, sabacc.SPIKE_SLOT].astype(np.int64), int(start["round_number"][0])
        self.nodes, self.put = nodes, credits_put(self.stacks, nodes)
        self.ways = np.zeros((NUM_PAIRS, NUM_PAIRS))
        for first in range(NUM_PAIRS):
            left = counts - np.bincount([LOW[first], HIGH[first]], minlength=sabacc.NUM_VALUES)
            if left.min() >= 0:
                self.ways[first] = pair_ways(counts, first) * left[LOW] * (left[HIGH] - (LOW == HIGH))
        self.ways /= 1.0 + (LOW == HIGH)
        own, other = RANKS[spikes + 10]
        self.better = np.sign(own[:, None] - other) / 2
        wins = (own[:, None] > other) + (own[:, None] == other) / 2
        # After doubles the hands are new; see `bets`.
        self.wins = wins * 5 / 6 + (self.ways * wins).sum() / self.ways.sum() * 5 / 36 + 1 / 72
        last = number == sabacc.NUM_ROUNDS - 1
        self.ends = None if last else worths(self.stacks, int(self.pool), spikes, counts, number, nodes)

    def value(self, seat: int, ranges: Float64s, strategy: Float64s, *, best: bool) -> float:
        """Return what a seat wins by the strategies, (2, 3, 231, nodes), or if it plays its best."""
        joint = self.ways * ranges[0][:, None] * ranges[1]
        joint = (joint if seat == 0 else joint.T) / joint.sum()

        def walk(actor: int, node: int, reach: Float64s) -> Float64s:
            """What each pair wins, times how likely it comes here by the other seat, whose reach is given."""
            left, values = self.stacks[actor] - sabacc.BET * (node // 2), []
            allowed = {RAISES: left >= sabacc.BET and node + 1 < self.nodes, MATCHES: True, FOLDS: left > 0 and node}
            actions = [action for action in allowed if allowed[action]]
            for action in actions:
                there = reach if actor == seat else reach * strategy[actor, action, :, node]
                if action == RAISES:
                    values.append(walk(1 - actor, node + 1, there))
                elif action == MATCHES and node == actor == 0:
                    values.append(walk(1, 0, there))
                elif action == MATCHES:
                    won = self._matched(actor, node)
                    values.append((joint * (won if seat == 0 else -won.T)) @ there)
                else:
                    won = self.pool / 2 + sabacc.BET * (node // 2)
                    values.append(joint @ there * (-won if actor == seat else won))
            each = np.array(values)
            found: Float64s = each.max(axis=0)
            if actor != seat or not best:
                found = (each if actor != seat else each * strategy[seat, actions, :, node]).sum(axis=0)
            return found

        return float(walk(0, 0, np.ones(NUM_PAIRS)).sum())

    def _matched(self, matcher: int, node: int) -> Float64s:
        if self.ends is not None:
            first, second = self.ends[matcher, :, :, node]
            worth: Float64s = first[:, :-1] @ second[:, :-1].T + np.outer(first[:, -1], second[:, -1]) * self.better
            return worth
        put = self.put[matcher, node]
        won: Float64s = self.wins * (self.pool + put.sum()) - self.pool / 2 - put[0]
        return won


def strategy_of_ppo(start: States, nodes: int) -> Float64s:
    """Return how `ppo` bets with each pair, (2, 3, 231, nodes); who is not asked matches."""
    found = np.zeros((2, 3, NUM_PAIRS, nodes))
    found[:, MATCHES] = 1.0
    for checks in range(2):
        states = start.copy()
        state, mask = record(states), np.zeros(GAME.actions(OPTIONS), np.int8)
        rounds.start_betting(state)
        if checks and state.turn == 0:
            GAME.rules.apply_action(state, sabacc.MATCH)
        for node in range(nodes):
            if state.phase != sabacc.BETTING:
                break
            rows, seats = np.repeat(states, NUM_PAIRS), np.full(NUM_PAIRS, state.turn)
            rows["cards"][:, state.turn, :2] = np.stack([LOW, HIGH], axis=1) - 10
            shares = Decisions(GAME, OPTIONS, rows, seats).probabilities_of(PPO, np.zeros(0), np.zeros(2, np.uint64))
            found[state.turn, :, :, node] = shares[:, [sabacc.RAISE, sabacc.MATCH, sabacc.FOLD]].T
            GAME.rules.legal_action_mask(state, mask)
            if not mask[sabacc.RAISE]:
                break
            GAME.rules.apply_action(state, sabacc.RAISE)
    return found


def without(strategy: Float64s) -> Float64s:
    """Let nobody raise at the last node or fold at the first, but match."""
    strategy[:, MATCHES, :, -1] += strategy[:, RAISES, :, -1]
    strategy[:, MATCHES, :, 0] += strategy[:, FOLDS, :, 0]
    strategy[:, RAISES, :, -1] = strategy[:, FOLDS, :, 0] = 0.0
    return strategy


def play(seed: int, doubts: list[float]) -> Float64s:
    """Return both figures of a game for each share of doubt, (doubts, 2)."""
    player, shipped, sums = PLAYER.anew(), champion._DOUBT, np.zeros((len(doubts), 2))
    assert isinstance(player, champion.ChampionPlayer)
    evaluate(GAME, OPTIONS, [player, player], games=1, seed=seed)
    for key in list(player._kept):
        start = np.frombuffer(key, GAME.state).copy()
        ranges, of_ppo = (ranges_of(GAME, OPTIONS, one, start) for one in (player._exact, PPO))
        if ranges is None or of_ppo is None:
            continue
        strategies = []
        for champion._DOUBT in doubts:
            solved = player._solve(start)
            assert solved is not None
            strategies.append(solved.astype(np.float64))
        champion._DOUBT = shipped
        nodes = strategies[0].shape[3]
        nodes += nodes < num_nodes(start["stack"][0, :2])  # Where there are too many, `ppo` bets at the last.
        betting, ppo = Betting(start, nodes), without(strategy_of_ppo(start, nodes))
        for seat in range(2):
            met = np.where(np.arange(2)[:, None] == seat, ranges, of_ppo)
            usual = betting.value(seat, met, ppo, best=False)
            for number, one in enumerate(strategies):
                strategy = np.concatenate([one, ppo[:, :, :, one.shape[3] :]], axis=3)
                mixed = np.where(np.arange(2)[:, None, None, None] == seat, strategy, ppo)
                sums[number, 0] += betting.value(seat, ranges, strategy, best=True) / 2
                sums[number, 1] += (betting.value(seat, met, mixed, best=False) - usual) / 2
    return sums


def main() -> None:
    """Print a line for each share."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=24, metavar="N", help="of champion against itself (24)")
    parser.add_argument("--seed", type=int, default=77, metavar="N", help="of the first game (77)")
    parser.add_argument("--doubts", type=float, nargs="+", metavar="SHARE", default=[0.25, 0.05], help="(0.25 0.05)")
    arguments = parser.parse_args()
    games = np.array([play(arguments.seed + game, arguments.doubts) for game in range(arguments.games)])
    for number, doubt in enumerate(arguments.doubts):
        for which, what in enumerate(("a best responder wins", "from ppo it wins")):
            found, more = games[:, number, which], games[:, number, which] - games[:, 0, which]
            text = f", {mean_estimate(more).text('+.2f')} beside the first" if number else ""
            print(f"doubt {doubt}: {what} {mean_estimate(found).text('.2f')}{text}")


if __name__ == "__main__":
    main()

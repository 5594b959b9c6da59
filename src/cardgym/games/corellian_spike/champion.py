"""The player `champion`: `ppo`, but it solves each betting after the spikes are dealt at the table.

At the start of a betting, each seat's range follows from the decisions since its cards were dealt and from what this
player would have done with every pair of cards. The betting is then solved from both ranges, so that what a seat holds
only decides which row of the solution it plays. The last betting ends with a showdown; what the ends of earlier ones
are worth, two small networks say (`ends.py`). Solutions depend on what everyone sees; they are kept and found again.
"""

from __future__ import annotations

from collections import OrderedDict
from copy import copy

import numpy as np

from cardgym.arena.playouts import Decisions
from cardgym.engine.contract import Float32s, Float64s, Game
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.bets import num_nodes, solve
from cardgym.games.corellian_spike.ends import worths
from cardgym.games.corellian_spike.placing import placed
from cardgym.games.corellian_spike.posterior import HIGH, LOW, NUM_PAIRS, PAIR, face_down
from cardgym.games.corellian_spike.replay import States, ranges_of, remember
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.players import Masks, Observations, Player, resolve
from cardgym.players.checkpoints import with_fixed_sums
from cardgym.players.resolver import checkpoints

_ITERATIONS = 80
_DOUBT = 0.05
"""The share of each range that is not believed, but replaced by that of a seat that acts the same with every pair."""
_EARLY_NODES, _LAST_NODES = 12, 24
"""The maximum nodes of a betting that is solved. Where nobody could raise for this reason alone, `ppo` bets."""
_KEPT = 1024
"""The maximum number of solutions that are kept."""
_SHOWDOWN = np.empty((2, 2, NUM_PAIRS, 1, 0))


class ChampionPlayer(Player):
    """Reads the observation `plain`; draws its actions."""

    name = "champion"
    observation_name = "plain"
    samples = True

    def __init__(self, game: Game, options: CorellianSpikeOptions, base: Player, *, trained: bool) -> None:
        """Take the player for all other decisions, one with known probabilities.

        `trained` says whether the networks are for these options; else only the last betting is solved.
        """
        self._game, self._options, self._base, self.stand_in = game, options, base, base
        solves = options.num_players == 2 and options.betting == "flat" and options.cheat == "no"
        solves &= options.max_raises == 0
        self._trained = solves and trained
        self._first_round = 1 if self._trained else options.rounds if solves else sabacc.NUM_ROUNDS
        self._kept: OrderedDict[bytes, Float32s | None] = OrderedDict()
        self._recalls = False
        self.recalled = copy(self)
        self.recalled._recalls = True
        self._exact = copy(self)  # For the ranges: the same to the bit, whatever rows are asked for together.
        self._exact._base, self._exact._exact = with_fixed_sums(base), self._exact

    def anew(self) -> Player:
        """See `Player.anew`."""
        return ChampionPlayer(self._game, self._options, self._base, trained=self._trained)

    def probabilities(self, observations: Observations, masks: Masks, temperature: float = 0.0) -> Float64s:
        """See `Player.probabilities`."""
        states, seats = remember(self._game, self._options, observations)
        solved = (states["phase"] == sabacc.BETTING) & (states["round_number"] >= self._first_round)
        shares = np.zeros(masks.shape)
        betting = np.flatnonzero(solved)
        starts = start_of_betting(states.take(betting))
        cards = states["cards"][betting, seats[betting], :2] + 10
        pairs, raises = PAIR[cards[:, 0], cards[:, 1]], states["put_phase"][betting].sum(axis=1) // sabacc.BET
        for number, row in enumerate(betting):
            strategy = self._solution(starts[number : number + 1])
            if strategy is None or raises[number] >= strategy.shape[3]:
                solved[row] = False
            else:
                shares[row, : strategy.shape[1]] = strategy[seats[row], :, pairs[number], raises[number]]
        others = np.flatnonzero(~solved)
        if others.size:
            decisions = Decisions(self._game, self._options, states.take(others), seats[others])
            shares[others] = decisions.probabilities_of(self._base, np.zeros(0), np.zeros(2, np.uint64))
            placing = others[(states["phase"][others] == sabacc.PLACING) & self._trained]
            if placing.size:
                shares[placing] = placed(shares[placing], states.take(placing), seats[placing])
        return shares

    def _solution(self, start: States) -> Float32s | None:
        """Get the strategies of both seats, see `solve`, from the start of a betting, (1,); None if it is not solved.

        That may be because the seats' decisions cannot be told, or because this player only recalls.
        """
        key = start.tobytes()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if self._recalls:
            return None
        found = self._kept[key] = self._solve(start)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found

    def _solve(self, start: States) -> Float32s | None:
        counts, stacks = face_down(start)[0], start["stack"][0, :2].astype(np.int64)
        ranges = ranges_of(self._game, self._options, self._exact, start)
        if ranges is None:
            return None
        same = LOW == HIGH
        ways = counts[LOW] * (counts[HIGH] - same) / (1.0 + same)
        ranges = (1.0 - _DOUBT) * ranges / (ranges @ ways)[:, None] + _DOUBT / ways.sum()
        pool, number = int(start["pool"][0]), int(start["round_number"][0])
        spikes = start["cards"][0, :2, sabacc.SPIKE_SLOT].astype(np.int64)
        last = number == self._options.rounds
        nodes = min(whole := num_nodes(stacks), _LAST_NODES if last else _EARLY_NODES)
        ends = _SHOWDOWN if last else worths(stacks, pool, spikes, counts, number, nodes)
        strategy = np.empty((2, 3, NUM_PAIRS, nodes))
        solve(stacks, pool, spikes, int(start["special_hands"][0]), counts, ranges, _ITERATIONS, ends, strategy)
        return strategy[..., : nodes - (nodes < whole)].astype(np.float32)


def start_of_betting(states: States) -> States:
    """Return what everyone sees of states, (rows,), at the start of their bettings."""
    start = states.take(np.arange(len(states)))  # `copy` would leave the bytes between fields to chance.
    start["stack"] += start["put_phase"]
    start["put_hand"] -= start["put_phase"]
    start["pool"] -= start["put_phase"].sum(axis=1)
    start["raises"] -= start["put_phase"] // sabacc.BET
    start["bets"][np.arange(len(start)), :, start["round_number"]] = 0
    for name in ("put_phase", "turn", "turns_left", "level"):
        start[name] = 0
    start["cards"][..., : sabacc.SPIKE_SLOT] = sabacc.EMPTY
    done = np.arange(sabacc.NUM_ROUNDS) <= start["round_number"][:, None, None]
    for name in ("spike_before", "turned_up"):
        start[name] *= done  # Of later rounds, these are left from the hand before.
    return start


def make_player(options: CorellianSpikeOptions) -> Player:
    """Return the player `champion`; where it does not solve, it plays as the agent trained for these options, if any.

    Else it solves the last betting only, and otherwise plays as `heuristic`; so it plays all of a game that is not for
    two with flat betting.
    """
    from cardgym.games.corellian_spike.game import GAME

    trained = [name for name in checkpoints(GAME, options) if name.startswith("ppo")]
    base = resolve([*trained, "heuristic"][0], GAME, options)
    return ChampionPlayer(GAME, options, base, trained=bool(trained))

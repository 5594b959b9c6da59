"""The player `champion`: `ppo` up to the betting of the last round, which it solves at the table.

At the start of that betting, each seat's range follows from the decisions since its cards were dealt and from what
`ppo` would have done with every pair of cards. The betting is then solved from both ranges, so that what the seat holds
only decides which row of the solution it plays. Solutions depend on what everyone sees; they are kept and found again.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from cardgym.arena.playouts import Decisions
from cardgym.engine.contract import Float64s, Game
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.last_bets import num_nodes, solve
from cardgym.games.corellian_spike.posterior import HIGH, LOW, NUM_PAIRS, PAIR, face_down
from cardgym.games.corellian_spike.replay import States, ranges_of, remember
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.players import Masks, Observations, Player, resolve
from cardgym.players.resolver import checkpoints

_ITERATIONS = 80
_DOUBT = 0.25
"""The share of the other seat's range that is not believed, but replaced by that of one that acts the same with every
pair."""
_MAX_STACK = 100
"""With more credits left in both seats, the betting is not solved: it would take too long."""
_KEPT = 512
"""The maximum number of solutions that are kept."""


class ChampionPlayer(Player):
    """Reads the observation `plain`; draws its actions."""

    name = "champion"
    observation_name = "plain"
    samples = True

    def __init__(self, game: Game, options: CorellianSpikeOptions, base: Player) -> None:
        """Take the player up to the last betting, one with known probabilities."""
        self._game, self._options, self._base, self.stand_in = game, options, base, base
        self._solves = options.num_players == 2 and options.betting == "flat" and options.cheat == "no"
        self._solves &= options.max_raises == 0
        self._solved: OrderedDict[bytes, Float64s | None] = OrderedDict()

    def probabilities(self, observations: Observations, masks: Masks, temperature: float = 0.0) -> Float64s:
        """See `Player.probabilities`."""
        states, seats = remember(self._game, self._options, observations)
        last = (states["phase"] == sabacc.BETTING) & (states["round_number"] == states["rounds"]) & self._solves
        shares = np.zeros(masks.shape)
        betting = np.flatnonzero(last)
        starts = start_of_betting(states.take(betting))
        cards = states["cards"][betting, seats[betting], :2] + 10
        pairs, raises = PAIR[cards[:, 0], cards[:, 1]], states["put_phase"][betting].sum(axis=1) // sabacc.BET
        for number, row in enumerate(betting):
            strategy = self._solution(starts[number : number + 1], int(seats[row]))
            if strategy is None:
                last[row] = False
            else:
                shares[row, : len(strategy)] = strategy[:, pairs[number], raises[number]]
        others = np.flatnonzero(~last)
        if others.size:
            decisions = Decisions(self._game, self._options, states.take(others), seats[others])
            shares[others] = decisions.probabilities_of(self._base, np.zeros(0), np.zeros(2, np.uint64))
        return shares

    def _solution(self, start: States, seat: int) -> Float64s | None:
        """Get a seat's strategy, see `solve`, from a start of the last betting, (1,); None where it is not solved."""
        key = start.tobytes() + bytes([seat])
        if key not in self._solved:
            self._solved[key] = self._solve(start, seat)
            if len(self._solved) > _KEPT:
                self._solved.popitem(last=False)
        self._solved.move_to_end(key)
        return self._solved[key]

    def _solve(self, start: States, seat: int) -> Float64s | None:
        counts, stacks = face_down(start)[0], start["stack"][0, :2].astype(np.int64)
        ranges = ranges_of(self._game, self._options, self._base, start) if stacks.min() <= _MAX_STACK else None
        if ranges is None:
            return None
        same = LOW == HIGH
        ways = counts[LOW] * (counts[HIGH] - same) / (1.0 + same)
        ranges /= (ranges @ ways)[:, None]
        ranges[1 - seat] = (1.0 - _DOUBT) * ranges[1 - seat] + _DOUBT / ways.sum()
        strategy = np.empty((2, 3, NUM_PAIRS, num_nodes(stacks)))
        spikes = start["cards"][0, :2, sabacc.SPIKE_SLOT].astype(np.int64)
        special = int(start["special_hands"][0])
        solve(stacks, int(start["pool"][0]), spikes, special, counts, ranges, _ITERATIONS, strategy)
        own: Float64s = strategy[seat].copy()
        return own


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
    return start


def make_player(options: CorellianSpikeOptions) -> Player:
    """Return the player `champion`; up to the last betting it plays as the agent trained for these options, if any.

    Else it plays as `heuristic`, and so in all of a game that is not for two with flat betting.
    """
    from cardgym.games.corellian_spike.game import GAME

    trained = [name for name in checkpoints(GAME, options) if name.startswith("ppo")]
    return ChampionPlayer(GAME, options, resolve([*trained, "heuristic"][0], GAME, options))

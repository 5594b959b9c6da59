"""The exact posterior over the opponents' hands, given what a seat has seen and how a known player acts.

All that an opponent hides at another seat's decision is its two hand cards, one of at most 231 pairs. The probability
of a pair is the product of two parts: the number of ways to be dealt it from the cards that the seat has not seen, and
the range of the opponent, the product of the player's probabilities of every action that the opponent has taken since
its hand was dealt, each with the observation that it had if it held the pair. When the opponent takes a bought card
into its hand, the new pairs inherit the range of the pairs that contained the discarded card.

With several opponents the hands are drawn seat by seat and weighed by how well they go together. The posterior is
exact until a discard pile becomes the draw pile, which takes at least four players: from then on its cards count as
unseen since the deal, as in `belief`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena.playouts import Decisions
from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Game, Generator, Int64s, Options
from cardgym.engine.rules import rule, uniform_float
from cardgym.experiments.exploit.posterior import States, Worlds
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.observations import count_hidden, deal_hidden
from cardgym.players import Player
from cardgym.statistics import evenly

LOW, HIGH = np.triu_indices(sabacc.NUM_VALUES)
NUM_PAIRS = len(LOW)
PAIR = np.zeros((sabacc.NUM_VALUES, sabacc.NUM_VALUES), np.int64)
PAIR[LOW, HIGH] = PAIR[HIGH, LOW] = np.arange(NUM_PAIRS)
_FIRST, _SECOND = (axis.ravel() for axis in np.indices((sabacc.NUM_VALUES, sabacc.NUM_VALUES)))
_MIN_WEIGHT = 1e-200
"""Floor on a range: all other pairs may yet turn out to be impossible."""
_TRIES = 8
"""With several opponents, so many times more hands are drawn than are kept."""


class HandPosterior(Worlds):
    """The posterior of the seats of several games, without a list of worlds.

    Attributes:
        ranges: by game, seat and pair of hand cards, (games, seats, 231), float64; each up to a factor.
    """

    def __init__(
        self, game: Game, options: Options, player: Player, seats: Int64s, generator: np.random.Generator | None
    ) -> None:
        """Start without any ranges; `generator` draws worlds, and for players whose probabilities are unknown."""
        super().__init__(game, options, player, seats, generator)  # type: ignore[arg-type]  # None draws nothing.
        self.ranges = np.ones((len(seats), options.num_players, NUM_PAIRS))
        self._dealt = np.full((len(seats), 2), -1)  # The hand, and the first round since its cards were dealt.

    def start(self, states: States, who: Int64s, deals: Int64s) -> None:
        """Forget the ranges of games whose hands were dealt again."""
        dealt = np.stack([states["hand"], states["fresh_round"]], axis=1)
        new = (dealt != self._dealt).any(axis=1)
        # Double dice leave the hands of seats that have folded alone, until the next hand.
        folded = states["folded"][:, : self.options.num_players].astype(bool)
        self.ranges[new[:, None] & ~(folded & (dealt[:, :1] == self._dealt[:, :1]))] = 1.0
        self._dealt[new] = dealt[new]

    def follow(
        self, previous: States, states: States, before: Int64s, actions: Int64s, who: Int64s, deals: Int64s
    ) -> None:
        """Update the ranges of the opponents that acted."""
        acted = (before >= 0) & (before != self._seats)
        swaps = (previous["phase"] == sabacc.PLACING) & (actions >= sabacc.SWAP_LOW)
        for rows, update in (
            (np.flatnonzero(acted & ~swaps), self._weigh),
            (np.flatnonzero(acted & swaps), self._swap),
        ):
            if rows.size:
                seats = before[rows]
                update(previous.take(rows), states.take(rows), rows, seats, actions[rows])
                ranges = self.ranges[rows, seats]
                ranges /= np.maximum(ranges.max(axis=1, keepdims=True), _MIN_WEIGHT)  # 0 after what no pair does.
                self.ranges[rows, seats] = np.maximum(ranges, _MIN_WEIGHT)

    def sample(self, game: int, states: States, count: int) -> States:
        """Draw worlds, (count,), in random order."""
        opponents = self.options.num_players - 1
        tries = count * (1 if opponents == 1 else _TRIES)
        worlds, weights = np.repeat(states[game : game + 1], tries), np.ones(tries)
        shares = (np.arange(tries) + self._generator.random()) / tries
        source = self._generator.integers(0, 2**63, 2, np.uint64)
        deal_by_ranges(worlds, int(self._seats[game]), self.ranges[game], shares, weights, source)
        kept: States = worlds.take(evenly(weights, count, self._generator))
        return kept

    def effective(self, game: int) -> float:
        """NaN: the worlds are drawn from the posterior itself."""
        return np.nan

    def _weigh(self, previous: States, states: States, rows: Int64s, seats: Int64s, actions: Int64s) -> None:
        """Multiply ranges by the probabilities of bets, purchases, and bought cards laid down."""
        counts = face_down(previous)
        placing = np.flatnonzero(previous["phase"] == sabacc.PLACING)
        counts[placing, previous["extra"][placing] + 10] -= 1  # Everyone sees it now.
        at, pairs = np.nonzero(_possible(counts, LOW, HIGH))
        chances = self._chances(previous.take(at), seats[at], LOW[pairs], HIGH[pairs])
        self.ranges[rows[at], seats[at], pairs] *= chances[np.arange(len(at)), actions[at]]

    def _swap(self, previous: States, states: States, rows: Int64s, seats: Int64s, actions: Int64s) -> None:
        """Move ranges to the pairs after a bought card has replaced a hand card, which everyone sees.

        Either card of the new pair may be the one kept. Two equal cards count twice, because only one order of them
        exists; a kept card that equals the discarded one counts half, because they were dealt in one order.
        """
        counts = face_down(previous)
        gone = states["turned_up"][np.arange(len(rows)), seats, previous["round_number"]] + 10
        counts[np.arange(len(rows)), gone] -= 1
        at, pairs = np.nonzero(_possible(counts, _FIRST, _SECOND))
        kept, bought, gone = _FIRST[pairs], _SECOND[pairs], gone[at]
        low, high = np.minimum(kept, gone), np.maximum(kept, gone)
        chances = self._chances(previous.take(at), seats[at], low, high, bought)
        taken = chances[:, sabacc.SWAP_LOW] * (low == gone) + chances[:, sabacc.SWAP_HIGH] * (high == gone)
        shares = taken * np.where(kept == gone, 0.5, 1.0) * np.where(kept == bought, 2.0, 1.0)
        old = self.ranges[rows[at], seats[at], PAIR[gone, kept]]
        self.ranges[rows, seats] = 0.0
        np.add.at(self.ranges, (rows[at], seats[at], PAIR[kept, bought]), old * shares)

    def _chances(
        self, states: States, seats: Int64s, low: Int64s, high: Int64s, extra: Int64s | None = None
    ) -> npt.NDArray[np.floating[Any]]:
        """Get the player's probabilities of actions if the seats held these cards, (rows, actions); `states` change."""
        at = np.arange(len(states))
        states["cards"][at, seats, sabacc.LOW_SLOT] = low - 10
        states["cards"][at, seats, sabacc.HIGH_SLOT] = high - 10
        if extra is not None:
            states["extra"] = extra - 10
        draws, source = np.zeros(len(states)), np.zeros(2, np.uint64)
        if self._generator is not None:
            draws, source = self._generator.random(len(states)), self._generator.integers(0, 2**63, 2, np.uint64)
        return Decisions(self.game, self.options, states, seats).probabilities_of(self.player, draws, source)


def face_down(states: States) -> Int64s:
    """Return the number of cards of each value that not everyone sees, (games, 21)."""
    counts: Int64s = sabacc.DECK_COUNTS[states["values"], states["copies"], states["zeros"]] - states["public"]
    return counts


def _possible(counts: Int64s, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether two cards can be among `counts`, (games, 21), for each pair of values, (games, pairs)."""
    possible: npt.NDArray[np.bool_] = (counts[:, first] > 0) & (counts[:, second] > (first == second))
    return possible


@compiled
def deal_by_ranges(
    states: Any, seat: int, ranges: Float64s, shares: Float64s, weights: Float64s, generator: Generator
) -> None:
    """Deal all that `seat` cannot see: each opponent's hand by its range, then the other cards.

    `shares`, (states,), are quantiles of the first opponent's hand. `weights`, (states,), are multiplied by how many
    ways there are to deal the hands of the others, given those before.
    """
    counts = np.zeros(sabacc.NUM_VALUES, np.int64)
    for i in range(states.shape[0]):
        state = states[i]
        counts[:] = 0
        count_hidden(state, seat, counts)
        dealt = np.zeros(state.num_players, np.bool_)
        quantile = shares[i]
        for ahead in range(1, state.num_players):
            other = (seat + ahead) % state.num_players
            if state.cards[other, sabacc.HIGH_SLOT] == sabacc.EMPTY:
                continue
            whole = 0.0
            for pair in range(NUM_PAIRS):
                whole += ranges[other, pair] * pair_ways(counts, pair)
            weights[i] *= whole
            left = whole * quantile
            chosen = 0
            for pair in range(NUM_PAIRS):
                weight = ranges[other, pair] * pair_ways(counts, pair)
                if weight > 0.0:
                    chosen = pair
                    left -= weight
                    if left < 0.0:
                        break
            state.cards[other, sabacc.LOW_SLOT] = LOW[chosen] - 10
            state.cards[other, sabacc.HIGH_SLOT] = HIGH[chosen] - 10
            counts[LOW[chosen]] -= 1
            counts[HIGH[chosen]] -= 1
            dealt[other] = True
            quantile = uniform_float(generator)
        deal_hidden(state, seat, counts, dealt, generator)


@rule
def pair_ways(counts: Int64s, pair: int) -> float:
    """Return the number of ways to deal a pair from so many cards of each value, (21,)."""
    low, high = LOW[pair], HIGH[pair]
    if low == high:
        return float(counts[low] * (counts[low] - 1) / 2.0)
    return float(counts[low] * counts[high])

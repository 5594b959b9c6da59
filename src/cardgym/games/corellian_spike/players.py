"""The players of Corellian Spike: the paper's, and a readable heuristic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cardgym.engine.contract import CardgymError, Float32s, Float64s, Generator, Int8s, State, rule
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.hand import NUM_SUM_RANKS, card_sum, slot_of, sum_rank
from cardgym.games.corellian_spike.observations import count_unseen
from cardgym.games.corellian_spike.rounds import card_price, owed
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.games.corellian_spike.state_index import digits_of, info_state_keys

if TYPE_CHECKING:
    from cardgym.players import Player, TablePlayer

RANDOM_TABLE_SEED = 2023  # The paper's year; the paper's own random policy is not published.

MAX_SUM = 30  # Sums are from -30 to 30.
_MAX_RAISES = 10
_AFTER_RAISES = np.array([0.96**raises for raises in range(_MAX_RAISES + 1)])
"""How much of a share is left after some raises: each suggests better cards."""
_NO_DOUBLES = np.array([(5.0 / 6.0) ** rolls for rolls in range(4)])
"""The chance of no doubles in some rolls. Tables, because powers differ in the last bit from one machine to another."""


@rule
def initial(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Return the paper's initial policy: always match, never buy, discard (section 4.2)."""
    if state.phase == sabacc.BETTING:
        return sabacc.MATCH
    return sabacc.DONT_BUY if state.phase == sabacc.BUYING else sabacc.DISCARD


def random_table(options: CorellianSpikeOptions) -> Int8s:
    """Return the paper's random policy, int8 by state index: each drawn uniformly from the actions of its decision."""
    try:
        generator = np.random.default_rng(RANDOM_TABLE_SEED)
    except (ImportError, AttributeError):
        raise CardgymError("random-table: this NumPy draws no random numbers, as in a page") from None
    decision = np.maximum(digits_of(info_state_keys(options)).decision - 1, 0)
    draws = generator.integers(0, 12, len(decision), np.int8)  # Decisions have 2, 3 or 4 actions; all divide 12.
    first = np.array([sabacc.RAISE, sabacc.BUY, sabacc.DISCARD], np.int8)[decision]
    count = np.array([3, 2, 4], np.int8)[decision]
    actions: Int8s = np.asarray(first + draws % count, np.int8)
    return actions


def random_table_player(options: CorellianSpikeOptions) -> TablePlayer:
    from cardgym.players import TablePlayer

    return TablePlayer("random-table", random_table(options))


# -- the heuristic ----------------------------------------------------------------------------------------------------


@rule
def heuristic(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Play by the odds of the unseen cards.

    A hand is worth its chance to beat every opponent if their hidden cards are drawn from the unseen ones; after
    doubles all players have even odds. Raise with well above an even share, fold if a match costs more than the hand's
    share of the pool, buy if the average gain exceeds the price, and place a card for the best sum. A cheat places its
    sleeve card in the same way. Special hands count by their sums.
    """
    unseen = np.zeros(sabacc.NUM_VALUES, np.float32)
    count_unseen(state, seat, unseen)
    beats = np.zeros(2 * MAX_SUM + 1, np.float64)
    chances_to_beat_all(state, seat, unseen, beats)
    if state.phase == sabacc.BETTING:
        return _bet(state, seat, mask, unseen, beats)
    total = card_sum(state, seat)
    if state.phase == sabacc.BUYING:
        if not mask[sabacc.BUY]:
            return sabacc.DONT_BUY
        gain = 0.0
        for value in range(sabacc.NUM_VALUES):
            best = beats[total + MAX_SUM]
            for slot in range(3):
                best = max(best, beats[total + value - 10 - state.cards[seat, slot] + MAX_SUM])
            gain += unseen[value] * (best - beats[total + MAX_SUM])
        gain *= _stays(state) / unseen.sum()
        return sabacc.BUY if gain * _expected_pool(state) > card_price(state) else sabacc.DONT_BUY
    choice = sabacc.DISCARD
    best = beats[total + MAX_SUM]
    for action in (sabacc.SWAP_SPIKE, sabacc.SWAP_LOW, sabacc.SWAP_HIGH):
        worth = beats[total + state.extra - state.cards[seat, slot_of(action)] + MAX_SUM]
        if mask[action] and worth > best:
            choice = action
            best = worth
    return choice


@rule
def _bet(state: State, seat: int, mask: Int8s, unseen: Float32s, beats: Float64s) -> int:
    players = 0
    raises = 0
    for other in range(state.num_players):
        if not state.folded[other]:
            players += 1
            if other != seat:
                raises += state.raises[other]
    total = card_sum(state, seat)
    holds = beats[total + MAX_SUM]
    if state.cards[seat, sabacc.SPIKE_SLOT] == sabacc.EMPTY:
        holds = 0.0
        for value in range(sabacc.NUM_VALUES):
            holds += unseen[value] * beats[total + value - 10 + MAX_SUM]
        holds /= unseen.sum()
    even = 1.0 / players
    stays = _stays(state)
    share = stays * holds + (1.0 - stays) * even
    share *= _AFTER_RAISES[min(raises, _MAX_RAISES)]
    due = owed(state, seat)
    if mask[sabacc.RAISE] and share > even * (1.15 + 0.1 * state.raises[seat]):
        return sabacc.RAISE
    if due > 0 and share * (state.pool + due) < due:
        return sabacc.FOLD
    return sabacc.MATCH


@rule
def _stays(state: State) -> float:
    """Return the chance of no doubles before the showdown: one roll after the bets of each round but round 0."""
    return float(_NO_DOUBLES[state.rounds + 1 - max(state.round_number, 1)])


@rule
def _expected_pool(state: State) -> float:
    """Return the pool at the showdown if each player still in puts in one more credit a round."""
    players = 0
    for other in range(state.num_players):
        players += 1 - state.folded[other]
    return float(state.pool + players * (state.rounds + 1 - state.round_number))


@rule
def chances_to_beat_all(state: State, seat: int, unseen: Float32s, beats: Float64s) -> None:
    """Write, for each sum from -30 to 30, its chance to beat every opponent still in; a tie counts half."""
    pairs = np.zeros(41, np.float64)
    for first in range(sabacc.NUM_VALUES):
        for second in range(sabacc.NUM_VALUES):
            pairs[first + second] += unseen[first] * unseen[second]
        pairs[2 * first] -= unseen[first] / 3.0  # In thirds, as `unseen`: the same card is not drawn twice.
    beats[:] = 1.0
    ranks = np.zeros(NUM_SUM_RANKS, np.float64)
    for other in range(state.num_players):
        if other == seat or state.folded[other]:
            continue
        ranks[:] = 0.0
        if state.cards[other, sabacc.SPIKE_SLOT] == sabacc.EMPTY:
            for value in range(sabacc.NUM_VALUES):
                _add_sums(ranks, pairs, value - 10, unseen[value])
        else:
            _add_sums(ranks, pairs, state.cards[other, sabacc.SPIKE_SLOT], 1.0)
        whole = ranks.sum()
        worse = 0.0  # The weight of the sums that lose to this rank.
        for rank in range(NUM_SUM_RANKS - 1, -1, -1):
            beaten = (worse + ranks[rank] / 2.0) / whole
            worse += ranks[rank]
            if rank != 1:  # 0 has no negative.
                beats[MAX_SUM + (-(rank // 2) if rank % 2 else rank // 2)] *= beaten


@rule
def _add_sums(ranks: Float64s, pairs: Float64s, spike: int, weight: float) -> None:
    """Add the weight of each pair of hand cards to the rank of its sum with a spike."""
    for pair in range(41):
        total = pair - 20 + spike
        ranks[sum_rank(total)] += weight * pairs[pair]


def champion(options: CorellianSpikeOptions) -> Player:
    """Return the player `champion`."""
    from cardgym.games.corellian_spike.champion import make_player

    return make_player(options)


ANY_OPTIONS: dict[str, Callable[..., Any]] = {
    "initial": initial,
    "heuristic": heuristic,
    "random-table": random_table_player,
}
PLAYERS = {**ANY_OPTIONS, "champion": champion}

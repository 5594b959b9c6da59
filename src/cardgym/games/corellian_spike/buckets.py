"""The observation `buckets`: an abstraction of Corellian Spike, small enough for a table yet good enough to play.

It keeps what matters most for betting, buying and placing: the strength of the hand (in finer steps near 0), whether
one card could make a sum of 0, what the rival has shown, and the pool relative to the stacks. It drops the exact cards,
most actions of earlier rounds, and the number of hands left. The rival is the opponent with the most raises of those
still in. Special hands are ignored, as is the card up a cheat's sleeve until it can be swapped.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Float32s, Observation, State, places, rule, write_zeros
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.hand import hand_rank, next_in, slot_of
from cardgym.games.corellian_spike.rounds import owed
from cardgym.games.corellian_spike.state import CorellianSpikeOptions

_MAX_HAND = 11
_IMPROVABLE = 7  # From this bucket on, `outs` counts the cards that make a sum of 0.

# The highest number in each bucket except the last.
_PAIR_LIMITS = np.array([1, 3, 5, 7, 10, 14], np.int32)
_POOL_LIMITS = np.array([6, 10, 18, 30], np.int32)
_STACK_LIMITS = np.array([0, 8], np.int32)


def buckets_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    return (
        Feature("round", "round", 1, 0, 3),
        Feature("decision", "1 betting, 2 buying, 3 placing, 0 at the end", 1, 0, 3),
        Feature("first", "1 if no opponent still in acts earlier", 1, 0, 1),
        Feature("pair", "round 0: |sum of the hand|, 0 to 1, 1 to 3, 2 to 5, 3 to 7, 4 to 10, 5 to 14, 6 on", 1, 0, 6),
        Feature("hand", "bucket of the hand, 0 the best; placing: of the best hand possible", 1, 0, _MAX_HAND),
        Feature("best", "placing: the action that makes that hand; else 0", 1, 0, sabacc.SWAP_HIGH),
        Feature("outs", "different cards that would make a sum of 0, 1 for none; 0 if near it or never", 1, 0, 3),
        Feature("to_match", "1 if there is something to match", 1, 0, 1),
        Feature("rival_raises", "raises of the rival this round, at most 2", 1, 0, 2),
        Feature("rival_raised", "1 if it raised in an earlier round since its hand was dealt", 1, 0, 1),
        Feature("rival_bought", "its last purchase since then: 1 none, 2 discarded, 3 kept; 0 not yet", 1, 0, 3),
        Feature("pool", "credits in the pool: 0 to 6, 1 to 10, 2 to 18, 3 to 30, 4 more", 1, 0, 4),
        Feature("stack", "credits of the poorer of the two: 0 none, 1 to 8, 2 more", 1, 0, 2),
        Feature("opponents", "opponents still in", 1, 0, sabacc.MAX_PLAYERS - 1),
    )


_AT = places(buckets_features(CorellianSpikeOptions()))


@rule
def observe_buckets(state: State, seat: int, out: Float32s) -> None:
    write_zeros(out, 0, out.shape[0])
    phase = state.phase
    if phase == sabacc.OVER:
        return
    placing = (phase == sabacc.PLACING) | (phase == sabacc.CHEATING)
    out[_AT.round] = state.round_number
    out[_AT.decision] = 1 + (phase == sabacc.BUYING) + 2 * placing
    out[_AT.first] = next_in(state, 0) >= seat
    low, high, spike = (
        state.cards[seat, sabacc.LOW_SLOT],
        state.cards[seat, sabacc.HIGH_SLOT],
        state.cards[seat, sabacc.SPIKE_SLOT],
    )
    if placing and state.turn == seat:
        _observe_placing(state, seat, out)
        return  # Placement depends on little else.
    if spike == sabacc.EMPTY:
        if low != sabacc.EMPTY and high != sabacc.EMPTY:
            out[_AT.pair] = _bucket(abs(int(low) + int(high)), _PAIR_LIMITS)
    elif low != sabacc.EMPTY and high != sabacc.EMPTY:
        out[_AT.hand] = hand_bucket(low, high, spike)
        if out[_AT.hand] >= _IMPROVABLE and (phase == sabacc.BUYING or state.round_number < state.rounds):
            out[_AT.outs] = max(_count_outs(low, high, spike), 1)
    out[_AT.to_match] = phase == sabacc.BETTING and owed(state, seat) > 0
    out[_AT.pool] = _bucket(state.pool, _POOL_LIMITS)
    _observe_rival(state, seat, out)


@rule
def hand_bucket(low: int, high: int, spike: int) -> int:
    """Return the strength of three cards, from 0 (best) to 11 (worst).

    Buckets 0 to 2 are sums of 0 whose positive cards sum to 10 or more, 7 to 9, or less. Then follow the sums 1, -1, 2,
    -2, and the sizes |sum| 3; 4; 5 and 6; 7 to 9; and 10 or more.
    """
    total = int(low) + int(high) + int(spike)
    size = abs(total)
    if size == 0:
        positive = max(int(low), 0) + max(int(high), 0) + max(int(spike), 0)
        return int(positive < 10) + int(positive < 7)
    if size <= 2:
        return 2 * size + 1 + int(total < 0)
    return 7 + int(size > 3) + int(size > 4) + int(size > 6) + int(size > 9)


@rule
def _bucket(amount: int, limits: npt.NDArray[np.int32]) -> int:
    place = 0
    for limit in limits:
        place += amount > limit
    return place


@rule
def _count_outs(low: int, high: int, spike: int) -> int:
    """Return the number of distinct cards that would make a sum of 0 by replacing one of the three."""
    total = int(low) + int(high) + int(spike)
    outs = int(abs(total - low) <= 10) + int(abs(total - high) <= 10 and high != low)
    return outs + int(abs(total - spike) <= 10 and spike != low and spike != high)


@rule
def _observe_placing(state: State, seat: int, out: Float32s) -> None:
    """Write the placement that makes the best hand now."""
    best = -1
    for action in range(sabacc.DISCARD, sabacc.SWAP_HIGH + 1):
        if action == sabacc.SWAP_SPIKE and state.phase == sabacc.CHEATING:
            continue
        replaced = -1 if action == sabacc.DISCARD else slot_of(action)
        low = state.extra if replaced == sabacc.LOW_SLOT else state.cards[seat, sabacc.LOW_SLOT]
        high = state.extra if replaced == sabacc.HIGH_SLOT else state.cards[seat, sabacc.HIGH_SLOT]
        spike = state.extra if replaced == sabacc.SPIKE_SLOT else state.cards[seat, sabacc.SPIKE_SLOT]
        rank = hand_rank(low, high, spike)
        if rank > best:
            best = rank
            out[_AT.best], out[_AT.hand] = action, hand_bucket(low, high, spike)


@rule
def _observe_rival(state: State, seat: int, out: Float32s) -> None:
    """Write what the rival has shown: the opponent still in with the most raises, the next in turn if tied."""
    rival, most, opponents = -1, -1, 0
    for ahead in range(1, state.num_players):
        other = seat + ahead if seat + ahead < state.num_players else seat + ahead - state.num_players
        if not state.folded[other]:
            opponents += 1
            if state.raises[other] > most:
                rival, most = other, state.raises[other]
    out[_AT.opponents] = opponents
    if rival < 0:
        return
    out[_AT.stack] = _bucket(min(state.stack[seat], state.stack[rival]), _STACK_LIMITS)
    raised, bought = 0, 0
    for number in range(state.fresh_round, state.round_number + 1):
        raises = state.bets[rival, number, sabacc.OPENED] + state.bets[rival, number, sabacc.RERAISED]
        if number < state.round_number:
            raised += raises
        else:
            out[_AT.rival_raises] = min(raises, 2)
        purchase = state.purchase[rival, number]
        if purchase == sabacc.PASSED:
            bought = 1
        elif purchase == sabacc.LAID_DOWN:
            bought = 2
        elif purchase == sabacc.NEW_SPIKE or purchase == sabacc.IN_HAND:
            bought = 3
    out[_AT.rival_raised] = min(raised, 1)
    out[_AT.rival_bought] = bought


BUCKETS = Observation(observe_buckets, buckets_features)

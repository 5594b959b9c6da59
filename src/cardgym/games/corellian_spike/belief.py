"""A belief over opponents' hands by Bayes' rule, from the cards seen, bets, purchases and discards: `belief`.

All that an opponent hides is its two hand cards, so a belief is a weight for each of the 231 pairs. The weight is a
product of two parts:

- The number of ways to draw the pair from the cards that the seat has not seen. Draws of other cards, hidden or not,
  affect only this part, because draws without replacement can be taken in any order.
- The likelihood of the opponent's actions since its hand was dealt or redrawn, given the pair. This part is the same
  for every observer. When the opponent takes a bought card into its hand and discards another, the new pairs inherit
  the weights of the pairs that contained the discarded card.

Against one opponent this is the exact posterior under the action model. With several, each opponent's belief treats the
other opponents' hidden cards as ordinary unseen cards and ignores what those opponents have bet. Once the discard pile
has become the draw pile (which takes at least four players), its cards count as unseen since the deal.

The observation assumes that the opponents act like `ppo`; the shares of its actions are in `action_models.toml`.
"""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import (
    Feature,
    Float32s,
    Float64s,
    Generator,
    Observation,
    State,
    places,
    rule,
    uniform_float,
    write_zeros,
)
from cardgym.games.corellian_spike import observations
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.action_models import PLACES, SHARES, SIZES
from cardgym.games.corellian_spike.hand import NUM_SUM_RANKS, card_sum, slot_of, sum_rank
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.games.corellian_spike.state_index import code_features, observe_code

_MAX_SIZE = 11  # The observation distinguishes |sum| 0 to 10, and 11 or more.
_MIN_WEIGHT = 1e-200  # Floor on a pair's weight: all other pairs may yet turn out to be impossible.


def belief_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """Get the features of the observation `belief`: those of `full`, then four for each opponent in order of play."""
    beliefs: list[Feature] = []
    for ahead in range(1, options.num_players):
        name = f"opponent_{ahead}"
        beliefs += [
            Feature(f"{name}_beaten", "chance that the current sum beats its sum, a tie is half; 0 if it has folded"),
            Feature(f"{name}_placed", "the same after swapping with spike, low, high; 0 without a bought card", 3),
            Feature(f"{name}_size", "probability that its |sum| is 0, 1, .. 10, more", _MAX_SIZE + 1),
            Feature(
                f"{name}_cards", "expected number of cards of each value -10 .. 10 in its hand / 2", sabacc.NUM_VALUES
            ),
        ]
    return observations.full_features(options) + tuple(beliefs)


_AT = places(belief_features(CorellianSpikeOptions()))
_FIRST_OPPONENT = _AT.opponent_1_in
_FULL_OPPONENT = _AT.opponent_1_beaten - _FIRST_OPPONENT  # Features of an opponent in `full`.
_BEATEN_PLACED = _AT.opponent_1_placed - _AT.opponent_1_beaten
_SIZE = _AT.opponent_1_size - _AT.opponent_1_beaten
_CARDS = _AT.opponent_1_cards - _AT.opponent_1_beaten
_BELIEF_SIZE = _CARDS + sabacc.NUM_VALUES


@rule
def observe_belief(state: State, seat: int, out: Float32s) -> None:
    observations.observe_full(state, seat, out)
    start = _FIRST_OPPONENT + _FULL_OPPONENT * (state.num_players - 1) + 2 * (state.cheat >= 0)
    weights = np.empty((sabacc.NUM_VALUES, sabacc.NUM_VALUES), np.float64)
    ranks = np.empty(NUM_SUM_RANKS, np.float64)
    unseen = np.empty(sabacc.NUM_VALUES, np.float32)
    for ahead in range(1, state.num_players):
        other = seat + ahead if seat + ahead < state.num_players else seat + ahead - state.num_players
        write_zeros(out, start, start + _BELIEF_SIZE)
        if not state.folded[other] and state.cards[other, sabacc.HIGH_SLOT] != sabacc.EMPTY:
            observations.count_unseen(state, seat, unseen)
            weigh_pairs(state, other, unseen, weights)
            _write_cards(state, other, weights, ranks, out[start : start + _BELIEF_SIZE])
            _write_beaten(state, seat, ranks, out[start : start + _BELIEF_SIZE])
        start += _BELIEF_SIZE


@rule
def weigh_pairs(state: State, other: int, unseen: Float32s, weights: Float64s) -> None:
    """Write the probability that `other` holds each pair of hand cards.

    Args:
        state: the game; `other` holds two hand cards.
        other: the seat whose hand is inferred.
        unseen: cards of each value -10 .. 10 that the observing seat has not seen, in thirds; (21,) float32.
        weights: written at [low + 10, high + 10] for low <= high; (21, 21) float64.
    """
    weigh_actions(state, other, weights)
    whole = 0.0
    for low in range(sabacc.NUM_VALUES):
        count = np.rint(3.0 * unseen[low])
        weights[low, low] *= count * (count - 1.0) / 2.0
        whole += weights[low, low]
        for high in range(low + 1, sabacc.NUM_VALUES):
            weights[low, high] *= count * np.rint(3.0 * unseen[high])
            whole += weights[low, high]
    for low in range(sabacc.NUM_VALUES):
        for high in range(low, sabacc.NUM_VALUES):
            weights[low, high] /= whole


@rule
def weigh_actions(state: State, other: int, weights: Float64s) -> None:
    """Write the likelihood of `other`'s actions given each pair, up to a factor; arguments as in `weigh_pairs`."""
    weights[:] = 1.0
    by_sum = np.empty(2 * sabacc.NUM_VALUES - 1, np.float64)
    old = np.empty((sabacc.NUM_VALUES, sabacc.NUM_VALUES), np.float64)
    for number in range(state.fresh_round, state.round_number + 1):
        purchase = state.purchase[other, number]
        spike = 0
        if number > 0 and purchase >= sabacc.PASSED:
            spike = int(state.spike_before[other, number])
            for total in range(2 * sabacc.NUM_VALUES - 1):
                bought = SHARES[sabacc.NUM_BETS, number, min(abs(total - 20 + spike), SIZES - 1)]
                by_sum[total] = bought if purchase >= sabacc.BOUGHT else 1.0 - bought
            _weigh_sums(weights, by_sum)
            card = int(state.turned_up[other, number])
            if purchase == sabacc.IN_HAND:
                _take_in_hand(card, spike, PLACES, old, weights)
            elif purchase > sabacc.BOUGHT:
                _weigh_placing(card, spike, purchase == sabacc.NEW_SPIKE, PLACES, weights)
                if purchase == sabacc.NEW_SPIKE:
                    spike = card
        elif number > 0:
            # No bets before the purchase, or no credits to buy or bet with.
            continue
        for total in range(2 * sabacc.NUM_VALUES - 1):
            by_sum[total] = 1.0
            size = min(abs(total - 20 + spike), SIZES - 1)
            for kind in range(sabacc.NUM_BETS):
                for _ in range(state.bets[other, number, kind]):
                    by_sum[total] *= SHARES[kind, number, size]
        _weigh_sums(weights, by_sum)


@rule
def resample_by_actions(state: State, seat: int, generator: Generator) -> None:
    """Deal all cards that `seat` cannot see again; each opponent's hand by the belief, assuming it acts like `ppo`.

    With several opponents the hands are drawn one after the other, each without the cards of the previous ones.
    """
    counts = np.zeros(sabacc.NUM_VALUES, np.int64)
    observations.count_hidden(state, seat, counts)
    dealt = np.zeros(state.num_players, np.bool_)
    weights = np.empty((sabacc.NUM_VALUES, sabacc.NUM_VALUES), np.float64)
    for ahead in range(1, state.num_players):
        other = seat + ahead if seat + ahead < state.num_players else seat + ahead - state.num_players
        if state.folded[other] or state.cards[other, sabacc.HIGH_SLOT] == sabacc.EMPTY:
            continue
        weigh_pairs(state, other, (counts / 3.0).astype(np.float32), weights)
        left = uniform_float(generator)
        low, high = 0, 0
        for pair in range(sabacc.NUM_VALUES * sabacc.NUM_VALUES):
            first, second = pair // sabacc.NUM_VALUES, pair % sabacc.NUM_VALUES
            if second >= first and weights[first, second] > 0.0:
                low, high = first, second
                left -= weights[first, second]
                if left < 0.0:
                    break
        state.cards[other, sabacc.LOW_SLOT], state.cards[other, sabacc.HIGH_SLOT] = low - 10, high - 10
        counts[low] -= 1
        counts[high] -= 1
        dealt[other] = True
    observations.deal_hidden(state, seat, counts, dealt, generator)


@rule
def _weigh_sums(weights: Float64s, by_sum: Float64s) -> None:
    """Multiply each pair's weight by that of its sum. `by_sum` is indexed by sum + 20 and scaled in place."""
    most = 0.0
    for total in range(2 * sabacc.NUM_VALUES - 1):
        most = max(most, by_sum[total])
    for total in range(2 * sabacc.NUM_VALUES - 1):
        by_sum[total] /= most
    for low in range(sabacc.NUM_VALUES):
        for high in range(low, sabacc.NUM_VALUES):
            weights[low, high] = max(weights[low, high] * by_sum[low + high], _MIN_WEIGHT)


@rule
def _weigh_placing(card: int, spike: int, as_spike: bool, places: Float64s, weights: Float64s) -> None:
    """Multiply each pair's weight by the chance that its holder discards a bought card, or makes it the spike."""
    for low in range(sabacc.NUM_VALUES):
        for high in range(low, sabacc.NUM_VALUES):
            first, second = low - 10, high - 10
            laid_down, new_spike = places[abs(first + second + spike)], places[abs(first + second + card)]
            whole = laid_down + new_spike + places[abs(first + card + spike)] + places[abs(second + card + spike)]
            weights[low, high] *= (new_spike if as_spike else laid_down) / whole


@rule
def _take_in_hand(gone: int, spike: int, places: Float64s, old: Float64s, weights: Float64s) -> None:
    """Update the weights after a bought card has replaced `gone` in the hand.

    Either card of a pair may be the one kept. `old` is scratch space for the previous weights.
    """
    for low in range(sabacc.NUM_VALUES):
        for high in range(low, sabacc.NUM_VALUES):
            old[low, high] = weights[low, high]
            weights[low, high] = 0.0
    for kept in range(sabacc.NUM_VALUES):
        for bought in range(sabacc.NUM_VALUES):
            weight = _replaces(old, gone, kept - 10, bought - 10, spike, places)
            weights[min(kept, bought), max(kept, bought)] += weight if kept == bought else weight / 2.0


@rule
def _replaces(old: Float64s, gone: int, kept: int, bought: int, spike: int, places: Float64s) -> float:
    """Return the weight of having held `gone` and `kept`, times the chance of replacing `gone` by the bought card.

    Two equal cards need no factor: either one can be replaced, but they can be dealt in only one order instead of two.
    """
    replaced = places[abs(kept + bought + spike)]
    whole = places[abs(gone + kept + spike)] + places[abs(gone + kept + bought)]
    whole += replaced + places[abs(gone + bought + spike)]
    return float(old[min(gone, kept) + 10, max(gone, kept) + 10] * replaced / whole)


# -- the observation --------------------------------------------------------------------------------------------------


@rule
def _write_cards(state: State, other: int, weights: Float64s, ranks: Float64s, out: Float32s) -> None:
    """Write the probabilities of the opponent's |sum|, the cards expected in its hand, and the weights of all ranks."""
    spike = 0 if state.cards[other, sabacc.SPIKE_SLOT] == sabacc.EMPTY else int(state.cards[other, sabacc.SPIKE_SLOT])
    expected = np.zeros(sabacc.NUM_VALUES, np.float64)
    ranks[:] = 0.0
    for low in range(sabacc.NUM_VALUES):
        for high in range(low, sabacc.NUM_VALUES):
            weight = weights[low, high]
            expected[low] += weight
            expected[high] += weight
            ranks[sum_rank(low + high - 20 + spike)] += weight
    for rank in range(NUM_SUM_RANKS):
        out[_SIZE + min(rank // 2, _MAX_SIZE)] += np.float32(ranks[rank])
    for size in range(_MAX_SIZE + 1):
        out[_SIZE + size] = min(out[_SIZE + size], np.float32(1.0))
    for value in range(sabacc.NUM_VALUES):
        out[_CARDS + value] = min(expected[value] / 2.0, 1.0)


@rule
def _write_beaten(state: State, seat: int, ranks: Float64s, out: Float32s) -> None:
    """Write the chances that the current hand, and the hand after each placement, beats the opponent's."""
    total = card_sum(state, seat)
    out[0] = _beaten(ranks, total)
    if state.extra != sabacc.EMPTY and state.turn == seat:
        for place in range(3):
            card = state.cards[seat, slot_of(sabacc.SWAP_SPIKE + place)]
            out[_BEATEN_PLACED + place] = _beaten(ranks, total + int(state.extra) - int(card))


@rule
def _beaten(ranks: Float64s, total: int) -> float:
    own = sum_rank(total)
    chance = ranks[own] / 2.0
    for rank in range(own + 1, NUM_SUM_RANKS):
        chance += ranks[rank]
    return min(float(chance), 1.0)


def odds_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """Return the features of the observation `odds`: the paper's state, and what the belief makes of each opponent."""
    return code_features(options) + tuple(
        Feature(f"opponent_{ahead}_odds", "tenths of the chance that the current sum beats its sum", 1, 0, 10)
        for ahead in range(1, options.num_players)
    )


@rule
def observe_odds(state: State, seat: int, out: Float32s) -> None:
    observe_code(state, seat, out)
    others = state.num_players - 1
    first = _FIRST_OPPONENT + _FULL_OPPONENT * others + 2 * (state.cheat >= 0)
    belief = np.zeros(first + _BELIEF_SIZE * others, np.float32)
    observe_belief(state, seat, belief)
    for other in range(others):
        out[ODDS_AT.opponent_1_odds + other] = np.rint(10 * belief[first + _BELIEF_SIZE * other])


ODDS_AT = places(odds_features(CorellianSpikeOptions()))
BELIEF = Observation(observe_belief, belief_features)
ODDS = Observation(observe_odds, odds_features)

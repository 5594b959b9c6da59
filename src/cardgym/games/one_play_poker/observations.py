"""The observations of One Play Poker, and the paper's states (player, house, pot) as table indices."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from cardgym.engine.contract import Feature, Float32s, Int8s, Int64s, State, places, rule, write_zeros
from cardgym.games.one_play_poker import rules
from cardgym.games.one_play_poker.rules import OnePlayPokerOptions
from cardgym.games.one_play_poker.text import card_text

_FIRST_ONE = 1  # The index of the first state with one card out; 0 is the end.
_FIRST_TWO = _FIRST_ONE + rules.NUM_CARDS
_FIRST_THREE = _FIRST_TWO + rules.NUM_CARDS * (rules.NUM_CARDS - 1) * 2
_FIRST_FOUR = _FIRST_THREE + rules.NUM_CARDS * (rules.NUM_CARDS - 1) // 2 * (rules.NUM_CARDS - 2) * 3
_HOUSE_HANDS = (rules.NUM_CARDS - 2) * (rules.NUM_CARDS - 3) // 2
_END = _FIRST_FOUR + rules.NUM_CARDS * (rules.NUM_CARDS - 1) // 2 * _HOUSE_HANDS * 4


def num_info_states(options: OnePlayPokerOptions) -> int:
    """Return the number of states with a decision, plus one for the end: 5,537, or 49,217 with four decisions."""
    return _FIRST_FOUR if options.decisions == 3 else _END


@rule
def info_state_key(state: State, seat: int) -> int:
    """Nine digits: bets, own cards, the house's cards, two digits for each card, from 01; 0 at the end."""
    if state.phase == rules.OVER:
        return 0
    own = (int(state.player[0]) + 1) * 100 + int(state.player[1]) + 1
    house = (int(state.house[0]) + 1) * 100 + int(state.house[1]) + 1
    return (int(state.bets) * 10_000 + own) * 10_000 + house


@rule
def info_state_index(state: State, seat: int) -> int:
    """Get the index among states with a decision, ordered by cards out, own hand, the house's hand and bets; else 0."""
    if state.phase != rules.BETTING:
        return 0
    bets = int(state.bets)
    low = int(state.player[0])
    if state.dealt == 1:
        return _FIRST_ONE + low
    house = int(state.house[0])
    if state.dealt == 2:
        return _FIRST_TWO + (low * (rules.NUM_CARDS - 1) + house - (house > low)) * 2 + bets
    high = int(state.player[1])
    own = _pair(low, high, rules.NUM_CARDS)
    house -= (house > low) + (house > high)
    if state.dealt == 3:
        return _FIRST_THREE + (own * (rules.NUM_CARDS - 2) + house) * 3 + bets
    other = int(state.house[1])
    other -= (other > low) + (other > high)
    return _FIRST_FOUR + (own * _HOUSE_HANDS + _pair(house, other, rules.NUM_CARDS - 2)) * 4 + bets


@rule
def _pair(low: int, high: int, size: int) -> int:
    """Return the index of a pair low < high among the pairs of 0 .. size - 1 in lexicographic order."""
    return low * (2 * size - low - 1) // 2 + high - low - 1


def states(options: OnePlayPokerOptions) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Own cards, the house's cards and bets of every state with a decision, in index order from 1."""
    for dealt in range(1, options.decisions + 1):
        for own in itertools.combinations(range(rules.NUM_CARDS), (dealt + 1) // 2):
            left = [card for card in range(rules.NUM_CARDS) if card not in own]
            for house in itertools.combinations(left, dealt // 2):
                for bets in range(dealt):
                    yield own, house, bets


def info_state_keys(options: OnePlayPokerOptions) -> Int64s:
    """Return the keys in index order, (num_info_states,) int64."""
    keys = [0]
    for own, house, bets in states(options):
        key = bets
        for card in (*own, *(rules.EMPTY,) * (2 - len(own)), *house, *(rules.EMPTY,) * (2 - len(house))):
            key = key * 100 + card + 1
        keys.append(key)
    return np.array(keys, np.int64)


def info_state_labels(options: OnePlayPokerOptions) -> list[str]:
    """Return the labels of the states in policy files, in index order; the first is the end."""
    return ["end", *(state_text(own, house, bets) for own, house, bets in states(options))]


def state_text(own: Iterable[int], house: Iterable[int], bets: int) -> str:
    """Return the paper's state (player, house, pot) with cards as text, such as `AH,KS QD 4`.

    Hands are in alphabetical order, as in the paper (section 4, "States"); `-` is an empty hand.
    """
    hands = (",".join(sorted(card_text(card) for card in hand)) or "-" for hand in (own, house))
    return f"{' '.join(hands)} {2 + 2 * bets}"


def full_features(options: OnePlayPokerOptions) -> tuple[Feature, ...]:
    cards = []
    for hand in ("own", "house"):
        for place in ("low", "high"):
            cards += [
                Feature(f"{hand}_{place}_rank", "one-hot: J, Q, K, A; all 0 if not dealt", rules.NUM_RANKS),
                Feature(f"{hand}_{place}_suit", "one-hot: spades, hearts, clubs, diamonds", rules.NUM_SUITS),
            ]
    return (
        Feature("cards_out", "one-hot: 1, 2, 3, 4 cards out", 4),
        Feature("bets", "bets made / 4; the pot is 2 + 2 x bets"),
        Feature("own_paired", "1 if the own cards have the same rank"),
        Feature("own_suited", "1 if the own cards have the same suit"),
        Feature("house_paired", "1 if the house's cards have the same rank"),
        Feature("house_suited", "1 if the house's cards have the same suit"),
        *cards,
    )


_AT = places(full_features(OnePlayPokerOptions()))
_CARD_SIZE = rules.NUM_RANKS + rules.NUM_SUITS  # A hand's low card, then its high card: rank and suit of each.


@rule
def observe_full(state: State, seat: int, out: Float32s) -> None:
    """Write the full observation; see `full_features`. A hand of one card has only its `low` card."""
    write_zeros(out, 0, out.shape[0])
    if state.dealt > 0:
        out[_AT.cards_out + state.dealt - 1] = 1.0
    out[_AT.bets] = state.bets / 4.0
    _write_cards(state.player, out, _AT.own_low_rank)
    if state.player[1] != rules.EMPTY:
        out[_AT.own_paired] = rules.is_pair(state.player[0], state.player[1])
        out[_AT.own_suited] = rules.is_flush(state.player[0], state.player[1])
    _write_cards(state.house, out, _AT.house_low_rank)
    if state.house[1] != rules.EMPTY:
        out[_AT.house_paired] = rules.is_pair(state.house[0], state.house[1])
        out[_AT.house_suited] = rules.is_flush(state.house[0], state.house[1])


@rule
def _write_cards(hand: Int8s, out: Float32s, start: int) -> None:
    for place in range(2):
        if hand[place] != rules.EMPTY:
            card = start + place * _CARD_SIZE
            out[card + hand[place] // rules.NUM_SUITS] = 1.0
            out[card + rules.NUM_RANKS + hand[place] % rules.NUM_SUITS] = 1.0


def paper_features(options: OnePlayPokerOptions) -> tuple[Feature, ...]:
    """Write the paper's observation: one number, the state's index."""
    return (Feature("index", "the index of the state (player, house, pot)", 1, 0, num_info_states(options) - 1),)


@rule
def observe_paper(state: State, seat: int, out: Float32s) -> None:
    """Write the state's index; float32 represents it exactly, since it is below 2^24."""
    out[0] = info_state_index(state, seat)

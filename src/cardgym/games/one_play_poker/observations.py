"""What the player of One Play Poker sees, as numbers: the full observation, the state's code and the paper's index."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Generator, Record, rule
from cardgym.games.one_play_poker.rules import (
    BETTING,
    EMPTY,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    OVER,
    OnePlayPokerOptions,
    is_flush,
    is_pair,
)


def full_features(options: OnePlayPokerOptions) -> tuple[Feature, ...]:
    """The rows of the full observation."""
    cards = []
    for hand in ("own", "house"):
        for place in ("low", "high"):
            cards += [
                Feature(f"{hand}_{place}_rank", "one-hot: J, Q, K, A; all 0 if not dealt", NUM_RANKS),
                Feature(f"{hand}_{place}_suit", "one-hot: spades, hearts, clubs, diamonds", NUM_SUITS),
            ]
    return (
        Feature("cards_out", "one-hot: 1, 2, 3, 4 cards out", 4),
        Feature("bets", "bets made / 4; the pot is 2 + 2 x bets"),
        Feature("own_paired", "1 if the own two cards are of one rank"),
        Feature("own_suited", "1 if the own two cards are of one suit"),
        Feature("house_paired", "1 if the house's two cards are of one rank"),
        Feature("house_suited", "1 if the house's two cards are of one suit"),
        *cards,
    )


@rule
def observe_full(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the full observation; its table is `full_features`. A hand of one card has its `low` card only."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    if state.dealt > 0:
        out[state.dealt - 1] = 1.0
    out[4] = state.bets / 4.0
    _write_hand(state.player, out[5:7], out[9:25])
    _write_hand(state.house, out[7:9], out[25:41])


@rule
def _write_hand(
    hand: npt.NDArray[np.int8], combination: npt.NDArray[np.float32], cards: npt.NDArray[np.float32]
) -> None:
    for place in range(2):
        if hand[place] != EMPTY:
            cards[place * 8 + hand[place] // NUM_SUITS] = 1.0
            cards[place * 8 + NUM_RANKS + hand[place] % NUM_SUITS] = 1.0
    if hand[1] != EMPTY:
        combination[0] = is_pair(hand[0], hand[1])
        combination[1] = is_flush(hand[0], hand[1])


# -- the paper's state: (player, house, pot) (section 4) --------------------------------------------------------------

_FIRST_TWO = 1 + NUM_CARDS  # Index of the first state with two cards out, and so on.
_FIRST_THREE = _FIRST_TWO + NUM_CARDS * (NUM_CARDS - 1) * 2
_FIRST_FOUR = _FIRST_THREE + NUM_CARDS * (NUM_CARDS - 1) // 2 * (NUM_CARDS - 2) * 3
_HOUSE_HANDS = (NUM_CARDS - 2) * (NUM_CARDS - 3) // 2
_END = _FIRST_FOUR + NUM_CARDS * (NUM_CARDS - 1) // 2 * _HOUSE_HANDS * 4


def num_info_states(options: OnePlayPokerOptions) -> int:
    """How many states there are to decide in, and one for the end: 5,537, or 49,217 with four decisions."""
    return _FIRST_FOUR if options.decisions == 3 else _END


def paper_features(options: OnePlayPokerOptions) -> tuple[Feature, ...]:
    """The paper's observation is one number: the state's index."""
    return (Feature("index", "the state's place among (player, house, pot)", 1, 0, num_info_states(options) - 1),)


@rule
def observe_paper(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the state's index; float32 holds it exactly (it is below 2^24)."""
    out[0] = info_state_index(state, seat)


@rule
def info_state_key(state: Record, seat: int) -> int:
    """Nine digits: bets; own cards, the house's cards, two digits each, 1 for the first of the deck; 0 at the end."""
    if state.phase == OVER:
        return 0
    own = (int(state.player[0]) + 1) * 100 + int(state.player[1]) + 1
    house = (int(state.house[0]) + 1) * 100 + int(state.house[1]) + 1
    return (int(state.bets) * 10_000 + own) * 10_000 + house


@rule
def info_state_index(state: Record, seat: int) -> int:
    """The place of the state among those with a decision, by cards out, own hand, the house's hand and bets; else 0."""
    if state.phase != BETTING:
        return 0
    bets = int(state.bets)
    low = int(state.player[0])
    if state.dealt == 1:
        return 1 + low
    house = int(state.house[0])
    if state.dealt == 2:
        return _FIRST_TWO + (low * (NUM_CARDS - 1) + house - (house > low)) * 2 + bets
    high = int(state.player[1])
    own = _pair(low, high, NUM_CARDS)
    house -= (house > low) + (house > high)
    if state.dealt == 3:
        return _FIRST_THREE + (own * (NUM_CARDS - 2) + house) * 3 + bets
    other = int(state.house[1])
    other -= (other > low) + (other > high)
    return _FIRST_FOUR + (own * _HOUSE_HANDS + _pair(house, other, NUM_CARDS - 2)) * 4 + bets


@rule
def _pair(low: int, high: int, size: int) -> int:
    """The place of a pair low < high among those of 0 .. size - 1 in dictionary order."""
    return low * (2 * size - low - 1) // 2 + high - low - 1


def states(options: OnePlayPokerOptions) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Own cards, the house's cards and bets of every state to decide in, in the order of `index`, from 1 on."""
    for dealt in range(1, options.decisions + 1):
        for own in itertools.combinations(range(NUM_CARDS), (dealt + 1) // 2):
            left = [card for card in range(NUM_CARDS) if card not in own]
            for house in itertools.combinations(left, dealt // 2):
                for bets in range(dealt):
                    yield own, house, bets


def info_state_keys(options: OnePlayPokerOptions) -> npt.NDArray[np.int64]:
    """The codes of all indices in order, int64."""
    found = [0]
    for own, house, bets in states(options):
        digits = bets
        for card in (*own, *(EMPTY,) * (2 - len(own)), *house, *(EMPTY,) * (2 - len(house))):
            digits = digits * 100 + card + 1
        found.append(digits)
    return np.array(found, np.int64)


# -- what the player cannot see ---------------------------------------------------------------------------------------


@rule
def resample(state: Record, seat: int, generator: Generator) -> None:
    """Nothing is hidden: all cards lie face up."""

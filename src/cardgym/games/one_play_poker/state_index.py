"""The paper's states (player, house, pot), numbered for tables and solvers (section 4, "States")."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import State, rule
from cardgym.games.one_play_poker.rules import BETTING, EMPTY, NUM_CARDS, OVER, OnePlayPokerOptions
from cardgym.games.one_play_poker.text import card_text

_FIRST_ONE = 1  # The index of the first state with one card out; 0 is the end.
_FIRST_TWO = _FIRST_ONE + NUM_CARDS
_FIRST_THREE = _FIRST_TWO + NUM_CARDS * (NUM_CARDS - 1) * 2
_FIRST_FOUR = _FIRST_THREE + NUM_CARDS * (NUM_CARDS - 1) // 2 * (NUM_CARDS - 2) * 3
_HOUSE_HANDS = (NUM_CARDS - 2) * (NUM_CARDS - 3) // 2
_END = _FIRST_FOUR + NUM_CARDS * (NUM_CARDS - 1) // 2 * _HOUSE_HANDS * 4


def num_info_states(options: OnePlayPokerOptions) -> int:
    """How many states have a decision, and one for the end: 5,537, or 49,217 with four decisions."""
    return _FIRST_FOUR if options.decisions == 3 else _END


@rule
def info_state_key(state: State, seat: int) -> int:
    """Nine digits: bets, own cards, the house's cards, two digits each, 1 for the deck's first card; 0 at the end."""
    if state.phase == OVER:
        return 0
    own = (int(state.player[0]) + 1) * 100 + int(state.player[1]) + 1
    house = (int(state.house[0]) + 1) * 100 + int(state.house[1]) + 1
    return (int(state.bets) * 10_000 + own) * 10_000 + house


@rule
def info_state_index(state: State, seat: int) -> int:
    """The state's place among those with a decision, by cards out, own hand, the house's hand and bets; else 0."""
    if state.phase != BETTING:
        return 0
    bets = int(state.bets)
    low = int(state.player[0])
    if state.dealt == 1:
        return _FIRST_ONE + low
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
    """Own cards, the house's cards and bets of every state with a decision, in the order of the index, from 1 on."""
    for dealt in range(1, options.decisions + 1):
        for own in itertools.combinations(range(NUM_CARDS), (dealt + 1) // 2):
            left = [card for card in range(NUM_CARDS) if card not in own]
            for house in itertools.combinations(left, dealt // 2):
                for bets in range(dealt):
                    yield own, house, bets


def info_state_keys(options: OnePlayPokerOptions) -> npt.NDArray[np.int64]:
    """The keys of all indices in order, int64."""
    keys = [0]
    for own, house, bets in states(options):
        key = bets
        for card in (*own, *(EMPTY,) * (2 - len(own)), *house, *(EMPTY,) * (2 - len(house))):
            key = key * 100 + card + 1
        keys.append(key)
    return np.array(keys, np.int64)


def info_state_labels(options: OnePlayPokerOptions) -> list[str]:
    """What policy files call all indices in order; the first is the end."""
    return ["end", *(state_text(own, house, bets) for own, house, bets in states(options))]


def state_text(own: Iterable[int], house: Iterable[int], bets: int) -> str:
    """The paper's state (player, house, pot) with cards as text, such as `AH,KS QD 4`.

    A hand is in alphabetical order, as the paper writes it (section 4, "States"); `-` is a hand without cards.
    """
    hands = (",".join(sorted(card_text(card) for card in hand)) or "-" for hand in (own, house))
    return f"{' '.join(hands)} {2 + 2 * bets}"

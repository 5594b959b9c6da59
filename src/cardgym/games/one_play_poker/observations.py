"""What the player of One Play Poker sees as numbers: everything lies face up."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, State, offsets, rule
from cardgym.games.one_play_poker.rules import (
    EMPTY,
    NUM_RANKS,
    NUM_SUITS,
    OnePlayPokerOptions,
    is_flush,
    is_pair,
)
from cardgym.games.one_play_poker.state_index import info_state_index, num_info_states


def full_features(options: OnePlayPokerOptions) -> tuple[Feature, ...]:
    """The features of the full observation."""
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


_FULL = offsets(full_features(OnePlayPokerOptions()))
_CARDS_OUT, _BETS = _FULL["cards_out"], _FULL["bets"]
_OWN_PAIRED, _OWN_SUITED, _OWN_CARDS = _FULL["own_paired"], _FULL["own_suited"], _FULL["own_low_rank"]
_HOUSE_PAIRED, _HOUSE_SUITED, _HOUSE_CARDS = _FULL["house_paired"], _FULL["house_suited"], _FULL["house_low_rank"]
_CARD_SIZE = NUM_RANKS + NUM_SUITS  # A hand's low card, then its high card: rank and suit of each.


@rule
def observe_full(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the full observation; `full_features` names its numbers. A hand of one card has its `low` card only."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    if state.dealt > 0:
        out[_CARDS_OUT + state.dealt - 1] = 1.0
    out[_BETS] = state.bets / 4.0
    _write_cards(state.player, out, _OWN_CARDS)
    if state.player[1] != EMPTY:
        out[_OWN_PAIRED] = is_pair(state.player[0], state.player[1])
        out[_OWN_SUITED] = is_flush(state.player[0], state.player[1])
    _write_cards(state.house, out, _HOUSE_CARDS)
    if state.house[1] != EMPTY:
        out[_HOUSE_PAIRED] = is_pair(state.house[0], state.house[1])
        out[_HOUSE_SUITED] = is_flush(state.house[0], state.house[1])


@rule
def _write_cards(hand: npt.NDArray[np.int8], out: npt.NDArray[np.float32], start: int) -> None:
    for place in range(2):
        if hand[place] != EMPTY:
            card = start + place * _CARD_SIZE
            out[card + hand[place] // NUM_SUITS] = 1.0
            out[card + NUM_RANKS + hand[place] % NUM_SUITS] = 1.0


def paper_features(options: OnePlayPokerOptions) -> tuple[Feature, ...]:
    """The paper's observation is one number: the state's index."""
    return (Feature("index", "the state's place among (player, house, pot)", 1, 0, num_info_states(options) - 1),)


@rule
def observe_paper(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the state's index; float32 holds it exactly (it is below 2^24)."""
    out[0] = info_state_index(state, seat)

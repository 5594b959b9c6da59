"""Corellian Spike by hand, where it helps a reader; test_spike_against_reference.py compares the other rules."""

import itertools

from spike_driver import SpikeDriver

from cardgym.games.corellian_spike.hand import hand_rank
from cardgym.games.corellian_spike.state import (
    BUY,
    DISCARD,
    DONT_BUY,
    MATCH,
    RAISE,
    SWAP_HIGH,
    SWAP_LOW,
    SWAP_SPIKE,
)
from cardgym.testing import CHANCE


def test_whole_hand_under_flat_betting() -> None:
    game = SpikeDriver((3, 5), (-2, 9), reward="credits")
    assert game.act(RAISE) == [-2, 0]
    assert game.act(RAISE) == [0, -2]  # A re-raise costs 2, no more.
    assert game.act(MATCH) == [-2, 0]  # All have had their turn after the raise: betting is over.
    assert game.credits == [44, 46]
    assert game.current_player == CHANCE
    game.draw(-8, -7)
    assert game.current_player == 0
    assert game.legal_actions() == [BUY, DONT_BUY]
    assert game.act(BUY) == [0, 0]  # Charged with the draw: the weighted reward depends on the card.
    assert game.draw(4) == -2
    assert game.legal_actions() == [DISCARD, SWAP_SPIKE, SWAP_LOW, SWAP_HIGH]
    game.act(SWAP_LOW)
    assert game.cards(0) == [4, 5, -8]
    assert game.discards == [3]
    game.act(DONT_BUY)
    assert game.act(MATCH, MATCH) == [0, 0]
    game.roll(2, 5)
    for _ in range(2):
        game.act(DONT_BUY, DONT_BUY, MATCH, MATCH)
        if game.state.round_number < 3:
            game.roll(6, 1)
    assert game.roll(1, 2) == [0, 12]  # Sums 1 and 0: seat 1 takes 4 + 6 + 2.
    assert game.credits[1] == 46 + 12 - 2
    assert game.state.hand == 1


def test_without_betting_the_best_hand_wins_the_antes_and_cards_are_free() -> None:
    game = SpikeDriver((1, 9), (3, 4), betting="no", hands=1, credits=2)  # Broke after the ante, yet both may buy.
    game.draw(5, 2)
    for number in range(3):
        assert game.legal_actions() == [BUY, DONT_BUY]
        game.act(BUY)
        game.draw(-10)
        assert game.act(SWAP_LOW if number == 0 else DISCARD) == [0, 0]
        game.act(DONT_BUY)
        paid = game.roll(1, 2)
    assert paid == [2, -2]  # -10 + 9 + 5 = 4 against 9.
    assert game.over


# -- the showdown -----------------------------------------------------------------------------------------------------


def test_hand_ranks_order_all_hands_as_the_rule_text_does() -> None:
    def key(hand: tuple[int, int, int]) -> tuple[int, bool, int, int]:
        positive = [card for card in hand if card > 0]
        return -abs(sum(hand)), sum(hand) >= 0, sum(positive), max(positive, default=0)

    values = range(-10, 11)
    hands = [(a, b, c) for a in values for b in values if b >= a for c in values]
    ranked = sorted(hands, key=key)
    ranks = [hand_rank(*hand) for hand in ranked]
    assert ranks == sorted(ranks)
    assert [key(a) == key(b) for a, b in itertools.pairwise(ranked)] == [a == b for a, b in itertools.pairwise(ranks)]

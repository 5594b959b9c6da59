"""Corellian Spike by hand: lines of play whose every amount and card can be checked against the rule text."""

from __future__ import annotations

import itertools

import pytest
from spike_driver import SpikeDriver, play_to_showdown

from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.hand import hand_rank
from cardgym.games.corellian_spike.state import (
    BUY,
    DISCARD,
    DONT_BUY,
    EMPTY,
    FOLD,
    MATCH,
    RAISE,
    SWAP_HIGH,
    SWAP_LOW,
    SWAP_SPIKE,
)
from cardgym.testing import CHANCE


def test_ante_and_first_cards() -> None:
    game = SpikeDriver()
    assert game.credits == [48, 48]
    assert game.state.pool == 4
    assert game.num_chance_outcomes == 62
    game.draw(7, -3, 0, 10)
    assert game.cards(0) == [-3, 7, EMPTY]
    assert game.cards(1) == [0, 10, EMPTY]
    assert game.current_player == 0
    assert game.legal_actions() == [RAISE, MATCH, FOLD]


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


def test_betting_goes_once_round_from_the_last_raiser() -> None:
    """The paper's example: three players, seat 1 raises, the next two must answer and the phase ends."""
    game = SpikeDriver((1, 2), (3, 4), (5, 6))
    game.act(MATCH, RAISE)
    assert game.current_player == 2
    game.act(MATCH)
    assert game.current_player == 0
    game.act(MATCH)
    assert game.current_player == CHANCE
    assert game.credits == [46, 46, 46]


def test_matched_betting_is_as_in_poker() -> None:
    game = SpikeDriver((1, 2), (3, 4), (5, 6), betting="matched", reward="credits")
    assert game.act(RAISE)[0] == -2
    assert game.act(RAISE)[1] == -4  # What was owed, and 2.
    assert game.act(RAISE)[2] == -6
    assert game.act(MATCH)[0] == -4  # The difference.
    assert game.act(FOLD)[1] == 0
    assert game.credits == [42, 44, 42]
    assert game.current_player == CHANCE


def test_matched_betting_allows_all_in_for_less() -> None:
    game = SpikeDriver((1, 2), (3, 4), (5, 6), betting="matched", reward="credits", credits=6)
    game.act(RAISE)  # Everyone has 4 left after the ante.
    game.act(RAISE)  # Owes 2 and raises 2: all it has.
    assert game.legal_actions() == [MATCH, FOLD]  # A raise would need 6.
    assert game.act(MATCH)[2] == -4
    assert game.act(MATCH)[0] == -2
    assert game.credits == [0, 0, 0]


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


def test_raise_needs_two_credits_or_what_is_owed_and_two() -> None:
    flat = SpikeDriver((1, 2), (3, 4), credits=4)
    flat.act(RAISE)
    assert flat.legal_actions() == [RAISE, MATCH, FOLD]
    matched = SpikeDriver((1, 2), (3, 4), credits=4, betting="matched")
    matched.act(RAISE)
    assert matched.legal_actions() == [MATCH, FOLD]


def test_all_in_players_are_skipped_in_betting_and_can_win_the_whole_pool() -> None:
    game = SpikeDriver((1, -1), (3, 4), (5, 6), credits=4)
    game.act(RAISE, MATCH, FOLD)
    game.draw(0, 9)
    assert game.credits == [0, 0, 2]
    for _ in range(3):
        assert game.legal_actions() == [DONT_BUY]  # All in: it has a turn, but cannot pay for a card.
        game.act(DONT_BUY, DONT_BUY)
        assert game.num_chance_outcomes == 36  # Nobody can bet: straight to the dice.
        game.roll(3, 4)
    assert game.over  # Seat 1 has no credits.
    assert game.credits == [10, 0, 2]
    assert [game.score(seat) for seat in range(3)] == [1, 0, 0]


def test_hand_ends_when_all_but_one_have_folded() -> None:
    game = SpikeDriver((1, 2), (10, 10), (5, 6))
    game.act(RAISE, MATCH)
    assert game.act(FOLD) == [0, 0, 0]
    game.draw(1, 2)
    game.act(DONT_BUY, DONT_BUY)
    assert game.act(FOLD) == [-4, 6, -2]  # Seat 1 wins three antes and two bets though its sum is the worst.
    assert game.credits == [44, 54, 46]  # The next ante is paid already.
    assert game.state.hand == 1
    assert game.score(1) == 1


def test_doubles_replace_the_hands_and_double_ones_the_spikes_too() -> None:
    game = SpikeDriver((1, 2), (3, 4))
    game.act(MATCH, MATCH)
    game.draw(8, 9)
    game.act(DONT_BUY, DONT_BUY, MATCH, MATCH)
    game.roll(4, 4)
    game.draw(-1, -2, -3, -4)
    assert game.cards(0) == [-2, -1, 8]
    assert game.cards(1) == [-4, -3, 9]
    assert sorted(game.discards) == [1, 2, 3, 4]
    game.act(DONT_BUY, DONT_BUY, MATCH, MATCH)
    game.roll(1, 1)
    game.draw(5, 6, 7, 1, 2, 3)
    assert game.cards(0) == [5, 6, 7]
    assert game.cards(1) == [1, 2, 3]
    assert len(game.discards) == 10


@pytest.mark.parametrize(
    ("action", "kept", "gone"),
    [(DISCARD, [1, 7, 4], -6), (SWAP_SPIKE, [1, 7, -6], 4), (SWAP_LOW, [-6, 7, 4], 1), (SWAP_HIGH, [-6, 1, 4], 7)],
)
def test_placing_a_bought_card(action: int, kept: list[int], gone: int) -> None:
    game = SpikeDriver((7, 1), (3, 4))
    game.act(MATCH, MATCH)
    game.draw(4, 9)
    game.act(BUY)
    game.draw(-6)
    game.act(action)
    assert game.cards(0) == kept
    assert game.discards == [gone]
    assert game.current_player == 1


# -- the showdown -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ((1, -1, 1), (-2, 4, -4)),  # The lowest |sum| ...
        ((0, 0, -1), (5, 6, -9)),  # ... a negative one too.
        ((-5, 3, 4), (5, -3, -4)),  # A sum of 2 beats one of -2.
        ((10, -10, 0), (9, -9, 0)),  # Both 0: the highest sum of positive cards.
        ((6, 4, -10), (5, 2, -7)),
        ((9, 1, -10), (6, 4, -10)),  # Both 10: the highest single positive card.
        ((-9, 8, -1), (-9, 7, 0)),  # Both -2: the positive cards decide among the negative, too.
    ],
)
def test_tie_breaks(better: tuple[int, int, int], worse: tuple[int, int, int]) -> None:
    for first, second, winner in ((better, worse, 0), (worse, better, 1)):
        game = SpikeDriver(first[:2], second[:2])
        game.act(MATCH, MATCH)
        game.draw(first[2], second[2])
        play_to_showdown(game)
        assert game.state.last_winner == winner
        assert game.credits == ([50, 46] if winner == 0 else [46, 50])


@pytest.mark.parametrize(("lot", "winner"), [(0, 0), (1, 2)])
def test_tied_players_draw_lots(lot: int, winner: int) -> None:
    game = SpikeDriver((6, 4), (1, 1), (6, 4))
    game.act(MATCH, MATCH, MATCH)
    game.draw(-10, 1, -10)
    play_to_showdown(game)
    assert game.num_chance_outcomes == 2
    assert game.paid(game.apply_action(lot)) == [4.0 if seat == winner else -2.0 for seat in range(3)]
    assert game.state.last_winner == winner


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


# -- reshuffle, and the end of a game ---------------------------------------------------------------------------------


def test_discards_become_the_draw_pile_once_it_is_empty() -> None:
    """Eight players: 16 hand cards and 8 spikes leave 38; 24 bought cards leave 14, and doubles draw 16."""
    game = SpikeDriver(num_players=8)
    at_start = GAME.rules.invariants(game.state)
    game.draw_anything()
    game.act(*[MATCH] * 8)
    game.draw_anything()
    for round in (1, 2, 3):
        for _ in range(8):
            game.act(BUY)
            game.draw_anything()
            game.act(DISCARD)
        game.act(*[MATCH] * 8)
        game.roll(*((3, 4) if round < 3 else (5, 5)))
    assert game.state.deck_size == 14
    assert game.state.discards_size == 24 + 16
    for _ in range(14):
        game.apply_action(0)
    assert (game.state.deck_size, game.state.discards_size) == (40, 0)
    assert game.num_chance_outcomes == 40
    assert GAME.rules.invariants(game.state) == at_start


@pytest.mark.parametrize("hands", [1, 2, 3])
def test_game_ends_after_its_hands(hands: int) -> None:
    game = SpikeDriver(hands=hands)
    for hand in range(hands):
        assert not game.over
        assert game.state.hand == hand
        game.draw_anything()
        game.act(FOLD)
    assert game.over
    assert GAME.rules.max_score(game.state) == hands
    assert game.credits == [50 - 2 * hands, 50 + 2 * hands]

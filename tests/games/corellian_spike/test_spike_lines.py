"""Corellian Spike by hand: lines of play whose every amount and card can be checked against the rule text."""

from __future__ import annotations

import itertools

import pytest
from spike_lines import cards, credits, deal, new_table, roll

from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.rules import hand_rank
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
    CorellianSpikeOptions,
)
from cardgym.testing import CHANCE, Table


def to_showdown(table: Table, *, players: int) -> None:
    """From a spike round's buying on: nobody buys, everyone matches, no doubles."""
    for _ in range(3):
        table.play(*[DONT_BUY] * players, *[MATCH] * players)
        roll(table, 1, 2)


def test_the_ante_and_the_first_cards() -> None:
    table = Table(GAME)
    assert credits(table) == [48, 48]
    assert table.state.pool == 4
    assert table.num_chance_outcomes == 62
    deal(table, 7, -3, 0, 10)
    assert cards(table, 0) == [-3, 7, EMPTY]
    assert cards(table, 1) == [0, 10, EMPTY]
    assert table.seat == 0
    assert table.legal_actions() == [RAISE, MATCH, FOLD]


def test_a_whole_hand_under_flat_betting() -> None:
    table = new_table(hands=[(3, 5), (-2, 9)])
    assert table.play(RAISE)[:2].tolist() == [-2, 0]
    assert table.play(RAISE)[:2].tolist() == [0, -2]  # A re-raise costs 2, no more.
    assert table.play(MATCH)[:2].tolist() == [-2, 0]  # The turn has gone once round: betting is over.
    assert credits(table) == [44, 46]
    assert table.seat == CHANCE
    deal(table, -8, -7)
    assert table.seat == 0
    assert table.legal_actions() == [BUY, DONT_BUY]
    assert table.play(BUY).tolist() == [0] * 8  # Paid for with the card, whose value the weighted reward needs.
    pile = table.state.deck[: table.state.deck_size].tolist()
    assert table.apply(pile.index(4))[:2].tolist() == [-2, 0]
    assert table.legal_actions() == [DISCARD, SWAP_SPIKE, SWAP_LOW, SWAP_HIGH]
    table.play(SWAP_LOW)
    assert cards(table, 0) == [4, 5, -8]
    assert table.state.discards[:1].tolist() == [3]
    table.play(DONT_BUY)
    assert table.play(MATCH, MATCH).tolist() == [0] * 8
    roll(table, 2, 5)
    for _ in range(2):
        table.play(DONT_BUY, DONT_BUY, MATCH, MATCH)
        if table.state.round_number < 3:
            roll(table, 6, 1)
    table_before = table.copy()
    paid = table_before.apply(1)  # Dice 1 and 2. Sums 1 and 0: seat 1 takes 4 + 6 + 2.
    assert paid[:2].tolist() == [0, 12]
    assert credits(table_before)[1] == 46 + 12 - 2
    assert table_before.state.hand == 1


def test_betting_goes_once_round_from_the_last_raiser() -> None:
    """The paper's example: three players, seat 1 raises, the next two must answer and the phase ends."""
    table = new_table(hands=[(1, 2), (3, 4), (5, 6)])
    table.play(MATCH, RAISE)
    assert table.seat == 2
    table.play(MATCH)
    assert table.seat == 0
    table.play(MATCH)
    assert table.seat == CHANCE
    assert credits(table) == [46, 46, 46]


def test_matched_betting_is_as_in_poker() -> None:
    table = new_table(hands=[(1, 2), (3, 4), (5, 6)], betting="matched")
    assert table.play(RAISE)[0] == -2
    assert table.play(RAISE)[1] == -4  # What was owed, and 2.
    assert table.play(RAISE)[2] == -6
    assert table.play(MATCH)[0] == -4  # The difference.
    assert table.play(FOLD)[1] == 0
    assert credits(table) == [42, 44, 42]
    assert table.seat == CHANCE


def test_matched_betting_lets_one_go_all_in_for_less() -> None:
    table = new_table(hands=[(1, 2), (3, 4), (5, 6)], betting="matched", credits=6)
    table.play(RAISE)  # Everyone has 4 left after the ante.
    table.play(RAISE)  # Owes 2 and raises 2: all of it.
    assert table.legal_actions() == [MATCH, FOLD]  # A raise would need 6.
    assert table.play(MATCH)[2] == -4
    assert table.play(MATCH)[0] == -2
    assert credits(table) == [0, 0, 0]


def test_a_raise_needs_two_credits_or_what_is_owed_and_two() -> None:
    flat = new_table(hands=[(1, 2), (3, 4)], credits=4)
    flat.play(RAISE)
    assert flat.legal_actions() == [RAISE, MATCH, FOLD]
    matched = new_table(hands=[(1, 2), (3, 4)], credits=4, betting="matched")
    matched.play(RAISE)
    assert matched.legal_actions() == [MATCH, FOLD]


def test_all_in_players_are_skipped_in_betting_and_can_win_the_whole_pool() -> None:
    table = new_table(hands=[(1, -1), (3, 4), (5, 6)], credits=4)
    table.play(RAISE, MATCH, FOLD)
    deal(table, 0, 9)
    assert credits(table) == [0, 0, 2]
    for _ in range(3):
        assert table.legal_actions() == [DONT_BUY]  # All in: asked, but without the means to buy.
        table.play(DONT_BUY, DONT_BUY)
        assert table.num_chance_outcomes == 36  # Nobody can bet: straight to the dice.
        roll(table, 3, 4)
    assert table.over  # Seat 1 has no credits.
    assert credits(table) == [10, 0, 2]
    assert [GAME.rules.score(table.state, seat) for seat in range(3)] == [1, 0, 0]


def test_all_in_players_do_not_have_to_match() -> None:
    table = new_table(hands=[(1, 2), (3, 4), (5, 6)], credits=6)
    table.play(MATCH, RAISE, MATCH, RAISE, MATCH, MATCH)
    assert credits(table) == [2, 0, 0]
    deal(table, 7, 8, 9)
    table.play(DONT_BUY, DONT_BUY, DONT_BUY)
    assert table.seat == 0
    table.play(RAISE)
    assert credits(table) == [0, 0, 0]
    assert table.state.pool == 18
    assert table.num_chance_outcomes == 36  # The others are not asked, and stay in.


def test_folding_to_one_player_ends_the_hand_at_once() -> None:
    table = new_table(hands=[(1, 2), (10, 10), (5, 6)])
    table.play(RAISE, MATCH)
    paid = table.play(FOLD)
    assert not paid.any()
    deal(table, 1, 2)
    table.play(DONT_BUY, DONT_BUY)
    paid = table.play(FOLD)
    assert paid[:3].tolist() == [0, 10, 0]  # Three antes and two bets, though its sum is the worst.
    assert credits(table) == [44, 54, 46]  # The next ante is paid already.
    assert table.state.hand == 1
    assert GAME.rules.score(table.state, 1) == 1


def test_a_folded_seat_gets_no_spike_no_turn_and_no_redraw() -> None:
    table = new_table(hands=[(1, 2), (3, 4), (5, 6)])
    table.play(MATCH, FOLD, MATCH)
    deal(table, 8, 9)
    assert cards(table, 1) == [3, 4, EMPTY]
    table.play(DONT_BUY)
    assert table.seat == 2
    table.play(DONT_BUY, MATCH, MATCH)
    roll(table, 1, 1)
    deal(table, 0, 1, 2, 3, 4, 5)
    assert cards(table, 1) == [3, 4, EMPTY]


def test_doubles_replace_the_hands_and_double_ones_the_spikes_too() -> None:
    table = new_table(hands=[(1, 2), (3, 4)])
    table.play(MATCH, MATCH)
    deal(table, 8, 9)
    table.play(DONT_BUY, DONT_BUY, MATCH, MATCH)
    roll(table, 4, 4)
    deal(table, -1, -2, -3, -4)
    assert cards(table, 0) == [-2, -1, 8]
    assert cards(table, 1) == [-4, -3, 9]
    assert sorted(table.state.discards[:4].tolist()) == [1, 2, 3, 4]
    table.play(DONT_BUY, DONT_BUY, MATCH, MATCH)
    roll(table, 1, 1)
    deal(table, 5, 6, 7, 1, 2, 3)
    assert cards(table, 0) == [5, 6, 7]
    assert cards(table, 1) == [1, 2, 3]
    assert table.state.discards_size == 10


def test_unequal_dice_change_nothing() -> None:
    table = new_table(hands=[(1, 2), (3, 4)])
    table.play(MATCH, MATCH)
    deal(table, 8, 9)
    table.play(DONT_BUY, DONT_BUY, MATCH, MATCH)
    roll(table, 5, 6)
    assert cards(table, 0) == [1, 2, 8]
    assert table.state.round_number == 2
    assert table.seat == 0


@pytest.mark.parametrize(
    ("action", "kept", "gone"),
    [(DISCARD, [1, 7, 4], -6), (SWAP_SPIKE, [1, 7, -6], 4), (SWAP_LOW, [-6, 7, 4], 1), (SWAP_HIGH, [-6, 1, 4], 7)],
)
def test_the_four_places_of_a_bought_card(action: int, kept: list[int], gone: int) -> None:
    table = new_table(hands=[(7, 1), (3, 4)])
    table.play(MATCH, MATCH)
    deal(table, 4, 9)
    table.play(BUY)
    deal(table, -6)
    table.play(action)
    assert cards(table, 0) == kept
    assert table.state.discards[: table.state.discards_size].tolist() == [gone]
    assert table.seat == 1


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
        table = new_table(hands=[first[:2], second[:2]])
        table.play(MATCH, MATCH)
        deal(table, first[2], second[2])
        to_showdown(table, players=2)
        assert table.state.last_winner == winner
        assert credits(table) == ([50, 46] if winner == 0 else [46, 50])


@pytest.mark.parametrize(("lot", "winner"), [(0, 0), (1, 2)])
def test_those_still_tied_draw_lots(lot: int, winner: int) -> None:
    table = new_table(hands=[(6, 4), (1, 1), (6, 4)])
    table.play(MATCH, MATCH, MATCH)
    deal(table, -10, 1, -10)
    to_showdown(table, players=3)
    assert table.num_chance_outcomes == 2
    paid = table.apply(lot)
    assert paid[:3].tolist() == [6.0 if seat == winner else 0.0 for seat in range(3)]
    assert table.state.last_winner == winner


def test_ranks_of_all_hands_order_as_the_rule_text_does() -> None:
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


def test_an_exhausted_draw_pile_takes_the_discards_back_in() -> None:
    """Eight players: 16 hand cards and 8 spikes leave 38; 24 bought cards leave 14, and doubles draw 16."""
    table = Table(GAME, CorellianSpikeOptions(num_players=8))
    while table.num_chance_outcomes:
        table.apply(0)
    table.play(*[MATCH] * 8)
    while table.num_chance_outcomes:
        table.apply(0)
    for round in (1, 2, 3):
        for _ in range(8):
            table.play(BUY)
            table.apply(0)
            table.play(DISCARD)
        table.play(*[MATCH] * 8)
        roll(table, *((3, 4) if round < 3 else (5, 5)))
    assert table.state.deck_size == 14
    assert table.state.discards_size == 24 + 16
    for _ in range(14):
        table.apply(0)
    assert (table.state.deck_size, table.state.discards_size) == (40, 0)
    assert table.num_chance_outcomes == 40
    assert GAME.rules.invariants(table.state) == GAME.rules.invariants(
        Table(GAME, CorellianSpikeOptions(num_players=8)).state
    )


@pytest.mark.parametrize("hands", [1, 2, 3])
def test_a_game_is_up_to_so_many_hands(hands: int) -> None:
    table = Table(GAME, CorellianSpikeOptions(hands=hands))
    for hand in range(hands):
        assert not table.over
        assert table.state.hand == hand
        while table.num_chance_outcomes:
            table.apply(0)
        table.play(FOLD)
    assert table.over
    assert GAME.rules.max_score(table.state) == hands
    assert credits(table) == [50 - 2 * hands, 50 + 2 * hands]


def test_a_game_ends_early_once_a_player_has_no_credits() -> None:
    table = new_table(hands=[(1, -1), (3, 4)], credits=4)
    table.play(RAISE, MATCH)
    deal(table, 0, 9)
    for _ in range(3):
        table.play(DONT_BUY, DONT_BUY)
        roll(table, 1, 2)
    assert table.over
    assert credits(table) == [8, 0]


# -- the weighted reward ----------------------------------------------------------------------------------------------


def test_weighted_rewards_by_the_papers_formulas() -> None:
    table = new_table(hands=[(3, 5), (-2, -7)], reward="weighted")
    assert table.play(RAISE)[0] == -2 * (1 + 8)
    assert table.play(MATCH)[1] == -2 * (1 + 9)
    deal(table, -4, 6)  # Sums 4 and -3.
    table.play(BUY)
    pile = table.state.deck[: table.state.deck_size].tolist()
    # 3, 5, -4 and 1: the four ways to keep three sum to 4, 2, 0 and 9; the smallest is 0.
    assert table.copy().apply(pile.index(1))[0] == -2
    # 3, 5, -4 and 10: 4, 11, 9, 18; the smallest is 4.
    assert table.apply(pile.index(10))[0] == -2 * (1 + 0.75 * 4)
    table.play(DISCARD, DONT_BUY)
    assert table.play(MATCH)[0] == 0  # Nothing was owed.
    assert table.play(RAISE)[1] == -2 * (1 + 3)
    assert table.play(MATCH)[0] == -2 * (1 + 4)
    roll(table, 1, 2)
    table.play(DONT_BUY, DONT_BUY, MATCH)
    assert table.play(FOLD)[0] == 31 * 14  # Two antes, four bets and a bought card.


def test_weighted_matched_rewards_weigh_what_was_paid() -> None:
    table = new_table(hands=[(3, 5), (-2, -7)], reward="weighted", betting="matched")
    assert table.play(RAISE)[0] == -2 * (1 + 8)
    assert table.play(RAISE)[1] == -4 * (1 + 9)
    assert table.play(MATCH)[0] == -2 * (1 + 8)


def test_losing_pays_nothing_and_the_ante_is_not_charged() -> None:
    table = Table(GAME)
    total = 0.0
    while table.state.hand == 0:
        paid = table.apply(
            0 if table.num_chance_outcomes else table.legal_actions()[-1] if table.state.phase == 3 else MATCH
        )
        total += float(paid[:2].sum())
    assert total == 4.0  # Nobody put in more than the ante, and the winner took both.

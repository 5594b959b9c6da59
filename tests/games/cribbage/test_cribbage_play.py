"""What holds in every game, however it is played; what seats can know; the players; the words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from cribbage_table import Table
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgym.games.cribbage.crib_table import DEALER_CRIB, PONE_CRIB
from cardgym.games.cribbage.game import DEAL_GAME, GAME
from cardgym.games.cribbage.means import hand_totals
from cardgym.games.cribbage.players import PLAYERS, expert, greedy
from cardgym.games.cribbage.scoring import score_hand
from cardgym.games.cribbage.state import PLAYING, TOSSES, TOSSING

ENCODING = GAME.observations["full"]
DATA = Path(__file__).parent.parent / "data"


def walk(seed, **options):
    """A random game, move by move: the state before, the move and the state after."""
    rng = np.random.default_rng(seed)
    batch = GAME.new_state(GAME.options.parse(options))
    state, mask = batch[0], np.zeros(GAME.num_actions, np.int8)
    while True:
        left = GAME.rules.num_chance_outcomes(state)
        if left:
            move = int(rng.integers(left))
        elif GAME.rules.current_player(state) < 0:
            return
        else:
            GAME.rules.legal_action_mask(state, mask)
            move = int(rng.choice(np.flatnonzero(mask)))
        before = batch.copy()[0]
        GAME.rules.apply_action(state, move)
        yield before, move, state


@given(
    seed=st.integers(0, 2**32),
    target=st.sampled_from([1, 7, 31, 61, 121]),
    deals=st.sampled_from([0, 0, 1, 3]),
    reward=st.sampled_from(["win", "points"]),
)
@settings(max_examples=12, deadline=None)
def test_cards_points_and_rewards(seed, target, deals, reward):
    returns = np.zeros(2)
    for before, _, after in walk(seed, target=target, deals=deals, reward=reward):
        assert GAME.rules.invariants(after) == (52, 1326, 45526, 0, 0)
        assert (after.scores >= before.scores).all()
        assert max(after.scores) <= target
        assert after.reward.sum() == 0
        returns += after.reward
        assert 0 <= after.count <= 31
        if after.phase in (TOSSING, PLAYING):
            mask = np.zeros(GAME.num_actions, np.int8)
            GAME.rules.legal_action_mask(after, mask)
            assert mask.any()
            last = after
    assert max(after.scores) == target or after.deal_number == deals
    assert last is after
    lead = int(after.scores[0] - after.scores[1])
    assert returns[0] == (lead if reward == "points" else np.sign(lead))
    assert GAME.rules.score(after, 0) + GAME.rules.score(after, 1) == GAME.rules.max_score(after) == 1


@given(seed=st.integers(0, 2**32))
@settings(max_examples=4, deadline=None)
def test_hidden_cards_change_nothing_that_a_seat_sees(seed):
    options = GAME.options()
    low, high = ENCODING.bounds(options)
    generator = np.array([seed, 0], np.uint64)
    for step, (_, _, state) in enumerate(walk(seed, target=25)):
        if step % 3 and state.phase != PLAYING:
            continue
        for seat in range(2):
            seen = np.empty(ENCODING.size(options), np.float32)
            ENCODING.write(state, seat, seen)
            assert ((seen >= low) & (seen <= high)).all()
            told = GAME.words.describe(state, seat)
            other = np.array([state.copy()]).view(np.recarray)
            other.dtype = state.dtype
            GAME.rules.resample(other[0], seat, generator)
            again = np.empty_like(seen)
            ENCODING.write(other[0], seat, again)
            assert (seen == again).all()
            assert GAME.words.describe(other[0], seat) == told
            assert GAME.rules.invariants(other[0]) == GAME.rules.invariants(state)
            assert GAME.rules.current_player(other[0]) == GAME.rules.current_player(state)
            if GAME.rules.num_chance_outcomes(state) == 0 and GAME.rules.current_player(state) >= 0:
                masks = np.zeros((2, GAME.num_actions), np.int8)
                GAME.rules.legal_action_mask(state, masks[0])
                GAME.rules.legal_action_mask(other[0], masks[1])
                assert masks[1].any()
                if GAME.rules.current_player(state) == seat:
                    assert (masks[0] == masks[1]).all()
                    for player in PLAYERS.values():
                        action = player(state, seat, masks[0], generator)
                        assert masks[0][action]
                        assert player(other[0], seat, masks[1], generator) == action


def test_resampling_keeps_to_what_a_go_has_shown():
    table = Table()
    table.cut(0)
    table.deal(("TH TS QD KD", "8C 4C 4D 4S"), ("2H 7S", "3H 9S"))
    table.draw("KS")
    table.play("1:8C 0:TH 1:4C")  # The dealer cannot play at 22: all it holds is worth ten.
    generator = np.array([7, 0], np.uint64)
    hands = set()
    for _ in range(50):
        GAME.rules.resample(table.state, 1, generator)
        hand = table.state.hand[0, :3].tolist()
        assert min(card % 13 for card in hand) >= 9
        hands.add(tuple(hand))
    assert len(hands) > 25


def test_every_deal_draws_the_same_number_of_cards():
    drawn: dict[int, int] = {}
    for before, _, _ in walk(5):
        if GAME.rules.num_chance_outcomes(before) and before.phase != 0:
            drawn[GAME.rules.deal(before)] = drawn.get(GAME.rules.deal(before), 0) + 1
    assert len(drawn) > 3
    assert set(list(drawn.values())[:-1]) == {13}


# -- means and players ------------------------------------------------------------------------------------------------


def test_mean_hands_are_those_of_all_cuts():
    rng = np.random.default_rng(3)
    totals = np.empty(15, np.float32)
    for trial in range(40):
        cards = rng.choice(16 if trial % 2 else 52, 6, replace=False).astype(np.int8)  # Of 16, flushes are common.
        hand_totals(cards, totals, 1.0)
        for toss, gone in enumerate(TOSSES):
            kept = np.delete(cards, gone)
            assert totals[toss] == sum(score_hand(kept, cut) for cut in range(52) if cut not in cards)


def test_crib_table_is_near_the_published_one():
    published = json.loads((DATA / "cribbage_discards.json").read_text())
    differences = []
    for ours, theirs in ((DEALER_CRIB, published["dealer"]), (PONE_CRIB, published["pone"])):
        names = [a + b for i, a in enumerate("A23456789TJQK") for b in "A23456789TJQK"[i:]]
        difference = np.array(ours) - np.array([theirs[name] for name in names])
        assert abs(difference.mean()) < 0.1
        differences.append(difference - difference.mean())
    assert np.sqrt(np.mean(np.square(differences))) < 0.06  # Hessel's table; it leaves out flushes.


def legal_mask(table):
    mask = np.zeros(GAME.num_actions, np.int8)
    mask[list(table.legal_actions())] = 1
    return mask


@pytest.fixture
def generator():
    return np.zeros(2, np.uint64)


def test_greedy_takes_the_most_points_and_the_lower_card_of_equals(generator):
    table = Table()
    table.cut(0)
    table.deal(("5H 8S QD KD", "7C 4C 9D TS"), ("2H 7S", "3H 9S"))
    table.draw("KS")
    assert (
        GAME.words.action_text(table.state, greedy(table.state, 1, legal_mask(table), generator)) == "play 4C (count 4)"
    )
    table.play("1:7C")
    assert (
        GAME.words.action_text(table.state, greedy(table.state, 0, legal_mask(table), generator))
        == "play 8S (count 15)"
    )


def test_expert_does_not_lead_a_five_or_make_the_count_of_one(generator):
    table = Table()
    table.cut(0)
    table.deal(("5H 8S QD KD", "5C 4C JD TS"), ("2H 7S", "3H 9S"))
    table.draw("KS")
    # Whoever is led a five most likely holds a ten for fifteen; a four lets nobody make fifteen.
    assert (
        GAME.words.action_text(table.state, expert(table.state, 1, legal_mask(table), generator)) == "play 4C (count 4)"
    )


def test_expert_tosses_good_cards_to_its_own_crib_only(generator):
    tossed = []
    for dealer in range(2):
        table = Table()
        table.cut(dealer)
        mine, others = ["2H", "2S", "6D", "8C", "QH", "KS"], ["AC", "AD", "3C", "3D", "9D", "TD"]
        for card, other in zip(mine, others, strict=True):
            for seat in (1 - dealer, dealer):
                table.draw(card if seat == 0 else other)
        tossed.append(GAME.words.action_text(table.state, expert(table.state, 0, legal_mask(table), generator)))
    assert tossed == ["toss 6D 8C, keep 2H 2S QH KS", "toss QH KS, keep 2H 2S 6D 8C"]


def test_expert_takes_the_points_that_win(generator):
    table = Table()
    table.cut(0)
    table.state.scores[1] = table.state.tally[1, 1] = 119
    table.deal(("5H 8S QD KD", "AC 4D 9D TS"), ("2H 7S", "3H 9S"))
    table.draw("AS")
    table.play("1:AC 0:KD")
    action = expert(table.state, 1, legal_mask(table), generator)
    assert GAME.words.action_text(table.state, action) == "play 4D (count 15)"


# -- words ------------------------------------------------------------------------------------------------------------


def test_points_are_told_with_their_reasons():
    table = Table()
    table.cut(1)
    table.deal(("5H 8S 8D KD", "7C 2C 7D TS"), ("2H JS", "3H 9S"))
    table.draw("JC")
    assert table.told == "The starter is JC\nOpponent scores 2: heels for two"
    told = []
    for word in ["0:8S", "1:7C", "0:8D"]:
        table.play(word)
        told.append(table.told)
    assert told == ["You play 8S: 8", "Opponent plays 7C: 15\nOpponent scores 2: fifteen two", "You play 8D: 23"]
    table.play("1:2C")
    assert table.told == "Opponent plays 2C: 25"
    table.play("0:5H")
    assert table.told == "You play 5H: 30\nYou score 1: go for one"
    table.play("1:7D 0:KD 1:TS")
    lines = table.told.splitlines()
    assert lines[:2] == ["Opponent plays TS: 27", "Opponent scores 1: last card for one"]
    assert lines[2] == "Your hand 5H 8D 8S KD with JC scores 6"
    assert lines[3] == "  fifteen two (5H JC), fifteen four (5H KD), pair six (8D 8S)"


def test_points_are_counted_aloud_with_the_total_so_far():
    table = Table()
    table.cut(1)
    table.deal(("4H 5S 8D KD", "6C 2C 7D TS"), ("2H JS", "3H 9S"))
    table.draw("QC")
    table.play("0:4H 1:6C 0:5S")
    assert table.told == "You play 5S: 15\nYou score 5: fifteen two, run of three makes five"


def test_a_seat_is_not_told_the_others_cards():
    hidden = 0
    for before, move, after in walk(11, target=60):
        for seat in range(2):
            told = GAME.words.narrate(before, move, after, seat) if before.phase != PLAYING else ""
            own = {int(card) for card in (*before.hand[seat], *after.hand[seat], *before.crib[2 * seat : 2 * seat + 2])}
            public = {int(after.starter), *map(int, after.cuts)}
            names = re.findall(r"\b[A2-9TJQK][CDHS]\b", told)
            cards = {13 * "CDHS".index(name[1]) + "A23456789TJQK".index(name[0]) for name in names}
            assert cards <= own | public
            hidden += before.phase == TOSSING and before.turn != seat
            assert GAME.words.describe(after, seat).count("??") == after.hand_size[1 - seat]
    assert hidden


def test_describe_shows_board_pile_and_count():
    table = Table()
    table.cut(1)
    table.deal(("5H 8S 8D KD", "7C 2C 7D TS"), ("2H JS", "3H 9S"))
    table.draw("JC")
    table.play("0:8S 1:7C")
    text = GAME.words.describe(table.state, 0)
    assert "Pile      8S (7C)   count 15" in text
    assert "Starter   JC   crib 4 cards, yours 2H JS" in text
    assert "Hand      5H 8D KD\nOpponent  ?? ?? ??" in text
    board = next(line for line in text.splitlines() if line.startswith("Opponent    4"))
    assert board.count("#") == 1
    assert GAME.words.action_text(table.state, 30) == "play 5H (count 20)"


def test_one_deal_game_is_the_same_rules_with_other_defaults():
    assert DEAL_GAME.id == "CribbageDeal-v0"
    assert DEAL_GAME.defaults == {"deals": 1, "reward": "points"}
    assert DEAL_GAME.rules.apply_action is GAME.rules.apply_action

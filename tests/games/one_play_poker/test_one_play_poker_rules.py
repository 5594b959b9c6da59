"""One Play Poker's rules: hand-played lines, both rankings, the encodings and the words."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgym import CardgymError, find
from cardgym.engine.contract import feature_table
from cardgym.games.one_play_poker import observations, rules, text

GAME = find("OnePlayPoker-v0")


def card(name):
    return "JQKA".index(name[0]) * 4 + "SHCD".index(name[1])


def play(line, **options):
    """Play cards (`KS`) and bets (0, 1) in turn; returns the record and what each move paid."""
    state = GAME.new_state(GAME.options(**options))[0]
    paid = []
    for move in line:
        if isinstance(move, str):
            left = [c for c in range(16) if int(state.deck) >> c & 1]
            assert GAME.rules.num_chance_outcomes(state) == len(left)
            GAME.rules.apply_action(state, left.index(card(move)))
        else:
            assert GAME.rules.num_chance_outcomes(state) == 0
            assert GAME.rules.current_player(state) == 0
            GAME.rules.apply_action(state, move)
        paid.append(float(state.reward[0]))
    return state, paid


def test_a_game_of_three_decisions_ends_with_the_fourth_card():
    state, paid = play(["KS", 1, "QH", 0, "KH", 1, "AH"])
    assert paid == [0, -1, 0, 0, 0, -1, 0]  # A pair of kings loses to the flush of hearts.
    assert GAME.rules.current_player(state) == -1
    assert GAME.rules.num_chance_outcomes(state) == 0
    assert GAME.rules.score(state, 0) == 0.0


def test_the_winner_takes_the_pot_of_the_antes_and_both_sides_bets():
    _, paid = play(["KS", 1, "QH", 1, "AS", 1, "JH"])
    assert paid[-1] == 2 + 2 * 3
    assert sum(paid) == 8 - 3


def test_a_draw_splits_the_pot_for_suits_break_no_tie():
    state, paid = play(["KS", 0, "KH", 1, "JS", 1, "JH"])  # Two flushes, king and jack.
    assert paid == [0, 0, 0, -1, 0, -1, 3]
    assert GAME.rules.score(state, 0) == 0.5


def test_four_decisions_bet_last_with_all_cards_out():
    line = ["KS", 0, "QH", 0, "AC", 0, "JD"]
    assert GAME.rules.current_player(play(line)[0]) == -1
    state, _ = play(line, decisions=4)
    assert GAME.rules.current_player(state) == 0
    _, paid = play([*line, 1], decisions=4)
    assert paid[-1] == -1 + 4  # The bet and the pot in one step.
    assert play(["JS", 0, "QH", 0, "QC", 0, "AD", 1], decisions=4)[1][-1] == -1


@pytest.mark.parametrize(("ranking", "pays"), [("flush_first", 2.0), ("pair_first", 0.0)])
def test_the_ranking_says_whether_a_flush_beats_a_pair(ranking, pays):
    _, paid = play(["JS", 0, "AH", 0, "QS", 0, "AC"], ranking=ranking)
    assert paid[-1] == pays
    _, paid = play(["AH", 0, "JS", 0, "AC", 0, "QS"], ranking=ranking)
    assert paid[-1] == 2.0 - pays


def test_no_straights_and_the_kicker_decides():
    assert play(["KS", 0, "AH", 0, "AC", 0, "QD"])[1][-1] == 2.0  # Ace and king beat ace and queen.
    assert play(["JS", 0, "AH", 0, "QC", 0, "KD"])[1][-1] == 0.0
    assert play(["JS", 0, "AH", 0, "JC", 0, "KD"])[1][-1] == 2.0  # A pair of jacks beats ace and king.
    assert play(["QS", 0, "AH", 0, "KS", 0, "AD"])[1][-1] == 2.0  # A flush beats a pair of aces.


def test_hand_classes_are_24_24_and_72_of_120():
    counts = {0: 0, 1: 0, 2: 0}
    for low in range(16):
        for high in range(low + 1, 16):
            counts[rules.hand_rank(rules.FLUSH_FIRST, low, high) // 16] += 1
    assert counts == {2: 24, 1: 24, 0: 72}


def test_the_order_of_two_cards_makes_no_two_states():
    one, _ = play(["KS", 0, "QH", 1, "JD"])
    other, _ = play(["JD", 0, "QH", 1, "KS"])
    assert one.tobytes() == other.tobytes()


@settings(max_examples=60, deadline=None)
@given(moves=st.lists(st.integers(0, 2**16), min_size=8, max_size=8), decisions=st.sampled_from([3, 4]))
def test_every_card_is_in_one_place_and_the_mask_is_full_at_decisions(moves, decisions):
    state = GAME.new_state(GAME.options(decisions=decisions))[0]
    every = GAME.rules.invariants(state)
    mask = np.zeros(2, np.int8)
    paid = 0.0
    for move in moves:
        count = GAME.rules.num_chance_outcomes(state)
        if count == 0 and GAME.rules.current_player(state) < 0:
            break
        GAME.rules.legal_action_mask(state, mask)
        assert mask.tolist() == ([0, 0] if count else [1, 1])
        GAME.rules.apply_action(state, move % (count or 2))
        paid += float(state.reward[0])
        assert GAME.rules.invariants(state) == every == (2**16 - 1, 16)
    assert GAME.rules.current_player(state) == -1
    assert GAME.metrics["net_profit_per_game"](state, 0) == paid - 1.0
    assert abs(paid - 1.0) <= 1 + decisions


def test_the_full_observation_of_a_state():
    state, _ = play(["KS", 1, "QH", 0, "AS"])
    out = np.full(41, 9.0, np.float32)
    observations.observe_full(state, 0, out)
    ones = {2, 6, 9 + 2, 13 + 0, 17 + 3, 21 + 0, 25 + 1, 29 + 1}
    assert {i for i in range(41) if out[i] == 1.0} == ones
    assert out[4] == 0.25
    assert np.count_nonzero(out) == len(ones) + 1


def test_the_observation_table_stands_in_the_docstring():
    assert feature_table(observations.full_features(GAME.options())) in GAME.doc
    assert GAME.observation("full").size(GAME.options()) == 41
    assert GAME.observation("paper").discrete(GAME.options()) == 5537
    assert GAME.observation("paper").discrete(GAME.options(decisions=4)) == 49217


def test_codes_and_names_of_states():
    state, _ = play(["KS", 1, "QH", 0, "AS"])
    options = GAME.options()
    assert GAME.state_index.info_state_key(state, 0) == 1_0913_0600
    place = GAME.state_index.info_state_index(state, 0)
    assert GAME.state_index.info_state_keys(options)[place] == 1_0913_0600
    assert text.names(options)[place] == "AS,KS QH 4"
    end, _ = play(["KS", 1, "QH", 0, "AS", 0, "JS"])
    assert GAME.state_index.info_state_key(end, 0) == GAME.state_index.info_state_index(end, 0) == 0


def test_the_table_in_words():
    state, _ = play(["KS", 1, "QH", 0, "AS"])
    assert GAME.words.describe(state, 0) == (
        "3 of 4 cards out: the last decision\nPot 4; best is flush, pair, high card\nYou    A♠  K♠  (flush)\nHouse  Q♥"
    )
    assert GAME.words.action_text(state, 1) == "bet 1 (the house too: the pot becomes 6)"
    before = GAME.new_state(GAME.options())
    after = before.copy()
    GAME.rules.apply_action(after[0], card("KS"))
    assert GAME.words.narrate(before[0], card("KS"), after[0], 0) == "You get K♠"
    before, _ = play(["KS", 1, "QH", 0, "AS", 1])
    after, _ = play(["KS", 1, "QH", 0, "AS", 1, "QD"])
    assert GAME.words.narrate(before, 0, after, 0) == "The house gets Q♦\nYou win the pot of 6"


@pytest.mark.parametrize("wrong", [{"decisions": 2}, {"decisions": 5}, {"ranking": "straight"}, {"num_players": 2}])
def test_options_that_are_not_allowed(wrong):
    with pytest.raises(CardgymError):
        GAME.options.parse(wrong)


@pytest.mark.parametrize(
    ("line", "bets"),
    [
        (["KS"], 1),
        (["QS"], 0),
        (["KS", 0, "QS"], 1),
        (["KS", 0, "KD"], 0),
        (["KS", 0, "QS", 0, "KD"], 1),
        (["KS", 0, "QS", 0, "JS"], 1),
        (["KS", 0, "QS", 0, "AD"], 0),
        (["KS", 0, "QS", 0, "AD", 0, "JS"], 0),  # The house has a flush.
        (["KS", 0, "KH", 0, "AD", 0, "AC"], 0),  # A draw.
        (["KS", 0, "QH", 0, "AD", 0, "AC"], 1),
    ],
)
def test_the_papers_handcrafted_player(line, bets):
    state, _ = play(line, decisions=4)
    mask = np.ones(2, np.int8)
    assert GAME.players["handcrafted"](state, 0, mask, np.zeros(2, np.uint64)) == bets


@pytest.mark.parametrize("opponent", ["nobody", "handcrafted", ["random"]])
def test_there_is_no_opponent_to_name(opponent):
    with pytest.raises(CardgymError, match="no other seats"):
        gym.make("OnePlayPoker-v0", opponent=opponent)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"opponents": "random"}, "unknown argument 'opponents': did you mean 'opponent'"),
        ({"ranks": 3}, "did you mean 'ranking'"),
        ({"observation": "paper"}, "known: decisions, illegal_action, obs, obs_mode, opponent, ranking"),
        ({"seat": "all", "opponent": "optimal"}, "seat='all' leaves no other seats"),
    ],
)
def test_arguments_that_no_env_has(wrong, words):
    with pytest.raises(CardgymError, match=words):
        gym.make("OnePlayPoker-v0", **wrong)

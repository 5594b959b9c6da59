"""The small deal: its pack, its tosses, its scores, and what solvers may sort."""

import re
from itertools import combinations

import numpy as np
import pytest
from cribbage_driver import CribbageDriver, parse_cards

from cardgym.engine.contract import offsets
from cardgym.games.cribbage.cards import CARDS, EMPTY, card_names
from cardgym.games.cribbage.game import DEAL_GAME, MINI_GAME
from cardgym.games.cribbage.observations import features
from cardgym.games.cribbage.scoring import explain_hand, score_crib, score_hand
from cardgym.games.cribbage.state import OVER, PLAYING, TOSSING, CribbageMiniOptions
from cardgym.table.coach.coach import Coach

AT = offsets(features(CribbageMiniOptions()))
PACK = parse_cards("6C 9C TC JC 6D 9D TD JD")


def deal(pone: str, dealer: str) -> CribbageDriver:
    """A deal in which seat 0, the pone, and seat 1 have these cards."""
    driver = CribbageDriver(MINI_GAME)
    for mine, other in zip(pone.split(), dealer.split(), strict=True):
        driver.draw(mine, other)
    return driver


def points(held: list[int], starter: int, crib: bool) -> int:
    """The points of two cards, counted by the reasons that people are shown."""
    return sum(count for _, count in explain_hand(held, starter, crib))


def test_pack_and_deal() -> None:
    driver = CribbageDriver(MINI_GAME)
    assert sorted(driver.state.deck[: driver.num_chance_outcomes].tolist()) == sorted(PACK)
    driver = deal("JC 6C 9D", "6D TC TD")
    assert driver.state.phase == TOSSING
    assert card_names(driver.state.hand[0, :3]) == "6♣ 9♦ J♣"
    assert driver.legal_actions() == [CARDS, CARDS + 1, CARDS + 2]
    driver.apply_action(CARDS + 1)
    assert card_names(driver.state.hand[0, :2]) == "6♣ J♣"
    driver.apply_action(CARDS)
    assert sorted(driver.state.deck[: driver.num_chance_outcomes].tolist()) == sorted(parse_cards("9C JD"))


def test_deal_scored_by_hand() -> None:
    # Heels for JD. 6C TC is 16, TD a pair and 26; 6D would be 32, so both say go. The last card is 6D.
    driver = deal("6C TC 9C", "6D TD 9D")
    driver.apply_action(CARDS + 1)  # 9C
    driver.apply_action(CARDS + 1)  # 9D
    driver.draw("JD")
    assert driver.scores == [0, 2]
    assert driver.state.phase == PLAYING
    assert driver.peg("0:6C 1:TD") == [0, 0]
    assert driver.peg("0:TC") == [2 + 1]  # A pair at 26, and the go.
    # The last card; then the show: 6 10 of clubs is a flush of two, the dealer's one of three. The crib has a pair.
    assert driver.peg("1:6D") == [1]
    assert driver.state.phase == OVER
    assert driver.scores == [3 + 2, 2 + 1 + 3 + 2]


@pytest.mark.parametrize(
    ("held", "starter", "crib", "expected"),
    [
        ("6C 9D", "9C", False, 6),  # Two fifteens and a pair.
        ("6C 9C", "6D", False, 8),  # The same with a flush of two, ...
        ("6C 9C", "6D", True, 6),  # ... which does not count in the crib.
        ("9C TC", "JC", True, 6),  # A run, and a flush of three.
        ("9C JC", "TC", False, 7),  # ... and nobs.
        ("TC JD", "JC", False, 2),
        ("TC JD", "6D", False, 1),
    ],
)
def test_hands_of_two(held: str, starter: str, crib: bool, expected: int) -> None:
    cards, cut = parse_cards(held), parse_cards(starter)[0]
    assert points(cards, cut, crib) == expected
    score = score_crib if crib else score_hand
    for places in ((0, 1), (0, 2)):
        row = np.full(4, EMPTY, np.int8)
        row[list(places)] = cards
        assert score(row, cut) == expected


def test_every_hand_of_two_scores_what_its_explanation_adds_up_to() -> None:
    row = np.full(4, EMPTY, np.int8)
    for five, six in combinations(range(0, CARDS, 3), 2):
        for starter in range(1, CARDS, 3):
            row[:2] = five, six
            for crib, score in ((False, score_hand), (True, score_crib)):
                assert score(row, starter) == points([five, six], starter, crib)


def test_players_discard_by_exact_means() -> None:
    generator = np.array([1, 0], np.uint64)
    rng = np.random.default_rng(1)
    for _ in range(20):
        cards = [int(card) for card in rng.permutation(PACK)]
        driver = CribbageDriver(MINI_GAME)
        driver.draw(*cards[:6])
        for seat in range(2):
            hand = driver.state.hand[seat, :3].tolist()
            unseen = [card for card in PACK if card not in hand]
            hands, cribs = [], []
            for tossed in hand:
                kept = [card for card in hand if card != tossed]
                hands.append(np.mean([points(kept, starter, False) for starter in unseen]))
                tossed_with = [points([tossed, x], starter, True) for x in unseen for starter in unseen if x != starter]
                cribs.append(np.mean(tossed_with) if seat == 1 else -np.mean(tossed_with))
            for player, means in (("greedy", hands), ("expert", np.add(hands, cribs))):
                action = driver.choose_action(player, generator)
                assert means[action - CARDS] == pytest.approx(max(means))
            observation = driver.observe(seat)
            assert observation[AT["keep_mean"] :][:4] == pytest.approx([*np.divide(hands, 10), 0])
            assert observation[AT["crib_mean"] :][:4] == pytest.approx([*np.divide(cribs, 10), 0])
            driver.apply_action(CARDS + int(rng.integers(3)))


@pytest.mark.slow
def test_the_coach_values_a_deal_in_points() -> None:
    driver = deal("6C TC 9C", "6D TD 9D")
    advice = Coach(driver.game, driver.options, "greedy").advise(driver.state, 0)
    assert advice.unit == DEAL_GAME.unit == "points"
    assert re.match(r"[0-9.]+ \+- [0-9.]+ points less than the best", advice.actions[-1].reason)

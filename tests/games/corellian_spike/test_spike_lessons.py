"""What Corellian Spike tells people: the rule that decided a showdown, and the table while hands are up."""

from typing import Any

import pytest
from spike_driver import SpikeDriver

import cardgym
from cardgym.games.corellian_spike.hand import hand_rank, special_hand
from cardgym.games.corellian_spike.state import DONT_BUY, EMPTY
from cardgym.games.corellian_spike.text import rules_text
from cardgym.games.corellian_spike.view import deciding_rule, tip
from cardgym.players import resolve
from cardgym.table.presentation import presentation_of
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

GAME = cardgym.find("CorellianSpike-v0")


def shown(*hands: tuple[int, int, int] | None, special: bool = False) -> Any:
    """A state after a showdown of these hands, None for a seat that folded; the best of them has won."""
    options = GAME.parse_options({"num_players": len(hands), "special_hands": "yes" if special else "no"})
    state = GAME.blank_state(options)[0]
    for seat, hand in enumerate(hands):
        state.showdown_hands[seat] = hand or (EMPTY, EMPTY, EMPTY)
    ranks = [(-1, -1) if hand is None else (special * special_hand(*hand), hand_rank(*hand)) for hand in hands]
    state.last_winner = ranks.index(max(ranks))
    return state


@pytest.mark.parametrize(
    ("hands", "rule"),
    [
        ([(-2, -1, 4), (-6, 1, 2)], "+1 is nearer to 0 than -3"),
        ([(-3, -2, 3), (-4, 1, 5)], "+2 and -2 are as near to 0: a sum of 0 or more wins"),
        ([(-8, 2, 7), (-3, 1, 3)], "both +1: the higher sum of positive cards wins, 9 to 4"),
        ([(-8, 4, 5), (-8, 2, 7)], "both +1: the highest positive card wins, 7 to 5"),
        ([(-8, 4, 5), (-8, 4, 5)], "both +1, with equal positive cards: drawn by lot"),
        ([(-4, -2, 7), (-5, -1, 7)], "both +1, with equal positive cards: drawn by lot"),
        ([(1, 1, 1), None, (0, 0, 2)], "+2 is nearer to 0 than +3"),
        ([(1, 1, 1), None], "everyone else has folded"),
        ([None, None], "everyone else has folded"),
    ],
)
def test_the_deciding_rule(hands: list[tuple[int, int, int] | None], rule: str) -> None:
    assert deciding_rule(shown(*hands)) == rule


@pytest.mark.parametrize(
    ("hands", "rule"),
    [
        ([(0, 2, 3), (-1, 0, 1)], "Idiot's Array beats Yee-Haa"),
        ([(-1, 0, 1), (-2, 1, 1)], "Yee-Haa beats any sum"),
        ([(-5, 0, 5), (-7, 0, 7)], "both Yee-Haa: the higher sum of positive cards wins, 7 to 5"),
        ([(-2, 1, 1), (-3, 1, 3)], "0 is nearer to 0 than +1"),
    ],
)
def test_the_deciding_rule_of_special_hands(hands: list[tuple[int, int, int] | None], rule: str) -> None:
    assert deciding_rule(shown(*hands, special=True)) == rule


def test_the_rules_are_those_of_the_options() -> None:
    mini = cardgym.find("SpikeMini-v0")
    text = rules_text(mini.blank_state(mini.parse_options())[0])
    for words in (
        "at most one hand\n",
        "9 cards: one 0 and two of each number from -2 to -1 and from 1 to 2.",
        "Then one round follows:",
        "Each player may raise at most once a hand.",
    ):
        assert words in text
    assert "62" not in text
    text = rules_text(GAME.blank_state(GAME.parse_options())[0])
    assert "62 cards: two 0s and three of each number from -10 to -1 and from 1 to 10." in text
    assert "Then three rounds follow:" in text


def test_tips_offer_only_what_is_legal() -> None:
    driver = SpikeDriver(max_raises=1)
    while driver.num_chance_outcomes:
        driver.apply_action(0)
    for may_raise in (True, True, False):
        assert ("Raise if you expect to win" in tip(driver.state, driver.current_player)) == may_raise
        driver.apply_action(driver.legal_actions()[0])
    driver = SpikeDriver((1, 2), (3, 4), credits=2)
    driver.draw(5, 6)
    assert driver.legal_actions() == [DONT_BUY]
    assert (
        tip(driver.state, driver.current_player) == "Your cards make +8. A card costs 2 credits, which you do not have."
    )


def test_hands_are_turned_up_in_place() -> None:
    """The view of the showdown has the cards that the narration names, and the banner the winner."""
    options = GAME.parse_options({"hands": 3})
    session = Session(GameSetup(GAME, options, [resolve("heuristic", GAME, options)], seed=4, seat=0))
    events = session.play()
    while not session.over:
        action = next(action for action in (1, 4, 5) if action in session.legal_actions())
        events += session.act(action)
    seen = 0
    for event in events:
        view = presentation_of(GAME).showdown(event.before, event.move, event.after, 0, session.people)
        assert (view is None) == (event.after.hand == event.before.hand)
        if view is None or event.after.showdown_hands[1, 0] == EMPTY:
            continue
        seen += 1
        for seat in (0, 1):
            [zone] = [zone for zone in view["zones"] if zone["seat"] == seat]
            assert [item["symbol"] for item in zone["items"]] == [
                f"card{card:+d}" for card in event.after.showdown_hands[seat]
            ]
        reveals = presentation_of(GAME).reveals(event.before, event.move, event.after, 0, session.people)
        [banner] = [reveal for reveal in reveals if reveal.get("banner")]
        assert banner["lines"] == [deciding_rule(event.after)]
    assert seen

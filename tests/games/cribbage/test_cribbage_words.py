"""Cribbage in words: what is said about each move, and what stays secret."""

import dataclasses

import pytest
from cribbage_driver import CribbageDriver, parse_cards

from cardgym.engine.states import new_state
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.state import TOSSING
from cardgym.games.cribbage.text import narrate
from cardgym.testing.driver import ContractError
from cardgym.testing.secrecy_checks import check_secrets


def driver_at_play(kept, tossed, starter):
    """A game at the lead of seat 0, where the seats have kept and tossed these cards."""
    driver = CribbageDriver()
    driver.cut(1)
    driver.deal_and_toss(kept, tossed)
    driver.draw(starter)
    return driver


def test_points_are_narrated_with_their_reasons():
    driver = driver_at_play(("5H 8S 8D KD", "7C 2C 7D TS"), ("2H JS", "3H 9S"), "JC")
    assert driver.narrate(0) == "The starter is J♣\nOpponent scores 2: heels for two"
    narrations = []
    for word in ["0:8S", "1:7C", "0:8D", "1:2C", "0:5H"]:
        driver.peg(word)
        narrations.append(driver.narrate(0))
    assert narrations == [
        "You play 8♠: 8",
        "Opponent plays 7♣: 15\nOpponent scores 2: fifteen two",
        "You play 8♦: 23",
        "Opponent plays 2♣: 25",
        "You play 5♥: 30\nOpponent says go\nYou score 1: go for one",
    ]
    driver.peg("1:7D 0:KD 1:TS")
    lines = driver.narrate(0).splitlines()
    assert lines[:2] == ["Opponent plays 10♠: 27", "Opponent scores 1: last card for one"]
    assert lines[2] == "Your hand 5♥ 8♦ 8♠ K♦ with J♣ scores 6"
    assert lines[3] == "  fifteen two (5♥ J♣), fifteen four (5♥ K♦), pair six (8♦ 8♠)"


def test_points_are_counted_aloud_with_the_total_so_far():
    driver = driver_at_play(("4H 5S 8D KD", "6C 2C 7D TS"), ("2H JS", "3H 9S"), "QC")
    driver.peg("0:4H 1:6C 0:5S")
    assert driver.narrate(0) == "You play 5♠: 15\nYou score 5: fifteen two, run of three makes five"


def test_describe_shows_board_pile_and_count():
    driver = driver_at_play(("5H 8S 8D KD", "7C 2C 7D TS"), ("2H JS", "3H 9S"), "JC")
    driver.peg("0:8S 1:7C")
    text = driver.describe(0)
    assert "Pile      8♠ (7♣)   count 15" in text
    assert "Starter   J♣   crib 4 cards, yours 2♥ J♠" in text
    assert "Hand      5♥ 8♦ K♦\nOpponent  ?? ?? ??" in text
    board = next(line for line in text.splitlines() if line.startswith("Opponent    4"))
    assert board.count("#") == 1
    assert driver.action_text(parse_cards("5H")[0]) == "play 5♥ (count 20)"


def test_skunks_are_named_at_the_end():
    from cardgym import find
    from cardgym.games.cribbage.state import OVER
    from cardgym.games.cribbage.text import rules_text
    from cardgym.games.cribbage.view import ending

    game = find("Cribbage-v0")
    state, names = new_state(game, game.parse_options())[0], game.names(0, 2)
    assert ending(state, 0, names) == ""
    state.phase = OVER
    for other, words in ((91, "You win 121 to 91"), (90, "You win 121 to 90, a skunk")):
        state.scores[:] = (121, other)
        assert ending(state, 0, names) == words
    state.scores[:] = (60, 121)
    assert ending(state, 0, names) == "You lose 60 to 121, a double skunk"
    assert "skunked" in rules_text(state)


def test_check_of_secrets_reaches_the_discards_behind_a_long_deal():
    def tell_discards(before, move, after, seat, names):
        return narrate(before, move, after, int(before.turn) if before.phase == TOSSING else seat, names)

    telling = dataclasses.replace(GAME, words=dataclasses.replace(GAME.words, narrate=tell_discards))
    with pytest.raises(ContractError, match=r"narrate\(\) tells it: 'Opponent discards"):
        check_secrets(telling, GAME.options())

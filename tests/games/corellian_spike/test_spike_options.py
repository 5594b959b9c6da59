"""Special hands and a cheat by hand: lines of play, and what each seat is told of them."""

import pytest
from spike_driver import SpikeDriver, play_to_showdown

from cardgym import CardgymError
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import (
    DISCARD,
    DONT_BUY,
    MATCH,
    SWAP_LOW,
)
from cardgym.games.corellian_spike.text import rules_text
from cardgym.games.corellian_spike.view import label

# -- a cheat ----------------------------------------------------------------------------------------------------------


def test_card_up_the_sleeve_stays_there_through_a_redraw() -> None:
    game = SpikeDriver((7, 9), (1, -1), cheat=1)
    game.draw(-8)
    game.play(MATCH, MATCH)
    game.draw(1, 5)
    game.play(DONT_BUY, DONT_BUY, MATCH, MATCH)
    game.roll(1, 1)
    game.draw(2, 3, 4, 5, 6, 7)
    assert game.state.sleeve == -8
    assert "up your sleeve -8" in GAME.describe(game.state, 1)
    assert "sleeve" not in GAME.describe(game.state, 0)


def test_cheat_must_be_a_seat_of_the_game() -> None:
    with pytest.raises(CardgymError, match="option cheat=3: allowed are 'no' and seats 0 to 1"):
        GAME.parse_options({"cheat": 3})


def test_only_the_cheat_sees_the_card_up_its_sleeve() -> None:
    game = SpikeDriver((7, 9), (1, -1), cheat=0, hands=1)
    game.draw(-8)
    assert game.narrate(0) == "You slip -8 up your sleeve"
    assert game.narrate(1) == ""
    assert items(game, 0)["0:sleeve"] == "card-8"
    assert "0:sleeve" not in items(game, 1)
    assert items(game, -1)["0:sleeve"] == "card-8"  # Seat -1 sees everything.
    game.play(MATCH, MATCH)
    game.draw(1, 5)
    play_to_showdown(game)
    view = game.view(0)
    assert view["actions"][DISCARD] == ["0:sleeve"]
    assert game.action_text(DISCARD) == "keep your hand"
    assert game.action_text(SWAP_LOW) == "swap with the lower hand card (+7), sum +2"
    assert [label(game.state, action) for action in (DISCARD, SWAP_LOW)] == [
        "keep your hand: sum +17",
        "swap +7: sum +2",
    ]
    game.act(SWAP_LOW)
    assert game.narrate(0).startswith("You swap +7 for -8 from your sleeve\n")
    assert game.narrate(1).startswith("Seat 0 shows -8 +9 +1: sum +2")


def test_showdown_names_the_special_hand() -> None:
    for special_hands, name in (("yes", ", Idiot's Array"), ("no", "")):
        game = SpikeDriver((2, 3), (5, 4), special_hands=special_hands, hands=1)
        game.play(MATCH, MATCH)
        game.draw(0, -9)
        play_to_showdown(game)
        assert f"Seat 0 shows +2 +3 0: sum +5{name}\n" in game.narrate(1)
        assert ("Idiot's Array" in str(game.reveals(1))) == bool(name)
        assert ("Idiot's Array" in rules_text(game.state)) == bool(name)


def items(game: SpikeDriver, seat: int) -> dict[str, str]:
    """The symbols that a seat sees, by the ids of their items."""
    return {item["id"]: item["symbol"] for zone in game.view(seat)["zones"] for item in zone["items"]}


def test_small_deck_has_the_cards_that_its_options_say() -> None:
    driver = SpikeDriver(values=2, copies=2, zeros=1)
    state = driver.state
    assert sorted(state.deck[: state.deck_size].tolist()) == [-2, -2, -1, -1, 0, 1, 1, 2, 2]
    with pytest.raises(CardgymError, match="a deck of 5 cards is too small for 2 players, who need 8"):
        SpikeDriver(values=2, copies=1, zeros=1)

"""One Play Poker's rules: hand-played lines, both rankings, observations, words and players."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgym import CardgymError
from cardgym.engine.contract import offsets
from cardgym.games.one_play_poker import observations, rules
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.observations import full_features
from cardgym.games.one_play_poker.rules import OnePlayPokerOptions
from cardgym.testing import StateDriver


def card(name: str) -> int:
    return "JQKA".index(name[0]) * 4 + "SHCD".index(name[1])


class PokerDriver(StateDriver):
    """One Play Poker driven by lines of cards (`KS`) and bets (0, 1).

    Attributes:
        payments: what each move paid.
    """

    def __init__(self, line: list[str | int], **options: Any) -> None:
        super().__init__(GAME, options)
        self.payments: list[float] = []
        for word in line:
            self.payments.append(float(self.apply_action(self.draw(word) if isinstance(word, str) else word)[0]))

    def draw(self, name: str) -> int:
        """The outcome of chance that deals a card."""
        left = [number for number in range(rules.NUM_CARDS) if int(self.state.deck) >> number & 1]
        assert self.num_chance_outcomes == len(left), f"{name}: no card is dealt now"
        return left.index(card(name))


def test_fourth_decision_comes_with_all_cards_out() -> None:
    line: list[str | int] = ["KS", 0, "QH", 0, "AC", 0, "JD"]
    assert PokerDriver(line).over
    assert PokerDriver(line, decisions=4).current_player == 0
    assert PokerDriver([*line, 1], decisions=4).payments[-1] == -1 + 4  # The bet and the pot in one step.
    assert PokerDriver(["JS", 0, "QH", 0, "QC", 0, "AD", 1], decisions=4).payments[-1] == -1


def test_state_ignores_the_order_of_two_cards() -> None:
    one = PokerDriver(["KS", 0, "QH", 1, "JD"])
    other = PokerDriver(["JD", 0, "QH", 1, "KS"])
    assert one.state_bytes() == other.state_bytes()


@settings(max_examples=60, deadline=None)
@given(moves=st.lists(st.integers(0, 2**16), min_size=8, max_size=8), decisions=st.sampled_from([3, 4]))
def test_every_card_is_in_one_place_and_both_actions_are_legal_at_decisions(moves: list[int], decisions: int) -> None:
    driver = StateDriver(GAME, {"decisions": decisions})
    paid = 0.0
    for move in moves:
        if driver.over:
            break
        count = driver.num_chance_outcomes
        assert driver.legal_action_mask().tolist() == ([0, 0] if count else [1, 1])
        paid += driver.apply_action(move % (count or 2))[0]
        assert GAME.rules.invariants(driver.state) == (2**16 - 1, 16)
        assert GAME.metrics["net_profit_per_game"].value(driver.state, 0) == paid - 1.0  # Also if it forfeits now.
    assert driver.over
    assert abs(paid - 1.0) <= 1 + decisions


def test_full_observation_of_a_state() -> None:
    driver = PokerDriver(["KS", 1, "QH", 0, "AS"])
    out = driver.observe(0)
    start = offsets(full_features(OnePlayPokerOptions()))
    ones = {
        start["cards_out"] + 2,
        start["own_suited"],
        start["own_low_rank"] + 2,
        start["own_low_suit"] + 0,
        start["own_high_rank"] + 3,
        start["own_high_suit"] + 0,
        start["house_low_rank"] + 1,
        start["house_low_suit"] + 1,
    }
    assert set(np.flatnonzero(out == 1.0).tolist()) == ones
    assert out[start["bets"]] == 0.25
    assert np.count_nonzero(out) == len(ones) + 1


def test_sizes_of_the_observations() -> None:
    assert GAME.observation("full").size(GAME.parse_options()) == 41
    assert observations.num_info_states(OnePlayPokerOptions()) == 5537
    assert observations.num_info_states(OnePlayPokerOptions(decisions=4)) == 49217
    assert GAME.observation("paper").discrete is observations.num_info_states


def test_keys_and_labels_of_states() -> None:
    driver = PokerDriver(["KS", 1, "QH", 0, "AS"])
    options = OnePlayPokerOptions()
    assert driver.info_state_key(0) == 1_0913_0600
    place = driver.info_state_index(0)
    assert observations.info_state_keys(options)[place] == 1_0913_0600
    assert observations.info_state_labels(options)[place] == "AS,KS QH 4"
    end = PokerDriver(["KS", 1, "QH", 0, "AS", 0, "JS"])
    assert end.info_state_key(0) == end.info_state_index(0) == 0


def test_words() -> None:
    driver = PokerDriver(["KS", 1, "QH", 0, "AS"])
    assert driver.describe(0) == (
        "3 of 4 cards out: the last decision\nPot 4; best is flush, pair, high card\nYou    A♠  K♠  (flush)\nHouse  Q♥"
    )
    assert driver.action_text(1) == "bet 1 (the pot becomes 6)"
    assert driver.narrate(0) == "You get A♠"
    assert PokerDriver(["KS", 1, "QH", 0, "AS", 1, "QD"]).narrate(0) == "The house gets Q♦\nYou win the pot of 6"


@pytest.mark.parametrize("wrong", [{"decisions": 2}, {"decisions": 5}, {"ranking": "straight"}, {"num_players": 2}])
def test_options_that_are_not_allowed_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(CardgymError):
        GAME.parse_options(wrong)


@pytest.mark.parametrize(
    "given", [{"opponent": "nobody"}, {"opponent": ["random"]}, {"seat": "all", "opponent": "optimal"}], ids=str
)
def test_opponents_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(CardgymError, match="no other seats"):
        gymnasium.make("OnePlayPoker-v0", **given)

"""The driver: chosen moves, chance by a generator, copies, narration."""

import random

import numpy as np
import pytest

from cardgym import CardgymError
from cardgym.testing import StateDriver, generator
from kuhn_poker import BET, KING, PASS, QUEEN


def dealt(first: int, second: int) -> StateDriver:
    driver = StateDriver("KuhnPoker-v0")
    driver.play(first, second - (second > first))
    return driver


def test_options_are_given_whole_or_by_name() -> None:
    given = StateDriver("CorellianSpike-v0", {"num_players": 3})
    assert given.options.num_players == given.state.num_players == 3
    assert StateDriver("CorellianSpike-v0", given.options).state.num_players == 3
    with pytest.raises(CardgymError, match="num_players=9: allowed are whole numbers from 2 to 8"):
        StateDriver("CorellianSpike-v0", {"num_players": 9})


@pytest.mark.parametrize("seed", range(4))
def test_chance_is_played_by_either_kind_of_generator(seed: int) -> None:
    for choose in (random.Random(seed).randrange, np.random.default_rng(seed).integers):
        driver = StateDriver("KuhnPoker-v0")
        paid = driver.play_chance(choose)
        assert not driver.num_chance_outcomes
        assert not paid.any()


def test_copy_is_independent() -> None:
    driver = dealt(QUEEN, KING)
    other = driver.copy()
    other.apply_action(BET)
    assert (driver.current_player, other.current_player) == (0, 1)
    assert driver.state_bytes() != other.state_bytes()
    driver.apply_action(BET)
    assert driver.state_bytes() == other.state_bytes()
    assert driver.digest() == other.digest()
    other.setup()
    driver.assign(other)
    assert driver.num_chance_outcomes == 3


def test_copy_of_a_subclass_is_of_that_class() -> None:
    class Named(StateDriver):
        pass

    assert type(Named("KuhnPoker-v0").copy()) is Named


def test_state_that_was_written_to_is_read_again() -> None:
    driver = dealt(QUEEN, KING)
    driver.state.moves = 2
    driver.refresh()
    assert driver.over


def test_reward_is_not_part_of_the_state() -> None:
    driver = dealt(QUEEN, KING)
    before = driver.state_bytes(), driver.digest()
    driver.state.paid[0] = 5.0
    assert (driver.state_bytes(), driver.digest()) == before


def test_compiled_players_choose() -> None:
    driver = dealt(KING, QUEEN)
    assert driver.players == ("random", "honest", "equilibrium")
    assert driver.choose_action("honest", generator(0)) == BET
    assert {driver.choose_action("random", generator(number)) for number in range(20)} == {PASS, BET}


def test_game_without_a_deck_refuses_one() -> None:
    with pytest.raises(CardgymError, match="cannot deal a chosen deck"):
        StateDriver("KuhnPoker-v0", deck=[0, 1])

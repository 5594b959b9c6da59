"""The paper's states: counted, numbered, clipped and rounded."""

import numpy as np
import pytest
from spike_driver import SpikeDriver

from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.games.corellian_spike.state_index import digits_of, info_state_keys, key_index, num_info_states


def enumerated(players: int) -> set[int]:
    """The keys by the paper's text: digits put together as text."""
    keys = {"0"}
    for money in (f"{own}{pool}" for own in range(10) for pool in range(10) if own + pool <= 5 * players):
        for total in range(1, 20):
            keys.add(f"01{total:02}00{money}")
            for round in "123":
                for decision in "123":
                    keys |= {f"{round}{decision}{total:02}{extra:02}{money}" for extra in range(21)}
    return {int(key) for key in keys}


@pytest.mark.parametrize(("players", "count"), [(2, 231_041), (4, 361_001)])
def test_number_of_states_is_the_papers(players: int, count: int) -> None:
    keys = enumerated(players)
    options = CorellianSpikeOptions(num_players=players)
    assert len(keys) == count
    assert num_info_states(options) == count
    assert set(info_state_keys(options).tolist()) == keys
    assert GAME.observation("paper").discrete is not None
    assert GAME.observation("paper").discrete(options) == count  # type: ignore[misc]


def test_number_of_states_by_players() -> None:
    counts = [num_info_states(CorellianSpikeOptions(num_players=n)) for n in range(2, 9)]
    assert counts == [len(enumerated(2)), len(enumerated(3)), *[361_001] * 5]


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_index_of_a_key_is_its_place(players: int) -> None:
    keys = info_state_keys(CorellianSpikeOptions(num_players=players))
    step = 7
    indices = [key_index(key, players) for key in keys[::step].tolist()]
    assert indices == list(range(0, len(keys), step))
    assert keys[0] == 0


def test_key_beyond_the_enumeration_has_its_pool_lowered_and_then_its_credits() -> None:
    def index(key: int) -> int:
        return int(key_index(key, 2))

    assert index(2_1_10_00_99) == index(2_1_10_00_91)  # 9 + 9 > 10: the pool gives way.
    assert index(2_1_10_00_74) == index(2_1_10_00_73)
    assert index(2_1_10_00_73) != index(2_1_10_00_72)
    assert len({index(2_1_10_00_90 + pool) for pool in range(2)}) == 2


def test_key_of_a_first_decision() -> None:
    game = SpikeDriver((7, -3), (0, 2))
    assert game.info_state_key(0) == 1_14_00_5_0  # Round 0, betting, sum 4, no extra card; 48 credits, pool 4.
    assert game.info_state_key(1) == 1_12_00_5_0


@pytest.mark.parametrize(
    ("amount", "digit"),
    [(4, 0), (5, 0), (6, 1), (15, 2), (25, 2), (35, 4), (45, 4), (50, 5), (94, 9), (96, 9), (500, 9)],
)
def test_tens_are_rounded_half_to_even_and_at_most_nine(amount: int, digit: int) -> None:
    game = SpikeDriver((1, 2), (3, 4))
    game.state.stack[0] = amount
    assert digits_of(game.info_state_key(0)).credits == digit
    game.state.pool = amount
    assert digits_of(game.info_state_key(0)).pool == digit


def test_paper_observation_is_the_index() -> None:
    game = SpikeDriver((7, -3), (0, 2))
    assert game.observe(0, "paper").tolist() == [game.info_state_index(0)]
    assert info_state_keys(CorellianSpikeOptions())[game.info_state_index(0)] == game.info_state_key(0)
    assert np.float32(361_000) == 361_000

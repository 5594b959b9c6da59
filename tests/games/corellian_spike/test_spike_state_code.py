"""The paper's state code: counted, numbered, clipped and rounded."""

from __future__ import annotations

import numpy as np
import pytest
from spike_lines import deal, new_table

from cardgym.games.corellian_spike.game import GAME, observations
from cardgym.games.corellian_spike.state import BUY, DONT_BUY, FOLD, MATCH, CorellianSpikeOptions


def enumerated(players: int) -> set[int]:
    """The codes of the rule text, from its words: digits put together as text."""
    codes = {"0"}
    for money in (f"{own}{pool}" for own in range(10) for pool in range(10) if own + pool <= 5 * players):
        for total in range(1, 20):
            codes.add(f"01{total:02}00{money}")
            for round in "123":
                for decision in "123":
                    codes |= {f"{round}{decision}{total:02}{extra:02}{money}" for extra in range(21)}
    return {int(code) for code in codes}


@pytest.mark.parametrize(("players", "count"), [(2, 231_041), (4, 361_001)])
def test_as_many_states_as_the_paper_says(players: int, count: int) -> None:
    codes = enumerated(players)
    options = CorellianSpikeOptions(num_players=players)
    assert len(codes) == count
    assert observations.num_info_states(options) == count
    assert set(observations.codes(options).tolist()) == codes
    assert GAME.observation("paper").discrete is not None
    assert GAME.observation("paper").discrete(options) == count  # type: ignore[misc]


def test_more_players_have_as_many_states_as_four_and_three_have_fewer() -> None:
    counts = [observations.num_info_states(CorellianSpikeOptions(num_players=n)) for n in range(2, 9)]
    assert counts == [len(enumerated(2)), len(enumerated(3)), *[361_001] * 5]


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_code_to_index_and_back(players: int) -> None:
    codes = observations.codes(CorellianSpikeOptions(num_players=players))
    step = 7
    assert [observations.code_index(code, players) for code in codes[::step].tolist()] == list(
        range(0, len(codes), step)
    )
    assert codes[0] == 0
    assert observations.code_index(0, players) == 0


def test_a_code_outside_the_enumeration_has_its_pool_lowered_and_then_its_credits() -> None:
    def index(code: int) -> int:
        return int(observations.code_index(code, 2))

    assert index(2_1_10_00_99) == index(2_1_10_00_91)  # 9 + 9 > 10: the pool gives way.
    assert index(2_1_10_00_74) == index(2_1_10_00_73)
    assert index(2_1_10_00_73) != index(2_1_10_00_72)
    assert len({index(2_1_10_00_90 + pool) for pool in range(2)}) == 2


def test_the_digits_of_a_first_decision() -> None:
    table = new_table(hands=[(7, -3), (0, 2)])
    assert table.code(0) == 1_14_00_5_0  # Round 0, betting, sum 4, no extra; 48 credits, pool 4.
    assert table.code(1) == 1_12_00_5_0


@pytest.mark.parametrize(("hand", "digits"), [((10, 9), 19), ((-10, -9), 1), ((-9, 0), 1), ((0, 0), 10), ((4, 5), 19)])
def test_sums_are_clipped(hand: tuple[int, int], digits: int) -> None:
    table = new_table(hands=[hand, (1, 2)])
    assert table.code(0) // 10_000 % 100 == digits


@pytest.mark.parametrize(("card", "digits"), [(-10, 0), (-9, 1), (0, 10), (10, 20)])
def test_the_bought_card_and_that_a_minus_ten_looks_like_none(card: int, digits: int) -> None:
    table = new_table(hands=[(1, 2), (3, 4)])
    table.play(MATCH, MATCH)
    deal(table, 5, 6)
    assert table.code(0) == 1_2_18_00_5_0
    table.play(BUY)
    deal(table, card)
    assert table.code(0) == 13_180_051 + 100 * digits  # Round 1, placing, sum 8; pool 6.
    assert table.code(1) == 13_190_051  # The other seat sees no extra card; its sum is clipped.


@pytest.mark.parametrize(
    ("stack", "digit"),
    [(4, 0), (5, 0), (6, 1), (15, 2), (25, 2), (35, 4), (45, 4), (50, 5), (94, 9), (96, 9), (500, 9)],
)
def test_tens_are_rounded_half_to_even_and_at_most_nine(stack: int, digit: int) -> None:
    table = new_table(hands=[(1, 2), (3, 4)])
    table.state.stack[0] = stack
    assert table.code(0) // 10 % 10 == digit
    table.state.pool = stack
    assert table.code(0) % 10 == digit


def test_the_end_is_state_0() -> None:
    table = new_table(hands=[(1, 2), (3, 4)])
    while not table.over:
        while table.num_chance_outcomes:
            table.apply(0)
        if not table.over:
            table.play(FOLD if FOLD in table.legal_actions() else DONT_BUY)
    assert [table.code(0), table.code(1), table.index(0), table.index(1)] == [0, 0, 0, 0]


def test_the_paper_observation_is_the_index() -> None:
    table = new_table(hands=[(7, -3), (0, 2)])
    assert table.observe(0, "paper").tolist() == [table.index(0)]
    codes = observations.codes(CorellianSpikeOptions())
    assert codes[table.index(0)] == table.code(0)
    assert np.float32(361_000) == 361_000

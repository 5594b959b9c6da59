"""`resample_by_actions`: the cards that the coach of Corellian Spike plays out."""

from typing import Any

import numpy as np
import pytest
from spike_driver import SpikeDriver

from cardgym.engine.compilation import compiled
from cardgym.engine.declarations import offsets
from cardgym.games.corellian_spike.belief import resample_by_actions
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import EMPTY, SPIKE_SLOT


@compiled
def resample_all(states: Any, seat: int, key: int) -> None:
    generator = np.zeros(2, np.uint64)
    for row in range(states.shape[0]):
        generator[0], generator[1] = key + row, 0
        resample_by_actions(states[row], seat, generator)


def all_cards(driver: SpikeDriver) -> list[int]:
    state = driver.state
    cards = [*state.deck[: state.deck_size].tolist(), *state.cards[: state.num_players].reshape(-1).tolist()]
    return sorted(card for card in [*cards, int(state.extra), int(state.sleeve)] if card != EMPTY)


@pytest.mark.parametrize("options", [{}, {"cheat": "0"}, {"num_players": 4}], ids=str)
def test_what_the_seat_sees_decides_what_is_drawn(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    decisions = 0
    for _ in range(4):
        game = SpikeDriver(**options)
        game.play_chance(rng.integers)
        while not game.over:
            seat = game.current_player
            drawn = set()
            for elsewhere in range(3):
                world = game.copy()
                if elsewhere:
                    world.resample(seat, rng.integers(2**63, size=2, dtype=np.uint64))
                resample_all(world.states, seat, 7)
                world.refresh()
                assert all_cards(world) == all_cards(game)
                np.testing.assert_array_equal(world.observe(seat, "belief"), game.observe(seat, "belief"))
                drawn.add(world.states.tobytes())
            assert len(drawn) == 1
            decisions += 1
            game.apply_action(game.choose_action("heuristic", rng.integers(2**63, size=2, dtype=np.uint64)))
            game.play_chance(rng.integers)
    assert decisions > 40


def test_hands_are_drawn_as_often_as_the_belief_says() -> None:
    """The sizes of the opponent's sum, in 10,000 draws at decisions of several games, within four standard errors."""
    start = offsets(GAME.observation("belief").features(GAME.parse_options()))["opponent_1_size"]
    rng, count, compared = np.random.default_rng(2), 10_000, 0
    for _ in range(3):
        game = SpikeDriver()
        game.play_chance(rng.integers)
        while not game.over:
            seat = game.current_player
            if game.state.cards[seat, SPIKE_SLOT] != EMPTY and rng.random() < 0.1:
                shares = game.observe(seat, "belief")[start : start + 12]
                states = np.repeat(game.states, count)
                resample_all(states, seat, 0)
                sums = np.abs(states["cards"][:, 1 - seat].sum(axis=1))
                found = np.bincount(np.minimum(sums, 11), minlength=12) / count
                np.testing.assert_array_less(np.abs(found - shares), 4 * np.sqrt(shares * (1 - shares) / count) + 1e-4)
                compared += 1
            game.apply_action(game.choose_action("heuristic", rng.integers(2**63, size=2, dtype=np.uint64)))
            game.play_chance(rng.integers)
    assert compared >= 4

"""The rewards of Corellian Spike: credits gained by default, and the paper's two models."""

import numpy as np
import pytest
from spike_driver import SpikeDriver

from cardgym.games.corellian_spike.state import MATCH, RAISE


@pytest.mark.parametrize("moves", [(), (RAISE, RAISE), (MATCH, RAISE, MATCH)])
def test_illegal_action_costs_all_credits(moves: tuple[int, ...]) -> None:
    game = SpikeDriver((3, 5), (-2, -7))
    returns = np.array(game.act(*moves)) if moves else np.zeros(2)
    if game.num_chance_outcomes:
        game.draw(-4, 6)
    seat = game.current_player
    assert returns[seat] + game.forfeit(seat) == -50


# -- the paper's rewards -----------------------------------------------------------------------------------------------


def test_papers_illegal_action_costs_the_credits_and_the_pool() -> None:
    for reward in ("credits", "weighted"):
        game = SpikeDriver((3, 5), (-2, -7), reward=reward)
        game.act(RAISE)
        assert game.forfeit(1) == -(48 + 6)

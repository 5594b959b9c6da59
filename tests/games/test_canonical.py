"""What solvers may change in a state, `canonical`, changes nothing that a seat sees."""

import dataclasses

import numpy as np
import pytest

import cardgym
from cardgym.engine.batch import look
from cardgym.engine.contract import Game, Rules
from cardgym.testing import StateDriver

DEFAULT = next(field.default for field in dataclasses.fields(Rules) if field.name == "canonical")


def games() -> list[Game]:
    """One game of each kind in which players hide cards from each other and `canonical` is given."""
    found = [cardgym.find(env_id) for env_id in cardgym.registered()]
    hiding = [game for game in found if game.max_players > 1 and game.rules.canonical is not DEFAULT]
    return list({game.rules.canonical: game for game in hiding}.values())


@pytest.mark.parametrize("game", games(), ids=lambda game: game.id)
def test_canonical_states_look_the_same_to_every_seat(game: Game) -> None:
    driver = StateDriver(game, game.parse_options())
    rng = np.random.default_rng(3)
    seats = np.arange(driver.options.num_players)
    for _ in range(300):
        if driver.over:
            driver.setup()
        if driver.num_chance_outcomes == 0:
            copy = driver.states.copy().view(np.recarray)
            game.rules.canonical(copy[0])
            before = look(game, driver.options, np.repeat(driver.states, len(seats)), seats)
            after = look(game, driver.options, np.repeat(copy, len(seats)), seats)
            for seen, same in zip(before, after, strict=True):
                np.testing.assert_array_equal(seen, same)
        driver.random_move(rng)

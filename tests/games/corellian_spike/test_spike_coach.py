"""What the coach of Corellian Spike advises."""

import numpy as np
import pytest

from cardgym import find
from cardgym.games.corellian_spike.state import FOLD
from cardgym.players import CompiledPlayer
from cardgym.table.coach import solved
from cardgym.table.coach.coach import Coach
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup
from cardgym.testing import StateDriver

pytest.importorskip("torch")


def test_values_are_credits_in_falling_order() -> None:
    game = find("CorellianSpike-v0")
    options = game.parse_options()
    coach = Coach(game, options)
    session = Session(GameSetup(game, options, [CompiledPlayer("heuristic")], seed=4, seat=0))
    session.play()
    rng = np.random.default_rng(4)
    advised = 0
    while not session.over and advised < 15:
        legal = session.legal_actions()
        if len(legal) > 1:
            advice = coach.advise(session.state, 0)
            assert advice.unit == "credits"
            values = [one.value for one in advice.actions]
            assert values == sorted(values, reverse=True)
            advised += 1
        session.act(int(rng.choice([action for action in legal if action != FOLD])))
    assert advised > 5


def test_without_an_agent_for_the_options_the_coach_rolls_out_heuristic() -> None:
    game = find("CorellianSpike-v0")
    options = game.parse_options({"num_players": 5})
    session = Session(GameSetup(game, options, [CompiledPlayer("heuristic")] * 4, seed=4, seat=0))
    session.play()
    source = Coach(game, options).advise(session.state, 0).source
    assert source == "3,000 playouts of Heuristic, fewer than 5 players need, to answer in seconds"


@pytest.mark.slow
def test_a_fold_is_worth_nothing_more_in_a_solved_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved, "_NODES_WALKED", 1_000_000)
    driver = StateDriver("SpikeMini-v0", {"credits": 4})
    coach, rng, folds = Coach(driver.game, driver.options), np.random.default_rng(1), 0
    for _ in range(30):
        driver.setup()
        driver.refresh()
        driver.play_chance(rng.integers)
        while not driver.over:
            advice = coach.advise(driver.state, driver.current_player)
            folds += FOLD in (known := {one.action: one.value for one in advice.actions})
            assert known.get(FOLD, 0.0) == pytest.approx(0.0, abs=1e-9)
            driver.apply_action(int(rng.choice(driver.legal_actions())))
            driver.play_chance(rng.integers)
    assert folds

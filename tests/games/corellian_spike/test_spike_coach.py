"""What the coach of Corellian Spike advises."""

from __future__ import annotations

import numpy as np
import pytest

from cardgym import find
from cardgym.games.corellian_spike.state import FOLD
from cardgym.players import CompiledPlayer
from cardgym.table.coach.coach import Coach
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

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

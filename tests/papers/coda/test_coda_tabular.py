"""Q-learning and Sarsa on the paper's bits of Coda: what can be learned of six tiles."""

from __future__ import annotations

from typing import Any

import pytest

from cardgym import find
from cardgym.arena import evaluate
from cardgym.games.coda.state import CodaOptions
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.papers.coda.one_tile import win_rates
from cardgym.players import PlayerSpec


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["q_learning", "sarsa"])
def test_six_tiles_are_learned_between_the_heuristic_and_the_optimum_without_colors(algorithm: Any) -> None:
    game = find("Coda-v0")
    config = TabularConfig(
        env_id=game.id, observation="paper", seat=0, table_size=20_000, algorithm=algorithm, total_steps=300_000,
        learning_rate=1.0, learning_rate_final=1.0, visits_power=0.7, exploration_final_eps=0.02,
        exploration_fraction=0.8,
    )  # fmt: skip
    learned = TabularLearner(game, game.parse_options({"n": 6}), config)
    learned.advance(300_000)
    players: list[PlayerSpec] = [learned.player(), "random"]
    report = evaluate(game, learned.options, players, games=20_000, seed=11, seats="fixed").players[0]
    exact = win_rates(CodaOptions(n=6, color_visible="no"))
    assert report.win_rate_ci95[0] > exact["policies"]["heuristic"] + 0.03
    assert report.win_rate_ci95[0] < exact["optimum"]
    assert learned.states <= 195  # Every state that seat 0 can decide in.

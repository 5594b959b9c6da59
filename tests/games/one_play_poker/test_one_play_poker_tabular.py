"""Q-learning and Sarsa on One Play Poker, against its exact values."""

from typing import Any

import pytest

from cardgym import find
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.solvers.optimum import policy_of, solver

POKER = "OnePlayPoker-v0"


def learner(**settings: Any) -> TabularLearner:
    game = find(POKER)
    return TabularLearner(game, game.parse_options(), TabularConfig(env_id=POKER, **settings))


@pytest.mark.parametrize(
    ("algorithm", "observation"),
    [
        pytest.param("q_learning", "full", marks=pytest.mark.slow),
        ("sarsa", ""),
        pytest.param("q_learning", "", marks=pytest.mark.slow),
        pytest.param("sarsa", "full", marks=pytest.mark.slow),
    ],
)
def test_nearly_optimal_policy_is_learned(algorithm: str, observation: str) -> None:
    learned = learner(
        algorithm=algorithm, observation=observation, total_steps=2_000_000, table_size=100_000,
        learning_rate=1.0, learning_rate_final=1.0, visits_power=0.7,
        exploration_final_eps=0.5 if algorithm == "q_learning" else 0.0, exploration_fraction=1.0,
    )  # fmt: skip
    learned.advance(2_000_000)
    exact = solver(learned.game, learned.options)
    value = exact.value(policy_of(exact.tree, learned.player())).mean
    assert float(value / exact.solve(1).value) > 0.95
    assert learned.states >= 5_000  # Of 5,536; the observation has more, because suits have names in it.

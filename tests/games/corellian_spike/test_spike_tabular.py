"""Q-learning on Corellian Spike's numbered states."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardgym import find
from cardgym.learn.tabular import TabularConfig, TabularLearner

SPIKE = "CorellianSpike-v0"


def learner(**settings: Any) -> TabularLearner:
    game = find(SPIKE)
    return TabularLearner(game, game.parse_options(), TabularConfig(env_id=SPIKE, **settings))


def test_illegal_actions_are_neither_taken_nor_used_in_targets() -> None:
    learned = learner(total_steps=200_000)
    learned.values[:] = 1e9  # An illegal action that is looked ahead to leaves this in the targets.
    legal = np.zeros_like(learned.visits, np.bool_)
    keys_of = find(SPIKE).state_index.info_state_keys
    assert keys_of is not None
    decisions = keys_of(learned.options) // 1_000_000 % 10  # The digit of the paper's code that says what is decided.
    for decision, actions in ((1, [0, 1, 2]), (2, [3, 4]), (3, [5, 6, 7, 8])):
        legal[np.ix_(decisions == decision, actions)] = True
    learned.values[legal] = 0.0
    learned.advance(200_000)
    assert learned.visits[~legal].sum() == 0
    assert learned.visits[legal].sum() > 150_000
    assert np.abs(learned.values[legal]).max() < 1000

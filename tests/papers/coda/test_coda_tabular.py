"""Q-learning and Sarsa on the paper's bits of Coda: masks, seats, and what can be learned of six tiles."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from cardgym import find
from cardgym.arena import evaluate
from cardgym.engine.batch import LegalSampler
from cardgym.engine.rules import hash_of
from cardgym.games.coda.state import CodaOptions
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.learn.tabular_loop import ENTRY, insert
from cardgym.papers.coda.one_tile import win_rates
from cardgym.players import PlayerSpec

CODA = "Coda-v0"


def learner(n: int = 6, **settings: Any) -> TabularLearner:
    game = find(CODA)
    config = TabularConfig(env_id=CODA, observation="paper", **{"seat": 0, "table_size": 20_000, **settings})
    return TabularLearner(game, game.parse_options({"n": n}), config)


def never_legal(n: int, games: int = 2000) -> dict[int, Any]:
    """The guesses that are illegal for certain, by the hash of an observation met in random play.

    They name a tile that is seen, or a place beyond the opponent's line, which has one tile more than are face up.
    """
    env = gymnasium.make_vec(f"cardgym:{CODA}", num_envs=64, obs="paper", n=n)
    sampler = LegalSampler(5)
    illegal = {}
    observations, info = env.reset(seed=3)
    over = np.zeros(64, np.bool_)
    played = 0
    while played < games:
        for observation in observations[~over]:
            own_hidden, own_up, opponent_up = observation.reshape(3, n) != 0
            guesses = np.zeros((n, n), np.bool_)
            guesses[:, own_hidden | own_up | opponent_up] = True
            guesses[opponent_up.sum() + 1 :] = True
            illegal[int(hash_of(observation))] = guesses.ravel()
        observations, _, over, _, info = env.step(sampler(info["action_mask"]))
        played += int(over.sum())
    return illegal


@pytest.mark.parametrize("algorithm", ["q_learning", pytest.param("sarsa", marks=pytest.mark.slow)])
def test_illegal_guesses_are_neither_made_nor_used_in_targets(algorithm: str) -> None:
    """Illegal guesses start with huge values: one that is made or looked ahead to shows in the others' values."""
    illegal = never_legal(6)
    learned = learner(algorithm=algorithm, total_steps=40_000, gamma=1.0, exploration_final_eps=0.2)
    poison = [(key, action, 0, 1e9) for key, guesses in illegal.items() for action in np.flatnonzero(guesses)]
    insert(learned.entries, np.array(poison, ENTRY))
    learned.advance(40_000)
    tried = learned.entries[learned.entries["visits"] > 0]
    assert len(tried) > 300
    assert np.abs(tried["value"]).max() <= 1.0
    assert (learned.entries["value"] == 1e9).sum() == len(poison) > 3000
    known = [entry for entry in tried if int(entry["key"]) in illegal]
    assert len(known) > 0.9 * len(tried)
    assert not any(illegal[int(entry["key"])][entry["action"]] for entry in known)


@pytest.mark.parametrize("algorithm", ["q_learning", pytest.param("sarsa", marks=pytest.mark.slow)])
def test_six_tiles_are_learned_between_the_heuristic_and_the_optimum_without_colors(algorithm: str) -> None:
    learned = learner(
        algorithm=algorithm, total_steps=300_000, learning_rate=1.0, learning_rate_final=1.0, visits_power=0.7,
        exploration_final_eps=0.02, exploration_fraction=0.8,
    )  # fmt: skip
    learned.advance(300_000)
    players: list[PlayerSpec] = [learned.player(), "random"]
    report = evaluate(CODA, learned.options, players, games=20_000, seed=11, seats="fixed").players[0]
    exact = win_rates(CodaOptions(n=6, color_visible="no"))
    assert report.win_rate_ci95[0] > exact["policies"]["heuristic"] + 0.03
    assert report.win_rate_ci95[0] < exact["optimum"]
    assert learned.states <= 195  # Every state that seat 0 can decide in.


def test_pairs_and_states_are_counted_once() -> None:
    learned = learner(total_steps=5000)
    learned.advance(5000)
    pairs = learned.table()
    assert len(np.unique(pairs.keys)) == learned.states
    both = np.unique(np.stack([pairs.keys, pairs.actions.astype(np.uint64)]), axis=1)
    assert both.shape[1] == len(pairs.keys)
    assert learned.entries["visits"].sum() == pytest.approx(5000, abs=1)  # The last may wait for its target.


def test_learner_stays_in_its_seat() -> None:
    """With seat 0 to move first, seat 0 has one hidden tile and one drawn in its first state; seat 1 sees one up."""
    for seat, first_up in ((0, 0), (1, 1)):
        learned = learner(seat=seat, total_steps=2000, n=8)
        learned.advance(2000)
        env = gymnasium.make(f"cardgym:{CODA}", obs="paper", n=8, seat=seat)
        keys = {}
        for seed in range(300):
            observation, _ = env.reset(seed=seed)
            keys[int(hash_of(observation))] = observation
        assert all(observation[16:].sum() == first_up for observation in keys.values())
        met = set(learned.table().keys.tolist())
        assert len(met & set(keys)) > 10
    first, second = (learner(seat=seat, total_steps=2000, n=8) for seat in (0, 1))
    first.advance(2000)
    second.advance(2000)
    assert not set(first.table().keys.tolist()) & set(second.table().keys.tolist())  # Tiles up: even, and odd.

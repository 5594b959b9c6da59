"""Tables of observations as dictionaries of the pairs tried: masks, room, files, seats, and what they learn of Coda."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.arena import evaluate
from cardgym.engine.sampling import LegalSampler
from cardgym.games.coda.solve import solve
from cardgym.learn.tabular.learner import TabularConfig, TabularLearner
from cardgym.learn.tabular.loop import ENTRY, insert
from cardgym.players.q_table import Pairs, QTablePlayer, hash_of, load_player, save_q_table

CODA = "Coda-v0"


def learner(n=6, **settings):
    game = find(CODA)
    config = TabularConfig(env=CODA, observation="paper", **{"seat": 0, "table_size": 20_000, **settings})
    return TabularLearner(game, game.parse_options({"n": n}), config)


def never_legal(n, games=2000):
    """By the hash of an observation met in random play, the guesses that can never be legal there.

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


@pytest.mark.parametrize("algorithm", ["q_learning", "sarsa"])
def test_coda_masks_are_kept_in_choosing_and_in_looking_ahead(algorithm):
    """Illegal actions get enormous values: were one ever chosen, or looked ahead to, the others would show it."""
    illegal = never_legal(6)
    learned = learner(algorithm=algorithm, decisions=40_000, gamma=1.0, epsilon_end=0.2)
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


@pytest.mark.parametrize("algorithm", ["q_learning", "sarsa"])
def test_with_six_tiles_the_papers_bits_are_learned_and_the_ceiling_holds(algorithm):
    """Bits hold no colours: above the heuristic without colours, below the best without colours."""
    learned = learner(algorithm=algorithm, decisions=300_000, gamma=1.0, step_size=1.0, step_size_end=1.0,
                      visits_power=0.7, epsilon_end=0.02, epsilon_share=0.8)  # fmt: skip
    learned.advance(300_000)
    games = {"games": 20_000, "seed": 11, "seats": "fixed"}
    report = evaluate(CODA, learned.options, [learned.player(), "random"], **games).players[0]
    known = solve(find(CODA).parse_options({"n": 6, "colour_visible": "no"}))
    assert report.win_rate_ci95[0] > known["policies"]["heuristic"] + 0.03
    assert report.win_rate_ci95[0] < known["optimum"]
    assert learned.states <= 195  # Every state that seat 0 can decide in.


def test_pairs_are_counted_once_and_states_apart():
    learned = learner(decisions=5000)
    learned.advance(5000)
    pairs = learned.table()
    assert len(np.unique(pairs.keys)) == learned.states
    both = np.unique(np.stack([pairs.keys, pairs.actions.astype(np.uint64)]), axis=1)
    assert both.shape[1] == len(pairs.keys)
    assert learned.entries["visits"].sum() == pytest.approx(5000, abs=1)  # The last may still wait for its target.


def test_the_seat_is_kept():
    """With seat 0 to move first, seat 0 has one hidden tile and one drawn in its first state; seat 1 sees one up."""
    for seat, first_up in ((0, 0), (1, 1)):
        learned = learner(seat=seat, decisions=2000, n=8)
        learned.advance(2000)
        env = gymnasium.make(f"cardgym:{CODA}", obs="paper", n=8, seat=seat)
        keys = {}
        for seed in range(300):
            observation, _ = env.reset(seed=seed)
            keys[int(hash_of(observation))] = observation
        assert all(observation[16:].sum() == first_up for observation in keys.values())
        met = set(learned.table().keys.tolist())
        assert len(met & set(keys)) > 10
    first, second = (learner(seat=seat, decisions=2000, n=8) for seat in (0, 1))
    first.advance(2000)
    second.advance(2000)
    assert not set(first.table().keys.tolist()) & set(second.table().keys.tolist())  # Tiles up: even, and odd.


def test_the_player_takes_the_best_tried_legal_action_and_spreads_where_it_knows_nothing():
    seen = np.array([[0.0, 1.0], [2.0, 3.0]], np.float32)
    keys = np.sort(np.array([hash_of(row) for row in seen[:1]], np.uint64)).repeat(3)
    pairs = Pairs(keys, np.array([0, 1, 2], np.int32), np.array([5.0, -2.0, -1.0]))
    player = QTablePlayer("table", "paper", pairs)
    assert player.act(seen[:1], np.array([[1, 1, 1, 1]], np.int8)).tolist() == [0]
    assert player.act(seen[:1], np.array([[0, 1, 1, 1]], np.int8)).tolist() == [2]
    assert player.act(seen[:1], np.array([[0, 0, 0, 1]], np.int8)).tolist() == [3]
    unknown = np.random.default_rng(1).random((3000, 2)).astype(np.float32)
    taken = player.act(unknown, np.tile(np.array([0, 1, 1, 1], np.int8), (3000, 1)))
    counts = np.bincount(taken, minlength=4)
    assert counts[0] == 0
    assert (np.abs(counts[1:] - 1000) < 150).all()


def test_a_file_whose_pairs_are_no_pairs_is_refused(tmp_path):
    learned = learner(decisions=500)
    learned.advance(500)
    good = learned.table()
    path = tmp_path / "table.npz"
    for bad in (
        good._replace(actions=good.actions + 36),
        good._replace(keys=good.keys[::-1].copy()),
        good._replace(values=good.values[:-1]),
    ):
        save_q_table(path, bad, learned.game, learned.options, "paper")
        with pytest.raises(CardgymError, match="truncated, or no Q-table"):
            load_player(path, learned.game, learned.options)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"seat": 2}, "has seats 0 to 1 here"), ({"seat": -2}, "seat=-2: allowed"), ({"deals": -1}, "deals=-1: allowed")],
)
def test_bad_settings(settings, message):
    with pytest.raises(CardgymError, match=message):
        learner(**settings)

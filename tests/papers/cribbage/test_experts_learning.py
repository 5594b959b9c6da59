"""What the expert learner learns from games, compared with a replay of the games in plain Python."""

import numpy as np
import pytest
from cribbage_driver import compiled_only
from experts_replay import Replay, weights_of

from cardgym.arena import evaluate
from cardgym.arena.match import EVALUATION_SEED
from cardgym.games.cribbage.experts import (
    GAINED,
    GIVEN,
    new_pegging,
    save_experts,
)
from cardgym.games.cribbage.game import GAME
from cardgym.papers.cribbage.games import seed_pegging
from cardgym.papers.cribbage.matches import match, records, side
from cardgym.papers.cribbage.training import ExpertsConfig, Trainer
from cardgym.papers.cribbage.updates import value_positions

pytestmark = [compiled_only, pytest.mark.slow]

OPTIONS = GAME.parse_options()

GAMES = 3
RUN = ExpertsConfig(total_games=GAMES, value_every=GAMES, buffer_size=64, seed_deals=2000, init_noise=0.0)


def trainer_of(config, experts=2, seed=5):
    """A trainer whose experts have weights that differ from position to position."""
    trainer = Trainer(config.replace(init=("uniform",) * experts))
    drawn = np.random.default_rng(seed).uniform(0.5, 1.5, trainer.learner.logs.shape)
    trainer.learner.logs[...] = np.log(drawn / drawn.sum(-1, keepdims=True))
    return trainer


@pytest.mark.parametrize("experts", [1, 2])
@pytest.mark.parametrize(
    "changes",
    [
        {"update": "paper", "gamma": 0.5, "exploring_starts": 0.0},
        {"update": "paper", "gamma": 1.0, "exploring_starts": 0.7},
        {"update": "gradient", "exploring_starts": 0.5, "learning_rate": 1.0, "reach": 3, "own_crib": True},
    ],
    ids=["paper-discount", "paper-exploring-starts", "gradient"],
)
def test_trainer_learns_what_a_plain_replay_learns(changes, experts):
    trainer = trainer_of(RUN.replace(**changes), experts)
    first = trainer.weights(0), trainer.weights(experts - 1)
    replay = Replay(trainer)
    replay.play(GAMES)
    trainer.advance()
    learner = trainer.learner
    assert learner.counters[[0, 2, 3]].tolist() == [GAMES, replay.wins, replay.decisions]
    assert learner.generator.tolist() == replay.chance.tolist()
    assert np.array_equal(learner.pegging.gained, replay.pegging.gained)
    assert np.array_equal(learner.pegging.given, replay.pegging.given)
    np.testing.assert_allclose(weights_of(learner.logs), replay.weights, rtol=1e-6, atol=2e-6)
    # Both experts have changed, and the games began at the scores that the settings ask for.
    assert all(abs(trainer.weights(i) - first[i]).max() > 0.001 for i in range(experts))
    starts = {path[0][0][:2] for path in replay.paths}
    assert starts == {(0, 0)} if not changes["exploring_starts"] else len(starts) > 1


# -- a run ------------------------------------------------------------------------------------------------------------


def test_positions_are_valued_by_recent_deals():
    trainer = Trainer(RUN.replace(total_games=40, value_every=20))
    for _ in range(2):
        before = trainer.learner.values.copy()
        trainer.advance()
        assert not np.array_equal(trainer.learner.values, before)
        values = np.empty_like(before)
        value_positions(trainer.learner.deals, values)
        assert np.array_equal(trainer.learner.values, values)


def test_learning_rate_falls_linearly_to_0():
    steps = {}
    for played in (0, 50, 80, 99):
        config = RUN.replace(total_games=100, value_every=1, learning_rate=1e-5, exploring_starts=0.0)
        trainer = trainer_of(config, experts=1)  # In self-play seats do not matter.
        before = trainer.learner.logs[0] - trainer.learner.logs[0, ..., :1]
        trainer.learner.counters[0] = played
        trainer.advance()
        steps[played] = trainer.learner.logs[0] - trainer.learner.logs[0, ..., :1] - before
    assert abs(steps[0]).max() > 1e-6
    for played in (50, 80, 99):
        np.testing.assert_allclose(steps[played], (1 - played / 100) * steps[0], rtol=1e-3, atol=1e-12)


def test_random_keeps_show_that_the_dealer_pegs_more():
    pegging = new_pegging()
    seed_pegging(records(1), pegging, np.array([9, 0], np.uint64), 20_000)
    deals, gained, given = pegging.sides.T
    assert deals.tolist() == [20_000, 20_000]
    assert gained.tolist() == given[::-1].tolist()
    # 200,000 deals from each of two other seeds give 2.37 and 3.74; the standard error is 0.016 here.
    assert gained / deals == pytest.approx([2.37, 3.74], abs=0.08)
    keeps = pegging.gained.sum(-1)
    assert keeps.sum(-1).tolist() == [20_000, 20_000]
    assert pegging.given.sum(-1).tolist() == given.tolist()
    # The figures that strategies read have the same averages.
    means = (keeps * pegging.figures[[GAINED, GIVEN]]).sum(-1) / keeps.sum(-1)
    assert means == pytest.approx(np.array([gained / deals, given / deals]), abs=0.15)


# -- files and players -------------------------------------------------------------------------------------------------


def test_arena_plays_a_saved_own_crib_as_the_trainer_does(tmp_path):
    trainer = Trainer(RUN.replace(own_crib=True, init=("crib",)))
    trainer.save_weights(tmp_path)
    (path,) = tmp_path.iterdir()
    pegging = trainer.learner.pegging
    again = match(side(str(path), pegging), side("crib", pegging), 4000, EVALUATION_SEED)
    assert again == trainer.evaluate(("crib",), 4000)["crib"]
    poor = tmp_path / "poor.safetensors"
    save_experts(poor, trainer.weights(), pegging, {})
    report = evaluate("Cribbage-v0", OPTIONS, [path, poor], games=2000, seed=3)
    assert again[1][0] > 0.55
    assert report.players[0].win_rate == pytest.approx(again[0], abs=0.04)

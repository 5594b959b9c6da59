"""The expert learner of cribbage: its formulas by hand, its files, its player, and that a run resumes exactly."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
import safetensors.numpy

from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.games.cribbage.cards import parse_cards
from cardgym.games.cribbage.experts.config import ExpertsConfig
from cardgym.games.cribbage.experts.matches import match, side
from cardgym.games.cribbage.experts.picture import board_png, family_shares
from cardgym.games.cribbage.experts.player import SHAPE, load_experts, named_weights, save_experts
from cardgym.games.cribbage.experts.trainer import Trainer
from cardgym.games.cribbage.experts.updates import gradient, paper_update
from cardgym.games.cribbage.experts.values import EVENTS, value_positions
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.state import TOSSES
from cardgym.games.cribbage.statistics import keeps
from cardgym.games.cribbage.statistics_tables import build_tables
from cardgym.games.cribbage.strategies import (
    NUM_STRATEGIES,
    RANK_SETS,
    STRATEGIES,
    learn_pegging,
    new_knowledge,
    rank_set,
    scale_row,
    score_keeps,
)
from cardgym.players.base import resolve

SMALL = ExpertsConfig(games=60, seed_deals=500, value_every=20, deals_kept=32, checkpoint_every=20, eval_games=20)
ROW = np.array([0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05])


@pytest.fixture(scope="module")
def knowledge():
    return Trainer(SMALL).learner.knowledge


def softmax(values):
    powers = np.exp(values - values.max())
    return powers / powers.sum()


# -- strategies -------------------------------------------------------------------------------------------------------


def test_every_set_of_four_ranks_has_a_number_of_its_own():
    sets = [(a, b, c, d) for d in range(13) for c in range(d + 1) for b in range(c + 1) for a in range(b + 1)]
    assert sorted(rank_set(*ranks) for ranks in sets) == list(range(RANK_SETS))


def test_figures_are_scaled_to_the_best_and_to_a_sum_of_one():
    row = np.array([3.0, 1.0, 2.0] + [1.0] * 12)
    scale_row(row)
    assert row[:4] == pytest.approx([2 / 3, 0, 1 / 3, 0])
    alike = np.full(15, 7.0)
    scale_row(alike)
    assert alike == pytest.approx(np.full(15, 1 / 15))


@pytest.mark.parametrize("own_crib", [False, True])
@pytest.mark.parametrize("dealer", [0, 1])
def test_strategies_rank_keeps_by_the_exact_statistics(knowledge, dealer, own_crib):
    cards = sorted(parse_cards("5H 5D JC QS 2H 9C"), key=lambda card: (card % 13, card))
    scores = np.empty((NUM_STRATEGIES, 15))
    out = np.empty((15, 8), np.int32)
    score_keeps(build_tables(), knowledge.figures, np.array(cards, np.int8), dealer, own_crib, out, scores)
    by_toss = {frozenset(keep.tossed): keep for keep in keeps(cards)}
    found = [by_toss[frozenset(cards[place] for place in toss)] for toss in TOSSES.tolist()]
    sign = 1 if own_crib and dealer else -1
    ranks = [[sorted(cards[place] % 13 for place in range(6) if place not in toss)] for toss in TOSSES.tolist()]
    figures = [
        [keep.hand_min for keep in found],
        [keep.hand_mean for keep in found],
        [keep.hand_median for keep in found],
        [keep.hand_max for keep in found],
        [sign * keep.crib_mean for keep in found],
        *([turn * knowledge.figures[figure, dealer, rank_set(*kept[0])] for kept in ranks]
          for figure, turn in ((0, 1), (1, 1), (2, -1))),
    ]  # fmt: skip
    for row, values in zip(scores, np.array(figures), strict=True):
        spread = values - values.min()
        assert row == pytest.approx(spread / spread.sum())


def test_pegging_knowledge_grows_to_mean_and_median():
    base = new_knowledge()
    for gained in (0, 1, 5, 6):
        for _ in range(250):
            learn_pegging(base, 1, 7, gained, 2)
    # Means are drawn towards the side's mean, which is the same here; the middle two are 1 and 5.
    assert base.figures[:, 1, 7] == pytest.approx([3.0, 3.0, 2.0])
    assert base.gained[1, 7].sum() == base.sides[1, 0] == 1000
    assert not base.gained[0].any()


# -- updates ----------------------------------------------------------------------------------------------------------


def test_the_papers_update_squares_for_the_winner_and_inverts_for_the_loser():
    logs = np.log(ROW)
    paper_update(logs, True, 1.0)
    assert np.exp(logs) == pytest.approx(ROW**2 / (ROW**2).sum())
    logs = np.log(ROW)
    paper_update(logs, False, 1.0)
    assert np.exp(logs) == pytest.approx(ROW**-2 / (ROW**-2.0).sum())


def test_credit_weakens_it_and_uniform_weights_are_its_fixed_point():
    logs = np.log(ROW)
    paper_update(logs, False, 0.0)
    assert np.exp(logs) == pytest.approx(ROW)
    paper_update(logs, True, 0.5)
    assert np.exp(logs) == pytest.approx(ROW**1.5 / (ROW**1.5).sum())
    uniform = np.full(8, -math.log(8))
    for won in (True, False):
        paper_update(uniform, won, 1.0)
        assert np.exp(uniform) == pytest.approx(np.full(8, 1 / 8))


def test_the_papers_update_stays_finite_and_normal():
    logs = np.log(ROW)
    for won in (True,) * 9 + (False,) * 5 + (True, False) * 5:
        paper_update(logs, won, 1.0)
        assert np.isfinite(logs).all()
        assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-4)


def test_the_gradient_is_that_of_the_expected_chance():
    rng = np.random.default_rng(5)
    scores, chances, logs = rng.dirichlet(np.ones(15), 8), rng.random(15), np.log(ROW)
    found, shares = np.empty(8), np.empty(15)
    gradient(logs, scores, chances, 0.01, shares, found)

    def expected(weights):
        return softmax(weights @ scores / 0.01) @ chances

    assert shares == pytest.approx(softmax(ROW @ scores / 0.01))
    for i in range(8):
        step = 1e-6 * np.eye(8)[i]
        assert found[i] == pytest.approx((expected(ROW + step) - expected(ROW - step)) / 2e-6, rel=1e-4, abs=1e-6)


def test_positions_are_valued_from_the_last_hole_backwards():
    deals = np.zeros((2, EVENTS), np.int8)
    deals[0, :2] = 3, -2  # The dealer's 3 first, then the pone's 2 ...
    deals[1, :2] = -2, 3  # ... or the other way round.
    values = np.empty((121, 121, 2))
    value_positions(deals, values)
    assert values[118, 119, 1] == 0.5  # Who scores first is out.
    assert values[118, 118, 1] == 1.0
    assert values[117, 119, 1] == 0.0
    # From 115-118 all deals lead to 118-120 with the deal turned over: there the new pone (118) needs 3 and has 2.
    assert values[115, 118, 1] == pytest.approx(values[118, 120, 0])
    assert values[:, :, 1] == pytest.approx(1.0 - values[:, :, 0].T)


# -- runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("update", ["gradient", "paper"])
def test_a_run_taken_up_again_ends_the_same(update):
    config = dataclasses.replace(SMALL, update=update, init=("uniform", "hand"))
    straight = Trainer(config)
    straight.advance()
    kept = {name: array.copy() for name, array in straight.state().items()}
    straight.advance()
    resumed = Trainer(config)
    resumed.load_state(kept)
    resumed.advance()
    for name, array in straight.state().items():
        assert np.array_equal(array, resumed.state()[name]), name
    assert resumed.games == 40
    assert not np.array_equal(kept["logs"], resumed.learner.logs)
    assert not np.array_equal(resumed.weights(0), resumed.weights(1))


@pytest.mark.parametrize("changes", [{}, {"update": "paper"}, {"games": 53}], ids=["gradient", "paper", "odd end"])
def test_checkpoints_between_valuations_change_nothing_and_a_run_goes_on_from_them(changes):
    straight = Trainer(dataclasses.replace(SMALL, rate=1.0, **changes))
    while straight.games < straight.config.games:
        straight.advance()
    config = dataclasses.replace(straight.config, checkpoint_every=7)
    stops, trainer = [], Trainer(config)
    while trainer.games < config.games:
        trainer.advance()
        stops.append(trainer.games)
        kept = {name: array.copy() for name, array in trainer.state().items()}
        trainer = Trainer(config)
        trainer.load_state(kept)
    end = config.games
    assert stops == sorted({*range(7, end, 7), *range(20, end, 20), end})
    for name, array in straight.state().items():
        assert np.array_equal(array, trainer.state()[name]), name


def test_a_state_of_another_run_is_refused():
    trainer = Trainer(SMALL)
    state = {**trainer.state(), "deals": np.zeros((3, EVENTS), np.int8)}
    with pytest.raises(CardgymError, match="no deals of"):
        trainer.load_state(state)


def test_learning_finds_its_way_from_a_bad_start():
    config = ExpertsConfig(games=8000, init=("pegging",), seed_deals=20_000, value_every=4000, rate=1.0, anywhere=0.0)
    trainer = Trainer(config)
    before = trainer.evaluate(("uniform",), 4000)["uniform"][1]
    while trainer.games < config.games:
        trainer.advance()
    assert trainer.evaluate(("uniform",), 4000)["uniform"][1][0] > before[1]


@pytest.mark.parametrize("values", [{"update": "best"}, {"init": ()}, {"temperature": 0.0}, {"credit": 1.5}])
def test_bad_settings(values):
    with pytest.raises(CardgymError, match=next(iter(values))):
        dataclasses.replace(SMALL, **values)


def test_unknown_weights():
    with pytest.raises(CardgymError, match="did you mean 'hand_max_avg'"):
        Trainer(dataclasses.replace(SMALL, init=("hand_max_avrg",)))
    with pytest.raises(CardgymError, match="unknown opponent 'gredy': did you mean 'greedy'"):
        Trainer(dataclasses.replace(SMALL, eval_opponents=("gredy",))).check_opponents()


# -- files and players ------------------------------------------------------------------------------------------------


def test_a_weight_file_plays_in_the_arena_as_in_the_trainer(tmp_path, knowledge):
    path = tmp_path / "a.experts.safetensors"
    save_experts(path, named_weights("hand_max_min"), knowledge, {"games": 0})
    options = GAME.options.parse({})
    report = evaluate("Cribbage-v0", options, [path, "greedy"], games=2000, seed=3)
    share, interval = match(side(str(path), knowledge), side("greedy", knowledge), 4000, 3)
    # The sure hand is worse than the mean one by a real difference, of some 8 points in a hundred, in both.
    assert report.players[0].win_rate_ci95[1] < 0.48
    assert interval[1] < 0.48
    assert report.players[0].win_rate == pytest.approx(share, abs=0.04)
    player = resolve(path, GAME, options)
    again = load_experts(path)
    assert np.array_equal(again.weights, named_weights("hand_max_min"))
    assert player.observation_name == "full"
    report = evaluate("Cribbage-v0", options, [path, "random"], games=100, seed=3)
    assert report.players[0].win_rate > 0.9


def test_the_mean_hand_alone_is_greedy(tmp_path, knowledge):
    # Both take the first of the best mean hands, and peg alike: every deal played from both seats is won once.
    assert match(side("hand_max_avg", knowledge), side("greedy", knowledge), 4000, 3) == (0.5, (0.5, 0.5))
    path = tmp_path / "a.experts.safetensors"
    save_experts(path, named_weights("hand_max_avg"), knowledge, {})
    report = evaluate("Cribbage-v0", GAME.options.parse({}), [path, "greedy"], games=1000, seed=3)
    assert report.players[0].win_rate == 0.5
    assert report.players[0].win_rate_ci95 == (0.5, 0.5)


def test_weight_files_start_further_runs(tmp_path, knowledge):
    path = tmp_path / "a.experts.safetensors"
    save_experts(path, named_weights("random", 4), knowledge, {})
    trainer = Trainer(dataclasses.replace(SMALL, init=(str(path),), noise=0.0))
    assert trainer.weights() == pytest.approx(named_weights("random", 4), abs=2e-6)
    assert np.array_equal(trainer.learner.knowledge.gained, knowledge.gained)


def broken(weights):
    weights = weights.copy()
    return {
        "negative": (np.where(np.arange(8) == 2, -0.5, weights).astype(np.float32), "weight -0.5 of hand_max_med"),
        "nan": (np.where(np.arange(8) == 4, np.nan, weights).astype(np.float32), "weight nan of crib_min_avg"),
        "zero": (np.zeros(SHAPE, np.float32), "all weights are 0"),
        "size": (weights[:60], r"of size \(60, 121, 2, 8\); allowed is \(121, 121, 2, 8\)"),
    }


@pytest.mark.parametrize("kind", ["negative", "nan", "zero", "size"])
def test_bad_weights_are_refused_in_one_line(tmp_path, knowledge, kind):
    path = tmp_path / "bad.experts.safetensors"
    weights, message = broken(named_weights("uniform"))[kind]
    save_experts(path, np.ascontiguousarray(weights), knowledge, {})
    with pytest.raises(CardgymError, match=message) as error:
        resolve(path, GAME, GAME.options.parse({}))
    assert "\n" not in str(error.value)


def test_other_files_are_refused(tmp_path, knowledge):
    path = tmp_path / "b.experts.safetensors"
    options = GAME.options.parse({})
    with pytest.raises(CardgymError, match="no such file"):
        resolve(path, GAME, options)
    path.write_bytes(b"nothing")
    with pytest.raises(CardgymError, match="truncated"):
        resolve(path, GAME, options)
    path.write_bytes(safetensors.numpy.save({"weights": named_weights("uniform")}, {"cardgym": json.dumps([1])}))
    with pytest.raises(CardgymError, match="no experts of cardgym"):
        resolve(path, GAME, options)
    save_experts(path, named_weights("uniform"), knowledge, {})
    with pytest.raises(CardgymError, match="made for target=121, not target=61"):
        resolve(path, GAME, GAME.options.parse({"target": 61}))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CardgymError, match="truncated"):
        resolve(path, GAME, options)


def test_the_picture_shows_the_shares_of_the_families():
    shares = family_shares(named_weights("uniform"))
    assert shares[60, 60, 1] == pytest.approx([4 / 8, 1 / 8, 3 / 8])
    assert board_png(named_weights("hand")).startswith(b"\x89PNG")
    assert len(STRATEGIES) == NUM_STRATEGIES

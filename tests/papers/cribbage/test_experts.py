"""The expert learner of cribbage: its formulas, its weight files and player, and exact resuming."""

import copy
from pathlib import Path

import numpy as np
import pytest
from cribbage_driver import compiled_only, parse_cards

from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.engine.compilation import compiled
from cardgym.games.cribbage.experts import (
    NUM_STRATEGIES,
    RANK_SETS,
    SHAPE,
    STRATEGIES,
    load_experts,
    new_pegging,
    save_experts,
    score_keeps,
)
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.state import TOSSES
from cardgym.games.cribbage.statistics import CRIB_SUM, HAND_MAX, HAND_MEDIAN2, HAND_MIN, HAND_SUM, toss_statistics
from cardgym.games.cribbage.tosses import rank_set
from cardgym.learn.saved_state import restore, state_of
from cardgym.papers.cribbage.matches import OWN_CRIB, Side, match, same_tosses, side
from cardgym.papers.cribbage.picture import family_shares
from cardgym.papers.cribbage.training import ExpertsConfig, ExpertsTraining, Trainer
from cardgym.papers.cribbage.updates import EVENTS, gradient, value_positions
from cardgym.papers.cribbage.weights import add_pegging, named_weights
from cardgym.players import resolve

pytestmark = compiled_only

SMALL = ExpertsConfig(total_games=60, seed_deals=500, value_every=20, buffer_size=32, save_every=20, eval_games=20)
UNTRAINED = SMALL.replace(update="paper", seed_deals=0)
"""Starts without playing a game, so that nothing has to be compiled."""
CARD = Path(__file__).parents[3] / "checkpoints/cribbage/gradient.safetensors"
ROW = np.array([0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05])


@pytest.fixture(scope="module")
def pegging():
    return load_experts(CARD).pegging


def softmax(values):
    powers = np.exp(values - values.max())
    return powers / powers.sum()


# -- strategies -------------------------------------------------------------------------------------------------------


def test_rank_set_numbers_every_set_of_four_ranks():
    sets = [(a, b, c, d) for d in range(13) for c in range(d + 1) for b in range(c + 1) for a in range(b + 1)]
    assert sorted(rank_set(*ranks) for ranks in sets) == list(range(RANK_SETS))


@compiled
def fill_scores(figures, cards, dealer, own_crib, scores, exact):
    """`score_keeps`, whose code is cached: called by Python, a rule is compiled in every process."""
    score_keeps(figures, cards, dealer, own_crib, scores)
    toss_statistics(cards, exact)


@pytest.mark.parametrize("own_crib", [False, True])
@pytest.mark.parametrize("dealer", [0, 1])
def test_strategies_score_keeps_by_the_exact_statistics(pegging, dealer, own_crib):
    cards = sorted(parse_cards("5H 5D JC QS 2H 9C"), key=lambda card: (card % 13, card))
    scores, exact = np.empty((NUM_STRATEGIES, 15)), np.empty((15, 5), np.int64)
    fill_scores(pegging.figures, np.array(cards, np.int8), dealer, own_crib, scores, exact)
    crib_sign = 1 if own_crib and dealer else -1
    ranks = [[sorted(cards[place] % 13 for place in range(6) if place not in toss)] for toss in TOSSES.tolist()]
    figures = [
        *exact[:, [HAND_MIN, HAND_SUM, HAND_MEDIAN2, HAND_MAX]].T,
        crib_sign * exact[:, CRIB_SUM],
        *([sign * pegging.figures[figure, dealer, rank_set(*kept[0])] for kept in ranks]
          for figure, sign in ((0, 1), (1, 1), (2, -1))),
    ]  # fmt: skip
    for row, values in zip(scores, np.array(figures), strict=True):
        spread = values - values.min()
        assert row == pytest.approx(spread / spread.sum())


def test_pegging_figures_become_mean_and_median():
    base = new_pegging()
    for gained in (0, 1, 5, 6):
        for _ in range(250):
            add_pegging(base, 1, 7, gained, 2)
    # The keep's mean and the side's, which it starts from, are the same here. The middle two values are 1 and 5.
    assert base.figures[:, 1, 7] == pytest.approx([3.0, 3.0, 2.0])
    assert base.gained[1, 7].sum() == base.sides[1, 0] == 1000
    assert not base.gained[0].any()


# -- updates ----------------------------------------------------------------------------------------------------------


def test_gradient_is_that_of_the_expected_chance():
    rng = np.random.default_rng(5)
    scores, chances, logs = rng.dirichlet(np.ones(15), 8), rng.random(15), np.log(ROW)
    computed, shares = np.empty(8), np.empty(15)
    gradient(logs, scores, chances, 0.01, shares, computed)

    def expected(weights):
        return softmax(weights @ scores / 0.01) @ chances

    assert shares == pytest.approx(softmax(ROW @ scores / 0.01))
    for i in range(8):
        step = 1e-6 * np.eye(8)[i]
        assert computed[i] == pytest.approx((expected(ROW + step) - expected(ROW - step)) / 2e-6, rel=1e-4, abs=1e-6)


def test_positions_are_valued_from_the_end_backwards():
    deals = np.zeros((2, EVENTS), np.int8)
    deals[0, :2] = 3, -2  # The dealer's 3 first, then the pone's 2 ...
    deals[1, :2] = -2, 3  # ... or the other way round.
    values = np.empty((121, 121, 2))
    value_positions(deals, values)
    assert values[118, 119, 1] == 0.5  # The player who scores first goes out.
    assert values[118, 118, 1] == 1.0
    assert values[117, 119, 1] == 0.0
    # From 115-118 all deals lead to 118-120, where the other player deals.
    assert values[115, 118, 1] == pytest.approx(values[118, 120, 0])
    assert values[:, :, 1] == pytest.approx(1.0 - values[:, :, 0].T)


# -- runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes", [{}, {"update": "paper"}, {"total_games": 53}], ids=["gradient", "paper", "odd end"]
)
def test_saving_between_valuations_changes_nothing_and_runs_resume_from_it(changes):
    straight = Trainer(SMALL.replace(learning_rate=1.0, **changes))
    while straight.games < straight.config.total_games:
        straight.advance()
    config = straight.config.replace(save_every=7)
    stops, trainer = [], Trainer(config)
    while trainer.games < config.total_games:
        trainer.advance()
        stops.append(trainer.games)
        kept = copy.deepcopy(state_of(trainer))
        trainer = Trainer(config)
        restore(trainer, kept)
    end = config.total_games
    assert stops == sorted({*range(7, end, 7), *range(20, end, 20), end})
    np.testing.assert_equal(state_of(trainer), state_of(straight))


def test_state_of_another_run_raises():
    trainer = Trainer(UNTRAINED)
    state = state_of(trainer)
    state["learner"][trainer.learner._fields.index("deals")] = np.zeros((3, EVENTS), np.int8)
    with pytest.raises(CardgymError, match="another version"):
        restore(trainer, state)


@pytest.mark.parametrize("values", [{"update": "best"}, {"init": ()}, {"temperature": 0.0}, {"gamma": 1.5}])
def test_bad_hyper_parameters_raise(values):
    with pytest.raises(CardgymError, match=next(iter(values))):
        SMALL.replace(**values)


def test_unknown_names_raise(tmp_path):
    with pytest.raises(CardgymError, match="did you mean 'hand_max_avg'"):
        Trainer(UNTRAINED.replace(init=("hand_max_avrg",)))
    with pytest.raises(CardgymError, match="unknown opponent 'gredy': did you mean 'greedy'"):
        ExpertsTraining(UNTRAINED.replace(eval_opponents=("gredy",)), tmp_path)


# -- files and players ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_best_mean_hand_alone_is_greedy(tmp_path, pegging):
    # Both take the first of the best mean hands and play the same, so each wins one game of every pair.
    assert match(side("hand_max_avg", pegging), side("greedy", pegging), 4000, 3) == (0.5, (0.5, 0.5))
    path = tmp_path / "a.safetensors"
    save_experts(path, named_weights("hand_max_avg"), pegging, {})
    report = evaluate("Cribbage-v0", GAME.options.parse({}), [path, "greedy"], games=1000, seed=3)
    assert report.players[0].win_rate == 0.5
    assert report.players[0].win_rate_ci95 == (0.5, 0.5)


def test_run_starts_with_the_files_weights_and_with_noise_from_a_name(tmp_path, pegging):
    path = tmp_path / "a.safetensors"
    save_experts(path, named_weights("random", 4), pegging, {})
    trainer = Trainer(UNTRAINED.replace(init=(str(path), "uniform"), init_noise=0.3))
    assert trainer.weights(0) == pytest.approx(named_weights("random", 4), abs=2e-6)
    assert np.std(np.log(trainer.weights(1)) - np.log(trainer.weights(1)).mean(-1, keepdims=True)) > 0.2
    # Both experts have the file's pegging statistics.
    assert np.array_equal(trainer.learner.pegging.gained, pegging.gained)


@pytest.mark.parametrize("own_crib", [True, False])
def test_file_learned_with_another_own_crib_raises(tmp_path, pegging, own_crib):
    path = tmp_path / "a.safetensors"
    save_experts(path, named_weights("uniform"), pegging, {"own_crib": own_crib})
    Trainer(UNTRAINED.replace(init=(str(path),), own_crib=own_crib))
    with pytest.raises(CardgymError, match=f"learned with own_crib={own_crib}"):
        Trainer(UNTRAINED.replace(init=(str(path),), own_crib=not own_crib))


@pytest.mark.slow
def test_same_tosses_compares_two_sides(pegging):
    def share(one, other):
        return same_tosses(side(one, pegging), side(other, pegging), 2000, 5)

    assert share("hand", "hand") == 1.0
    # The median and the mean of a hand mostly agree; a poor crib and a good hand rarely do.
    assert share("hand_max_avg", "hand_max_med") > 0.6
    assert share("crib_min_avg", "hand_max_avg") < 0.4
    assert share("hand", "crib_min_avg") == share("crib_min_avg", "hand")
    # With `own_crib` the same weights toss the same as pone only.
    crib = side("crib_min_avg", pegging)
    half = same_tosses(crib, Side(crib.weights, new_pegging(), OWN_CRIB), 2000, 5)
    assert 0.4 < half < 0.6


@pytest.mark.slow
def test_shipped_weight_file_plays_as_its_card_says():
    about = load_experts(CARD).about
    assert (about["games"], about["config"]["seed"]) == (160_000, 1)
    for opponent, low, high in [("random", 0.97, 1.0), ("greedy", 0.52, 0.60), ("expert", 0.32, 0.41)]:
        report = evaluate("Cribbage-v0", GAME.options.parse({}), [CARD, opponent], games=2000, seed=3)
        assert low < report.players[0].win_rate < high
    assert "--config configs/cribbage/experts.toml --seed 1" in CARD.with_suffix(".md").read_text()


def broken(weights):
    weights = weights.copy()
    return {
        "negative": (np.where(np.arange(8) == 2, -0.5, weights).astype(np.float32), "weight -0.5 of hand_max_med"),
        "zero": (np.zeros(SHAPE, np.float32), "all weights are 0"),
    }


@pytest.mark.parametrize("kind", ["negative", "zero"])
def test_bad_weights_raise_one_line(tmp_path, pegging, kind):
    path = tmp_path / "bad.safetensors"
    weights, message = broken(named_weights("uniform"))[kind]
    save_experts(path, np.ascontiguousarray(weights), pegging, {})
    with pytest.raises(CardgymError, match=message):
        resolve(path, GAME, GAME.options.parse({}))


def test_file_for_another_target_raises(tmp_path, pegging):
    path = tmp_path / "b.safetensors"
    save_experts(path, named_weights("uniform"), pegging, {})
    with pytest.raises(CardgymError, match="made for target=121, not target=61"):
        resolve(path, GAME, GAME.options.parse({"target": 61}))


def test_picture_shows_the_shares_of_the_families():
    shares = family_shares(named_weights("uniform"))
    assert shares[60, 60, 1] == pytest.approx([4 / 8, 1 / 8, 3 / 8])
    assert len(STRATEGIES) == NUM_STRATEGIES

"""Weight files of experts at cribbage: runs that start from them, bad files, and comparing two experts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cribbage_driver import compiled_only

from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.games.cribbage.experts import load_experts, new_pegging, save_experts
from cardgym.games.cribbage.game import GAME
from cardgym.papers.cribbage.matches import OWN_CRIB, Side, same_tosses, side
from cardgym.papers.cribbage.training import ExpertsConfig, Trainer
from cardgym.papers.cribbage.weights import named_weights

pytestmark = compiled_only

SMALL = ExpertsConfig(total_games=60, seed_deals=500, value_every=20, buffer_size=32, save_every=20, eval_games=20)


@pytest.fixture(scope="module")
def pegging():
    return Trainer(SMALL).learner.pegging


def test_run_starts_with_the_files_weights_and_with_noise_from_a_name(tmp_path, pegging):
    path = tmp_path / "a.safetensors"
    save_experts(path, named_weights("random", 4), pegging, {})
    trainer = Trainer(SMALL.replace(init=(str(path), "uniform"), init_noise=0.3))
    assert trainer.weights(0) == pytest.approx(named_weights("random", 4), abs=2e-6)
    assert np.std(np.log(trainer.weights(1)) - np.log(trainer.weights(1)).mean(-1, keepdims=True)) > 0.2
    # Both experts have the file's pegging statistics.
    assert np.array_equal(trainer.learner.pegging.gained, pegging.gained)


@pytest.mark.parametrize("own_crib", [True, False])
def test_file_learned_with_another_own_crib_raises(tmp_path, pegging, own_crib):
    path = tmp_path / "a.safetensors"
    save_experts(path, named_weights("uniform"), pegging, {"own_crib": own_crib})
    Trainer(SMALL.replace(init=(str(path),), own_crib=own_crib))
    with pytest.raises(CardgymError, match=f"learned with own_crib={own_crib}"):
        Trainer(SMALL.replace(init=(str(path),), own_crib=not own_crib))


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
    path = Path(__file__).parents[3] / "checkpoints/cribbage/gradient.safetensors"
    about = load_experts(path).about
    assert (about["games"], about["config"]["seed"]) == (160_000, 1)
    for opponent, low, high in [("random", 0.97, 1.0), ("greedy", 0.52, 0.60), ("expert", 0.32, 0.41)]:
        report = evaluate("Cribbage-v0", GAME.options.parse({}), [path, opponent], games=2000, seed=3)
        assert low < report.players[0].win_rate < high
    assert "--config configs/cribbage/experts.toml --seed 1" in path.with_suffix(".md").read_text()

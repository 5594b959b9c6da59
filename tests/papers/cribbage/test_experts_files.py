"""Weight files of experts at cribbage: runs that start from them, bad files, and comparing two experts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from cribbage_driver import compiled_only

from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.games.cribbage.experts import load_experts, new_pegging, save_experts
from cardgym.games.cribbage.game import GAME
from cardgym.papers.cribbage.matches import OWN_CRIB, Side, same_tosses, side
from cardgym.papers.cribbage.training import ExpertsConfig, Trainer
from cardgym.papers.cribbage.weights import named_weights
from cardgym.players import resolve

pytestmark = compiled_only

SMALL = ExpertsConfig(total_games=60, seed_deals=500, value_every=20, buffer_size=32, save_every=20, eval_games=20)


@pytest.fixture(scope="module")
def pegging():
    return Trainer(SMALL).learner.pegging


def written(path, pegging, **tensors):
    """A weight file of uniform weights with some tensors replaced."""
    save_experts(path, named_weights("uniform"), pegging, {})
    with safetensors.safe_open(path, framework="numpy") as file:
        metadata = {**file.metadata(), "sha256": "0" * 64}
        saved = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    blank = safetensors.numpy.save(saved | tensors, metadata)
    path.write_bytes(blank.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode(), 1))
    return path


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


def test_tensors_of_another_type_or_not_finite_raise(tmp_path, pegging):
    path, options = tmp_path / "a.safetensors", GAME.options.parse({})
    bad = pegging.figures.copy()
    bad[0, 1, 7] = np.nan
    for tensors, message in (
        (
            {"weights": named_weights("uniform").astype(np.float64)},
            r"weights should be F32 \(121, 121, 2, 8\), and is F64",
        ),
        ({"weights": np.ones((121, 121, 2, 8), np.int32)}, "and is I32"),
        ({"pegging_figures": bad}, "pegging_figures has a number that is not finite"),
        ({"pegging_figures": bad[:, :, :5].copy()}, "pegging_figures should be F64"),
    ):
        with pytest.raises(CardgymError, match=message):
            resolve(written(path, pegging, **tensors), GAME, options)


def test_type_that_numpy_lacks_raises(tmp_path, pegging):
    path = written(tmp_path / "a.safetensors", pegging)
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + size])
    begin, end = head["weights"]["data_offsets"]
    head["weights"] = {"dtype": "BF16", "shape": [(end - begin) // 2], "data_offsets": [begin, end]}
    words = json.dumps(head).encode()
    path.write_bytes(len(words).to_bytes(8, "little") + words + content[8 + size :])
    with pytest.raises(CardgymError, match=r"weight file .*a\.safetensors") as error:
        resolve(path, GAME, GAME.options.parse({}))
    assert "\n" not in str(error.value)


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
    half = same_tosses(crib, Side("own", crib.weights, new_pegging(), OWN_CRIB), 2000, 5)
    assert 0.4 < half < 0.6


def test_shipped_weight_file_plays_as_its_card_says():
    path = Path(__file__).parents[3] / "checkpoints/cribbage/gradient.safetensors"
    about = load_experts(path).about
    assert (about["games"], about["config"]["seed"]) == (160_000, 1)
    for opponent, low, high in [("random", 0.97, 1.0), ("greedy", 0.52, 0.60), ("expert", 0.32, 0.41)]:
        report = evaluate("Cribbage-v0", GAME.options.parse({}), [path, opponent], games=2000, seed=3)
        assert low < report.players[0].win_rate < high
    assert "--config configs/cribbage/experts.toml --seed 1" in path.with_suffix(".md").read_text()

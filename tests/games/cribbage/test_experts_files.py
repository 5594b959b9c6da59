"""Weight files of experts at cribbage: what starts from them, what is refused, and how runs are compared."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.games.cribbage.experts.config import ExpertsConfig
from cardgym.games.cribbage.experts.matches import Side, same_tosses, side
from cardgym.games.cribbage.experts.player import load_experts, named_weights, save_experts
from cardgym.games.cribbage.experts.trainer import Trainer
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.strategies import new_knowledge
from cardgym.players.base import resolve

SMALL = ExpertsConfig(games=60, seed_deals=500, value_every=20, deals_kept=32, checkpoint_every=20, eval_games=20)


@pytest.fixture(scope="module")
def knowledge():
    return Trainer(SMALL).learner.knowledge


def written(path, knowledge, **tensors):
    """A weight file of uniform weights with some tensors replaced."""
    save_experts(path, named_weights("uniform"), knowledge, {})
    with safetensors.safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    path.write_bytes(safetensors.numpy.save(found | tensors, metadata))
    return path


def test_a_file_starts_a_run_exactly_and_a_name_with_noise(tmp_path, knowledge):
    path = tmp_path / "a.experts.safetensors"
    save_experts(path, named_weights("random", 4), knowledge, {})
    trainer = Trainer(dataclasses.replace(SMALL, init=(str(path), "uniform"), noise=0.3))
    assert trainer.weights(0) == pytest.approx(named_weights("random", 4), abs=2e-6)
    assert np.std(np.log(trainer.weights(1)) - np.log(trainer.weights(1)).mean(-1, keepdims=True)) > 0.2
    # Both read what is known of pegging from the file.
    assert np.array_equal(trainer.learner.knowledge.gained, knowledge.gained)


@pytest.mark.parametrize("own_crib", [True, False])
def test_a_file_learned_with_the_crib_the_other_way_round_is_refused(tmp_path, knowledge, own_crib):
    path = tmp_path / "a.experts.safetensors"
    save_experts(path, named_weights("uniform"), knowledge, {"own_crib": own_crib})
    Trainer(dataclasses.replace(SMALL, init=(str(path),), own_crib=own_crib))
    with pytest.raises(CardgymError, match=f"learned with own_crib={own_crib}"):
        Trainer(dataclasses.replace(SMALL, init=(str(path),), own_crib=not own_crib))


def test_numbers_of_another_type_and_numbers_that_are_none_are_refused(tmp_path, knowledge):
    path, options = tmp_path / "a.experts.safetensors", GAME.options.parse({})
    bad = knowledge.figures.copy()
    bad[0, 1, 7] = np.nan
    for tensors, message in (
        ({"weights": named_weights("uniform").astype(np.float64)}, "weights of type float64; allowed is float32"),
        ({"weights": np.ones((121, 121, 2, 8), np.int32)}, "weights of type int32"),
        ({"pegging_figures": bad}, "in its pegging_figures allowed are finite numbers"),
        ({"pegging_figures": bad[:, :, :5].copy()}, "its pegging_figures is no float64 of size"),
    ):
        with pytest.raises(CardgymError, match=message):
            resolve(written(path, knowledge, **tensors), GAME, options)


def test_a_type_that_numpy_does_not_have_is_refused(tmp_path, knowledge):
    path = written(tmp_path / "a.experts.safetensors", knowledge)
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + size])
    begin, end = head["weights"]["data_offsets"]
    head["weights"] = {"dtype": "BF16", "shape": [(end - begin) // 2], "data_offsets": [begin, end]}
    words = json.dumps(head).encode()
    path.write_bytes(len(words).to_bytes(8, "little") + words + content[8 + size :])
    with pytest.raises(CardgymError, match=r"weight file .*a\.experts\.safetensors") as error:
        resolve(path, GAME, GAME.options.parse({}))
    assert "\n" not in str(error.value)


def test_tosses_are_compared(knowledge):
    def alike(one, other):
        return same_tosses(side(one, knowledge), side(other, knowledge), 2000, 5)

    assert alike("hand", "hand") == 1.0
    # The median and the mean of a hand mostly agree; who gives a poor crib and who pegs well rarely want the same.
    assert alike("hand_max_avg", "hand_max_med") > 0.6
    assert alike("crib_min_avg", "hand_max_avg") < 0.4
    assert alike("hand", "crib_min_avg") == alike("crib_min_avg", "hand")
    # Turned round for the dealer, the same weights toss alike as pone only.
    crib = side("crib_min_avg", knowledge)
    half = same_tosses(crib, Side("own", crib.weights, new_knowledge(), 2), 2000, 5)
    assert 0.4 < half < 0.6


def test_the_weight_file_of_the_project_plays_as_its_card_says():
    path = Path(__file__).parents[2] / "checkpoints" / "cribbage.experts.safetensors"
    about = load_experts(path).about
    assert (about["games"], about["config"]["seed"]) == (160_000, 1)
    for opponent, low, high in [("random", 0.97, 1.0), ("greedy", 0.52, 0.60), ("expert", 0.32, 0.41)]:
        report = evaluate("Cribbage-v0", GAME.options.parse({}), [path, opponent], games=2000, seed=3)
        assert low < report.players[0].win_rate < high
    assert "--config configs/cribbage/experts.toml --seed 1" in path.with_suffix(".md").read_text()

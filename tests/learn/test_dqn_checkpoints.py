"""Checkpoints: what is kept, and what is refused with one clear line."""

from __future__ import annotations

import json

import numpy as np
import pytest
import safetensors.torch
import torch
from learning_game import ROOT

from cardgym import find
from cardgym.arena import evaluate
from cardgym.errors import CardgymError
from cardgym.players.base import resolve
from cardgym.players.networks import (
    QNetwork,
    load_checkpoint,
    load_player,
    network_shape,
    save_checkpoint,
)

SPIKE = find("CorellianSpike-v0")


@pytest.fixture
def network():
    torch.manual_seed(4)
    return QNetwork(network_shape(SPIKE, SPIKE.parse_options(), "full", (16, 8), True))


@pytest.fixture
def checkpoint(tmp_path, network):
    path = tmp_path / "spike.safetensors"
    save_checkpoint(path, network, SPIKE, SPIKE.parse_options(), "full", {"seed": 4})
    return path


def refused(path, game=SPIKE, **settings):
    with pytest.raises(CardgymError) as caught:
        load_player(path, game, game.parse_options(settings))
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def changed(path, **purpose):
    """The checkpoint with something else in its metadata."""
    with safetensors.safe_open(path, framework="pt") as file:
        known = json.loads(file.metadata()["cardgym"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    path.write_bytes(safetensors.torch.save(tensors, {"cardgym": json.dumps({**known, **purpose})}))
    return path


def test_a_checkpoint_comes_back_as_it_was(checkpoint, network):
    loaded, purpose = load_checkpoint(checkpoint, SPIKE, SPIKE.parse_options())
    assert loaded.shape == network.shape
    observations = torch.randn(50, 53)
    assert torch.equal(loaded(observations), network(observations))
    assert purpose["config"] == {"seed": 4}
    assert purpose["env"] == "CorellianSpike-v0"


def test_a_checkpoints_path_is_a_player(checkpoint):
    player = resolve(str(checkpoint), SPIKE, SPIKE.parse_options())
    assert player.name == str(checkpoint)
    masks = np.zeros((3, 9), np.int8)
    masks[:, 3:5] = 1
    assert set(player.act(np.zeros((3, 53), np.float32), masks).tolist()) <= {3, 4}
    report = evaluate(SPIKE, None, [str(checkpoint), "random"], games=20, seed=1)
    assert report.players[0].name == str(checkpoint)
    again = evaluate(SPIKE, None, [str(checkpoint), "random"], games=20, seed=1)
    assert again.players == report.players


def test_missing(tmp_path):
    assert "no such file" in refused(tmp_path / "nothing.safetensors")


def test_a_folder(tmp_path):
    refused(tmp_path)


@pytest.mark.parametrize("length", [0, 5, 100, -1])
def test_truncated(checkpoint, length):
    checkpoint.write_bytes(checkpoint.read_bytes()[:length])
    assert "truncated" in refused(checkpoint)


def test_not_safetensors(tmp_path):
    path = tmp_path / "text.safetensors"
    path.write_text("once upon a time, in a file far away")
    refused(path)


@pytest.mark.parametrize("metadata", [None, {"format": "pt"}, {"cardgym": "no JSON"}, {"cardgym": "[]"}])
def test_somebody_elses(tmp_path, metadata):
    path = tmp_path / "other.safetensors"
    path.write_bytes(safetensors.torch.save({"weight": torch.zeros(2)}, metadata))
    assert "not a Q-network of cardgym" in refused(path)


def test_another_game(checkpoint, tiny):
    assert "made for CorellianSpike-v0, not for Tiny-v0" in refused(checkpoint, tiny)


@pytest.mark.parametrize("option", [{"num_players": 4}, {"betting": "matched"}, {"hands": 5}, {"credits": 100}])
def test_another_option(checkpoint, option):
    assert next(iter(option)) in refused(checkpoint, **option)


def test_other_payment_is_the_same_table(checkpoint):
    load_player(checkpoint, SPIKE, SPIKE.parse_options({"reward": "weighted"}))


@pytest.mark.parametrize("metadata", [{"features": "0" * 16}, {"observation": "paper"}, {"observation": "nose"}])
def test_another_observation(checkpoint, metadata):
    assert "observation" in refused(changed(checkpoint, **metadata))


@pytest.mark.parametrize(
    "metadata",
    [
        {"network": {}},
        {"network": "not a shape"},
        {"network": {"inputs": 53, "actions": 9, "hidden_sizes": [4], "dueling": False}},
    ],
)
def test_metadata_that_does_not_fit_the_weights(checkpoint, metadata):
    assert "do not fit" in refused(changed(checkpoint, **metadata))


@pytest.mark.parametrize("metadata", [{"options": 3}, {"env": None}, {"observation": ["full"]}])
def test_metadata_that_do_not_say_what_for(checkpoint, metadata):
    assert "does not say for which game" in refused(changed(checkpoint, **metadata))


def test_a_numbered_state_is_no_network_observation():
    with pytest.raises(CardgymError, match="use full"):
        network_shape(SPIKE, SPIKE.parse_options(), "paper", (8,), False)


def test_a_checkpoint_that_cannot_be_written_leaves_the_old_one(checkpoint, network):
    resource = pytest.importorskip("resource")
    before = checkpoint.read_bytes()
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))  # As if the disk were full.
    try:
        with pytest.raises(CardgymError, match="cannot write"):
            save_checkpoint(checkpoint, network, SPIKE, SPIKE.parse_options(), "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert checkpoint.read_bytes() == before
    assert [path.name for path in checkpoint.parent.iterdir()] == [checkpoint.name]


@pytest.mark.parametrize("name", ["double_dqn", "dqn"])
def test_the_checkpoints_of_the_project_play_as_their_cards_say(name):
    path = ROOT / "checkpoints" / f"corellian_spike_{name}.safetensors"
    options = SPIKE.parse_options()
    _, purpose = load_checkpoint(path, SPIKE, options)
    assert purpose["config"]["double"] == (name == "double_dqn")
    for opponent, low in [("random", 0.93), ("initial", 0.70), ("heuristic", 0.50)]:
        player = evaluate(SPIKE, options, [str(path), opponent], games=400, seed=3).players[0]
        assert player.win_rate > low
        assert player.extra["credits_per_game_ci95"][0] > 0
    assert f"--config configs/corellian_spike/{name}.toml --seed 1" in path.with_suffix(".md").read_text()


def test_the_checkpoint_for_cribbage_plays_as_its_card_says():
    cribbage = find("Cribbage-v0")
    options = cribbage.parse_options()
    path = ROOT / "checkpoints" / "cribbage_double_dqn.safetensors"
    load_checkpoint(path, cribbage, options)
    for opponent, low, high in [("random", 0.97, 1.0), ("greedy", 0.55, 0.68), ("expert", 0.37, 0.5)]:
        share = evaluate(cribbage, options, [str(path), opponent], games=1000, seed=3).players[0].win_rate
        assert low < share < high
    assert "--config configs/cribbage/game_double_dqn.toml --seed 1" in path.with_suffix(".md").read_text()

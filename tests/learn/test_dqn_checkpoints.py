"""Checkpoints: what they keep, and what is refused in one line."""

from pathlib import Path
from typing import Any

import pytest
import safetensors.numpy
import safetensors.torch
import torch

from cardgym import find
from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.files.tensors import read_document, write_tensors
from cardgym.players.checkpoints import load_checkpoint, load_player, save_checkpoint
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import QNetwork
from learning_game import NUM_ACTIONS, SIZE


@pytest.fixture
def network(tiny: Game) -> QNetwork:
    torch.manual_seed(4)
    return QNetwork(network_shape(tiny, tiny.parse_options(), "plain", (16, 8), True))


@pytest.fixture
def checkpoint(tmp_path: Path, tiny: Game, network: QNetwork) -> Path:
    path = tmp_path / "tiny.safetensors"
    save_checkpoint(path, network, tiny, tiny.parse_options(), "plain", {"seed": 4})
    return path


def refusal(path: Path, **options: int) -> str:
    """The message with which a checkpoint is refused."""
    game = find("Tiny-v0")
    with pytest.raises(CardgymError) as caught:
        load_player(path, game, game.parse_options(options))
    assert str(path) in str(caught.value)
    return str(caught.value)


def changed(path: Path, **metadata: Any) -> Path:
    """The checkpoint with other metadata."""
    known = read_document(path, path.name)
    write_tensors(path, {**known, **metadata}, safetensors.numpy.load_file(path))
    return path


def test_checkpoint_is_loaded_as_it_was_saved(checkpoint: Path, tiny: Game, network: QNetwork) -> None:
    loaded, metadata = load_checkpoint(checkpoint, tiny, tiny.parse_options())
    assert loaded.shape == network.shape
    observations = torch.randn(50, SIZE)
    assert torch.equal(loaded(observations), network(observations))
    assert metadata.config == {"seed": 4}
    assert metadata.env == "Tiny-v0"
    assert load_player(checkpoint, tiny, tiny.parse_options()).name == str(checkpoint)


@pytest.mark.parametrize("option", [{"num_players": 1}, {"turns": 5}])
def test_checkpoint_for_other_options_is_refused(checkpoint: Path, option: dict[str, int]) -> None:
    assert next(iter(option)) in refusal(checkpoint, **option)


def test_option_reward_may_differ(checkpoint: Path, tiny: Game) -> None:
    load_player(checkpoint, tiny, tiny.parse_options({"reward": "other"}))


NETWORK = {"inputs": SIZE, "actions": NUM_ACTIONS, "hidden_sizes": [4], "dueling": False}


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"env": "Other-v0"}, "made for Other-v0, not for Tiny-v0"),
        ({"features": "0" * 16}, "observation"),
        ({"observation": "card"}, "observation"),
        ({"observation": "nose"}, "observation"),
        ({"network": NETWORK}, "its metadata and its arrays do not match"),
        ({"env": None}, "metadata: env: input should be"),
    ],
    ids=str,
)
def test_metadata_that_do_not_fit_are_refused(checkpoint: Path, metadata: Any, reason: str) -> None:
    assert reason in refusal(changed(checkpoint, **metadata))


def test_network_cannot_read_a_numbered_observation(tiny: Game) -> None:
    with pytest.raises(CardgymError, match="use plain"):
        network_shape(tiny, tiny.parse_options(), "card", (8,), False)

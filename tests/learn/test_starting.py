"""Trainings that start from a checkpoint's weights."""

from pathlib import Path

import pytest
import torch

from cardgym.engine.contract import Game
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.learn.network_training import load_weights
from cardgym.players.checkpoints import save_checkpoint
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import QNetwork
from cardgym.players.policy_networks import Network, PolicyNetwork


def network(game: Game, kind: type[Network], *sizes: int) -> Network:
    return kind(network_shape(game, game.parse_options(), game.default_observation, sizes, dueling=False))


def saved(game: Game, folder: Path, kind: type[Network], *sizes: int) -> tuple[Network, Path]:
    made = network(game, kind, *sizes)
    save_checkpoint(folder / "a.safetensors", made, game, game.parse_options(), game.default_observation)
    return made, folder / "a.safetensors"


def test_checkpoint_that_does_not_fit_is_refused_in_one_line(tiny: Game, tmp_path: Path) -> None:
    _, path = saved(tiny, tmp_path, QNetwork, 8, 8)
    options, observation = tiny.parse_options(), tiny.default_observation
    with pytest.raises(CardgymError, match="has a QNetwork, not a PolicyNetwork"):
        load_weights(network(tiny, PolicyNetwork, 8, 8), path, tiny, options, observation)
    with pytest.raises(CardgymError, match="its layers are 8 x 8, not 16"):
        load_weights(network(tiny, QNetwork, 16), path, tiny, options, observation)
    with pytest.raises(CardgymError, match="not 8 x 7 or narrower"):
        load_weights(network(tiny, QNetwork, 8, 7), path, tiny, options, observation)
    with pytest.raises(CardgymError, match="reads the observation"):
        load_weights(network(tiny, QNetwork, 8, 8), path, tiny, options, "other")


@pytest.mark.parametrize("kind", [QNetwork, PolicyNetwork])
def test_wider_network_that_reads_more_features_computes_the_same(tmp_path: Path, kind: type[Network]) -> None:
    game = find("CorellianSpike-v0")
    options = game.parse_options()
    made, path = saved(game, tmp_path, kind, 8, 8)
    wider = kind(network_shape(game, options, "belief", (12, 9), dueling=False))
    load_weights(wider, path, game, options, "belief")
    shorter, longer = made.shape.inputs, wider.shape.inputs
    assert shorter < longer
    seen = torch.rand(5, longer)
    for old, new in zip(flat(made(seen[:, :shorter])), flat(wider(seen)), strict=True):
        torch.testing.assert_close(old, new)
    output = wider(seen)
    (output if kind is QNetwork else output[0]).sum().backward()
    learning = [weights.grad for weights in wider.parameters() if len(weights) == 9]  # The added unit of this layer.
    assert all(gradient is not None and gradient.any() for gradient in learning)
    with pytest.raises(CardgymError, match="reads the observation 'full', not 'paper'"):
        load_weights(wider, path, game, options, "paper")


def flat(outputs: torch.Tensor | tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)

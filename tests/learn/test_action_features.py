"""Policy networks that read some features with the same weights for every action."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.players.checkpoints import load_checkpoint, save_checkpoint
from cardgym.players.network_shapes import NetworkShape, network_shape
from cardgym.players.policy_networks import PolicyNetwork

SHAPE = NetworkShape(inputs=9, actions=5, hidden_sizes=(8,), feature_starts=(1, 5), featured_actions=3)
"""Features of the actions 0, 1 and 2 at inputs 1 to 3 and 5 to 7; 0, 4 and 8 are the others."""


def network(seed: int = 1) -> PolicyNetwork:
    torch.manual_seed(seed)
    made = PolicyNetwork(SHAPE)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_()
    return made


def inputs(seed: int = 2) -> torch.Tensor:
    return torch.rand(4, 9, generator=torch.Generator().manual_seed(seed))


def test_actions_with_swapped_features_swap_their_logits() -> None:
    observations = inputs()
    swapped = observations.clone()
    swapped[:, [1, 2, 5, 6]] = observations[:, [2, 1, 6, 5]]
    (before, value), (after, same) = network()(observations), network()(swapped)
    torch.testing.assert_close(after[:, [1, 0, 2, 3, 4]], before)
    torch.testing.assert_close(same, value)
    assert not torch.allclose(before[:, 0], before[:, 1])


def test_actions_without_features_in_a_row_are_scored_like_any_other() -> None:
    """They are left out of the large product; their logits, and the gradients, are those of features of 0."""
    observations = inputs()
    observations[0, [1, 5]] = 0.0
    observations[1, [1, 2, 3, 5, 6, 7]] = 0.0
    nearly = observations.clone()
    nearly[observations == 0.0] = 1e-12
    gradients = []
    for rows in (observations, nearly):
        made = network()
        logits, _ = made(rows)
        (logits**2).sum().backward()
        gradients.append([logits.detach(), *(parameter.grad for parameter in made.parameters())])
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)


def test_checkpoint_keeps_the_features_and_checks_them(tiny: Game, tmp_path: Path) -> None:
    options = tiny.parse_options()
    shape = network_shape(tiny, options, "plain", (8,), dueling=False, action_features=("card",))
    assert (shape.feature_starts, shape.featured_actions) == ((0,), 4)
    made, path = PolicyNetwork(shape), tmp_path / "a.safetensors"
    save_checkpoint(path, made, tiny, options, "plain")
    loaded, metadata = load_checkpoint(path, tiny, options)
    assert metadata.shape == shape
    observations = torch.rand(3, shape.inputs)
    assert torch.equal(loaded(observations)[0], made(observations)[0])
    for changes in ({"featured_actions": 10**6}, {"feature_starts": (10**6,)}, {"featured_actions": 0}):
        made.shape = replace(shape, **changes)
        save_checkpoint(path, made, tiny, options, "plain")
        with pytest.raises(CardgymError, match="do not fit together"):
            load_checkpoint(path, tiny, options)


def test_features_that_do_not_fit_are_refused_in_one_line(tiny: Game) -> None:
    def shape(*names: str) -> NetworkShape:
        return network_shape(tiny, tiny.parse_options(), "plain", (8,), dueling=False, action_features=names)

    with pytest.raises(CardgymError, match="did you mean 'card'"):
        shape("crad")
    with pytest.raises(CardgymError, match="for the same actions, and these have card 4, parity 2"):
        shape("card", "parity")

"""Exported networks choose the actions of the players that they were made of, in another library's runtime."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardgym import cli, find
from cardgym.arena import evaluate
from cardgym.players.checkpoints import CheckpointPlayer, load_player, save_checkpoint
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import QNetwork
from cardgym.players.onnx_file import save_onnx
from cardgym.players.policy_networks import PolicyNetwork
from cardgym.players.resolver import resolve

onnx: Any = pytest.importorskip("onnx")
onnxruntime: Any = pytest.importorskip("onnxruntime")
SHIPPED = [
    ("CorellianSpike-v0", "ppo"),
    ("CorellianSpike-v0", "double_dqn"),
    ("Coda-v0", "ppo"),
    ("CodaOfficial-v0", "official_double_dqn"),
    ("Cribbage-v0", "distill"),
    ("Cribbage-v0", "double_dqn"),
]


def compare(player: CheckpointPlayer, path: Path, size: int, actions: int) -> None:
    """Compare a player with its file in decisions that are as sparse as those of games."""
    generator = np.random.default_rng(3)
    observations = generator.random((300, size), np.float32) * (generator.random((300, size)) < 0.2)
    masks = (generator.random((300, actions)) < 0.3).astype(np.int8)
    masks[:, 0] |= masks.sum(axis=1) == 0
    numbers = "probabilities" if player.metadata.format.startswith("cardgym-policy") else "values"
    session = onnxruntime.InferenceSession(str(path))
    found, chosen = session.run([numbers, "actions"], {"observations": observations, "masks": masks})
    np.testing.assert_array_equal(chosen, player.act(observations, masks))
    expected = player.probabilities(observations, masks) if player.samples else player.values(observations, masks)
    assert expected is not None
    np.testing.assert_allclose(found[masks != 0], expected[masks != 0], atol=1e-5)
    assert (found[masks == 0] == (0 if player.samples else np.finfo(np.float32).min)).all()


@pytest.mark.parametrize(("env", "name"), SHIPPED)
def test_shipped_networks_choose_the_same_actions(env: str, name: str, tmp_path: Path) -> None:
    game = find(env)
    player = resolve(name, game, game.parse_options())
    assert isinstance(player, CheckpointPlayer)
    path = tmp_path / "network.onnx"
    assert cli.main(["export", env, "--player", name, "--out", str(path)]) == 0
    shape = player.metadata.shape
    compare(player, path, shape.inputs, shape.actions)
    (made_for,) = (one.value for one in onnx.load(path).metadata_props)
    assert json.loads(made_for)["env"] == env


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(("featured", "dueling"), [(False, False), (False, True), (True, False)])
def test_networks_of_every_shape_choose_the_same_actions(
    featured: bool, dueling: bool, wide: bool, tmp_path: Path
) -> None:
    game = find("Coda-v0" if featured else "KuhnPoker-v0")
    options = game.parse_options()
    torch.manual_seed(1)
    names = tuple(feature.name for feature in game.observation("splits").features(options)) if featured else ()
    names = names[-1:]
    observation = "splits" if featured else game.default_observation
    shape = network_shape(game, options, observation, (8,), dueling, wide, names)
    shape = dataclasses.replace(shape, threshold=0.1 * (featured and wide))
    network = (PolicyNetwork if featured else QNetwork)(shape)
    with torch.no_grad():
        for weights in network.parameters():
            weights.normal_()
    save_checkpoint(tmp_path / "own.safetensors", network, game, options, observation)
    player = load_player(tmp_path / "own.safetensors", game, options)
    path = tmp_path / "own.onnx"
    assert cli.main(["export", game.id, "--player", str(tmp_path / "own.safetensors"), "--out", str(path)]) == 0
    compare(player, path, shape.inputs, shape.actions)


def programs_on_the_page() -> dict[str, str]:
    """The files that docs/bots.md shows."""
    page = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", page, re.DOTALL | re.MULTILINE))


def test_networks_trained_elsewhere_play_the_games_of_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("elsewhere.py").write_text(programs_on_the_page()["elsewhere.py"])
    game = find("CorellianSpike-v0")
    player = resolve("ppo", game, game.parse_options())
    assert isinstance(player, CheckpointPlayer)
    save_onnx(player, Path("ppo.onnx"))
    results = [
        evaluate(game.id, None, [name, "heuristic"], games=20, seed=1).players
        for name in ("ppo", "./elsewhere.py:Exported")
    ]
    nameless = [[dataclasses.replace(one, name="") for one in players] for players in results]
    assert nameless[0] == nameless[1]


def test_examples_on_the_page_are_short() -> None:
    lines = {name: sum(map(bool, program.splitlines())) for name, program in programs_on_the_page().items()}
    assert all(lines[name] <= 10 for name in ("bot.py", "reader.py", "bluffer.py")), lines
    assert lines["elsewhere.py"] <= 15, lines

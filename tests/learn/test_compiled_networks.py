"""Compiled layers of saved networks against PyTorch's: same numbers, same actions, same games."""

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
import torch

import cardgym
from cardgym.engine.batch import LegalSampler
from cardgym.engine.contract import Float32s, Int8s
from cardgym.engine.kernel import RESET, STEP
from cardgym.files.tensors import SUFFIX, read_document
from cardgym.players import Player, best_actions, resolve, sample_actions
from cardgym.players.checkpoints import POLICY_NETWORK, Q_NETWORK, CheckpointPlayer, with_fixed_sums
from cardgym.players.compiled_networks import CompiledNetwork
from cardgym.players.network_shapes import NetworkShape, weights_of_policy, weights_of_values
from cardgym.players.networks import QNetwork
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer
from cardgym.players.resolver import checkpoints
from cardgym.players.seats import SeatedBatch

ROOT = Path(__file__).parents[2]
SHAPES = {
    "no hidden layer": NetworkShape(9, 5, ()),
    "plain": NetworkShape(9, 5, (8, 6, 7)),
    "dueling, wide": NetworkShape(9, 5, (8,), dueling=True, wide=True),
    "with a threshold": NetworkShape(9, 5, (8,), threshold=0.3),
    "by action, wide": NetworkShape(9, 5, (8, 4), wide=True, feature_starts=(1, 5), featured_actions=3),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_layers_of_every_kind_give_the_numbers_of_pytorch(shape: NetworkShape) -> None:
    generator = np.random.default_rng(1)
    observations = generator.normal(size=(50, 9)).astype(np.float32) * (generator.random((50, 9)) < 0.6)
    policy = shape.featured_actions or shape.threshold
    kinds = [PolicyNetwork] if policy else [QNetwork] if shape.dueling else [QNetwork, PolicyNetwork]
    for kind in kinds:
        torch.manual_seed(3)
        network = kind(shape)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.normal_()
            outputs = network(torch.tensor(observations))
        arrays = {name: value.numpy() for name, value in network.state_dict().items()}
        wanted = weights_of_policy(shape) if kind is PolicyNetwork else weights_of_values(shape)
        assert {name: array.shape for name, array in arrays.items()} == wanted
        compiled = CompiledNetwork(shape, arrays)
        logits = first(outputs)
        assert compiled.outputs(observations) == pytest.approx(logits, abs=1e-5, rel=1e-5)
        masks = (generator.random(logits.shape) < 0.5).astype(np.int8)
        masks[:, 2] = 1
        shares = compiled.probabilities(observations, masks)
        assert (shares[masks == 0] == 0).all()
        assert shares.sum(axis=1) == pytest.approx(np.ones(50), abs=1e-6)
        if isinstance(network, PolicyNetwork):
            assert shares == pytest.approx(PolicyPlayer("torch", network).probabilities(observations, masks), abs=1e-5)
            assert shares[shares > 0].min() >= shape.threshold
        draws = generator.random(50)
        draws[:3] = 0.0, np.nextafter(1.0, 0.0), 0.5
        rows = list(zip(observations, masks, draws, strict=True))
        assert [compiled.choose(*row) for row in rows] == sample_actions(shares, draws).tolist()
        greedy = best_actions(compiled.outputs(observations), masks).tolist()
        assert [compiled.choose(seen, mask, -1.0) for seen, mask, _ in rows] == greedy


def decisions(env_id: str, player: Player, rows: int) -> tuple[Float32s, Int8s]:
    """What players of random moves see after 0 to 20 moves."""
    game = cardgym.find(env_id)
    games = SeatedBatch(game, game.parse_options(), rows // 20, (), player.observation_name)
    games.seed(np.arange(rows // 20, dtype=np.uint64))
    games.step(0, RESET, skip=True)
    sampler, seen = LegalSampler(1), []
    for _ in range(20):
        seen.append((games.observations, games.masks))
        over = games.batch.plain_rows["current_player"] < 0
        games.step(sampler(games.masks), np.where(over, RESET, STEP), skip=True)
    observations, masks = (np.concatenate(parts) for parts in zip(*seen, strict=True))
    deciding = (masks == 0).any(axis=1) & (masks != 0).any(axis=1)
    return observations[deciding], masks[deciding]


def shipped() -> list[object]:
    """The shipped networks of default options; all but one are slow."""
    found: list[object] = []
    for env_id in cardgym.registered():
        game = cardgym.find(env_id)
        for name, path in checkpoints(game, game.parse_options()).items():
            if path.suffix == SUFFIX and read_document(path, name).get("format") in (Q_NETWORK, POLICY_NETWORK):
                marks = [] if (env_id, name) == ("CorellianSpike-v0", "ppo") else [pytest.mark.slow]
                found.append(pytest.param(env_id, name, id=f"{env_id} {name}", marks=marks))
    return found


@pytest.mark.parametrize(("env_id", "name"), shipped())
def test_shipped_networks_decide_as_with_pytorch(env_id: str, name: str) -> None:
    """They are as near to exact sums as PyTorch's float32 is, which differs in the last bits between processors."""
    game = cardgym.find(env_id)
    player = resolve(name, game, game.parse_options())
    assert isinstance(player, CheckpointPlayer)
    observations, masks = decisions(env_id, player, 10_000)
    network, compiled = player.with_torch.network, player._compiled.outputs(observations)
    with torch.inference_mode():
        single, double = (
            first(made(torch.tensor(observations, dtype=dtype)))
            for made, dtype in ((network, torch.float32), (copy.deepcopy(network).double(), torch.float64))
        )
    assert abs(compiled - double).max() <= 2 * abs(single - double).max() + 1e-6
    assert (best_actions(compiled, masks) == best_actions(single, masks)).mean() > 0.9999
    draws = np.random.default_rng(1).random(len(masks))
    chosen = np.array([player.choose(*row) for row in zip(observations, masks, draws, strict=True)])
    assert (chosen == player.with_torch.act(observations, masks, draws)).mean() > 0.9999


def test_with_fixed_sums_many_rows_are_answered_as_one() -> None:
    game = cardgym.find("CorellianSpike-v0")
    player = resolve("ppo", game, game.parse_options())
    fixed = with_fixed_sums(player)
    observations, masks = decisions("CorellianSpike-v0", player, 300)
    rows = range(len(masks))
    alone: list[Any] = [player.probabilities(observations[row : row + 1], masks[row : row + 1]) for row in rows]
    together: Any = fixed.probabilities(observations, masks)
    assert (together == np.concatenate(alone)).all()
    by_pytorch: Any = player.probabilities(observations, masks)
    assert (by_pytorch != together).any()  # It differs between processors.


def test_other_settings_of_pytorch_change_no_player_and_no_player_takes_its_draws() -> None:
    game = cardgym.find("CorellianSpike-v0")
    usual, loaded_late = (resolve("ppo", game, game.parse_options()) for _ in range(2))
    observations, masks = decisions("CorellianSpike-v0", usual, 60)
    shares: Any = usual.probabilities(observations, masks)
    before = torch.get_rng_state()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"):
            late: Any = loaded_late.probabilities(observations, masks)
    finally:
        torch.set_default_dtype(torch.float32)
    assert len(masks) > 16
    assert (shares == late).all()
    assert torch.equal(torch.get_rng_state(), before)


def first(outputs: torch.Tensor | tuple[torch.Tensor, ...]) -> npt.NDArray[np.floating[Any]]:
    """Action values, or the logits that a policy network gives beside the value of the state."""
    return (outputs[0] if isinstance(outputs, tuple) else outputs).numpy()


def test_single_env_plays_without_pytorch_and_as_a_vector_env_plays_with_it() -> None:
    program = """
import gymnasium, sys, cardgym
env = gymnasium.make("CorellianSpike-v0", opponent="ppo")
rewards = []
for seed in range(30):
    _, info = env.reset(seed=seed)
    over, total = False, 0.0
    while not over:
        _, reward, over, _, info = env.step(int(info["action_mask"].nonzero()[0][-1]))
        total += reward
    rewards.append(total)
print(rewards, "torch" in sys.modules)
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    envs = gymnasium.make_vec("CorellianSpike-v0", num_envs=30, opponent="ppo")
    _, infos = envs.reset(seed=[*range(30)])  # type: ignore[arg-type]  # One for each game.
    totals, running = np.zeros(30), np.ones(30, bool)
    while running.any():
        actions = [int(mask.nonzero()[0][-1]) for mask in infos["action_mask"]]
        _, rewards, over, _, infos = envs.step(actions)
        totals += rewards * running
        running &= ~over
    assert answer.split("] ")[0] + "]" == str(totals.tolist())
    assert answer.endswith("False\n")

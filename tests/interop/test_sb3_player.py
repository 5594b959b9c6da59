"""Models of Stable-Baselines3 as players: they play as the model does, and nothing is unpickled."""

import base64
import contextlib
import json
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import VecFrameStack, VecNormalize

import cardgym
from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.cli import main
from cardgym.interop import sb3
from cardgym.interop.sb3 import MaskableDQN, ModelPlayer, load_player
from cardgym.players import resolve

# Stable-Baselines3's types leave open what an observation is: its parts are of no type here.
CardVecEnv: Any = sb3.CardVecEnv
IDS = cardgym.registered()  # Before the tests register their own games.
SIZES: dict[str, Any] = {"policy_kwargs": {"net_arch": [8]}, "device": "cpu", "seed": 3}
MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "maskable_ppo": (MaskablePPO, {"n_steps": 8, "batch_size": 32}),
    "maskable_dqn": (MaskableDQN, {"learning_starts": 8}),
    "ppo": (PPO, {"n_steps": 8, "batch_size": 32}),
    "a2c": (A2C, {"n_steps": 8}),
    "dqn": (DQN, {"learning_starts": 8}),
    "qrdqn": (QRDQN, {"learning_starts": 8}),
    "activation": (
        PPO,
        {
            "n_steps": 8,
            "batch_size": 32,
            "policy_kwargs": {"net_arch": {"pi": [8], "vf": [4]}, "activation_fn": torch.nn.ELU},
        },
    ),
}


class OwnExtractor(FlattenExtractor):
    """A features extractor that only its author's code knows."""


def trained(name: str, env, **changes):
    kind, more = MODELS[name]
    policy = "MultiInputPolicy" if isinstance(env.observation_space, gymnasium.spaces.Dict) else "MlpPolicy"
    return kind(policy, env, **{**SIZES, **more, **changes}).learn(40)


def positions(env: Any, steps: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of some decisions."""
    env.seed(9)
    env.reset()
    seen = []
    for _ in range(steps):
        seen.append((env._core.seated.observations, env._core.seated.masks))
        env.step(env.action_masks().argmax(axis=1))
    observations, masks = (np.concatenate(parts) for parts in zip(*seen, strict=True))
    return observations, masks


@pytest.fixture
def model_file(tiny, tmp_path: Path) -> Path:
    """The file of a MaskableDQN for the tiny game."""
    trained("maskable_dqn", CardVecEnv(tiny, 4)).save(tmp_path / "model.zip")
    return tmp_path / "model.zip"


# -- playing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_file_plays_as_the_model_does_and_only_legal_actions(tiny, tmp_path, name):
    env = CardVecEnv(tiny, 4)
    model = trained(name, env)
    model.save(tmp_path / "model.zip")
    player: Any = resolve(str(tmp_path / "model.zip"), tiny, tiny.parse_options())
    observations, masks = positions(env)
    actions = player.act(observations, masks)
    assert actions.dtype == np.int64
    assert masks[np.arange(len(masks)), actions].all()
    assert np.array_equal(actions, ModelPlayer(model).act(observations, masks))
    if name.startswith("maskable"):
        expected, _ = model.predict(observations, deterministic=True, action_masks=masks)
        assert np.array_equal(actions, expected)
    else:  # An unmasked model's own choice, where that is legal.
        expected, _ = model.predict(observations, deterministic=True)
        legal = masks[np.arange(len(masks)), expected] == 1
        assert np.array_equal(actions[legal], expected[legal])


@pytest.mark.parametrize("arguments", [{"obs": "card"}, {"obs_mode": "dict"}, {"obs": "card", "obs_mode": "dict"}])
@pytest.mark.parametrize("name", ["maskable_ppo", "maskable_dqn", "dqn"])
def test_models_of_any_observation_are_players(tiny, tmp_path, name, arguments):
    env = CardVecEnv(tiny, 4, **arguments)
    model = trained(name, env)
    model.save(tmp_path / "model.zip")
    player: Any = resolve(tmp_path / "model.zip", tiny, tiny.parse_options())
    assert player.observation_name == arguments.get("obs", "plain")
    observations, masks = positions(env)
    assert np.array_equal(player.act(observations, masks), ModelPlayer(model).act(observations, masks))
    report = evaluate(tiny, None, [player, "random"], games=20, seed=1)
    assert report.players[0].name == str(tmp_path / "model.zip")


def test_players_of_normalized_observations_normalize_them(tiny):
    games = CardVecEnv(tiny, 4)
    env: Any = VecNormalize(games)
    model = trained("maskable_ppo", env)
    observations, masks = positions(games)
    expected, _ = model.predict(env.normalize_obs(observations), deterministic=True, action_masks=masks)
    assert np.array_equal(ModelPlayer(model).act(observations, masks), expected)


def test_models_play_wherever_a_player_is_named(tiny, model_file, capsys):
    env = gymnasium.make(tiny.id, opponent=str(model_file))
    env.reset(seed=1)
    assert CardVecEnv(tiny, 2, opponent={str(model_file): 1, "random": 1}).reset().shape == (2, 8)
    assert main(["evaluate", tiny.id, "--players", str(model_file), "perfect", "--games", "20"]) == 0
    assert "│ model " in capsys.readouterr().out


def test_models_are_valued_by_the_solver(tmp_path):
    from cardgym.solvers.optimum import solve

    game = next(game for game in map(cardgym.find, IDS) if game.parse_options().num_players == 1)
    trained("maskable_dqn", CardVecEnv(game, 4)).save(tmp_path / "model.zip")
    report = solve(game, {}, [str(tmp_path / "model.zip")]).report
    assert str(tmp_path / "model.zip") in report["policies"]


def test_models_made_in_gymnasium_envs_are_players_too(tiny, tmp_path):
    trained("maskable_ppo", gymnasium.make(tiny.id, turns=3)).save(tmp_path / "model.zip")
    resolve(tmp_path / "model.zip", tiny, tiny.parse_options({"turns": 3}))


# -- what it was made for ---------------------------------------------------------------------------------------------


def test_models_made_for_something_else_are_refused(tiny, model_file):
    other = cardgym.find(IDS[0])
    with pytest.raises(CardgymError, match=rf"made for Tiny-v0, not for {other.id}"):
        resolve(model_file, other, other.parse_options())
    with pytest.raises(CardgymError, match=r"made for turns=4, not turns=5; set turns=4"):
        resolve(model_file, tiny, tiny.parse_options({"turns": 5}))
    resolve(model_file, tiny, tiny.parse_options({"reward": "other"}))  # What is paid changes nothing it sees.


@pytest.mark.parametrize("wrap", [VecNormalize, lambda env: VecFrameStack(env, 2)], ids=["normalized", "stacked"])
@pytest.mark.parametrize("name", ["maskable_ppo", "dqn"])
def test_files_of_models_that_read_changed_observations_are_refused(tiny, tmp_path, wrap, name):
    trained(name, wrap(CardVecEnv(tiny, 4))).save(tmp_path / "model.zip")
    with pytest.raises(CardgymError, match="a wrapper such as VecNormalize changed its observations"):
        resolve(tmp_path / "model.zip", tiny, tiny.parse_options())


def test_normalized_rewards_change_no_observation(tiny, tmp_path):
    trained("ppo", VecNormalize(CardVecEnv(tiny, 4), norm_obs=False)).save(tmp_path / "model.zip")
    resolve(tmp_path / "model.zip", tiny, tiny.parse_options())


def test_models_of_other_games_are_refused(tiny, tmp_path):
    model = PPO("MlpPolicy", "CartPole-v1", device="cpu")
    model.save(tmp_path / "model.zip")
    with pytest.raises(CardgymError, match="does not say which game it was made for; train it in an env of cardgym"):
        resolve(tmp_path / "model.zip", tiny, tiny.parse_options())
    with pytest.raises(CardgymError, match="was not made in an env of cardgym"):
        ModelPlayer(model)


def test_models_with_a_memory_are_refused(tiny, tmp_path):
    model = RecurrentPPO("MlpLstmPolicy", CardVecEnv(tiny, 2), n_steps=8, device="cpu")
    with pytest.raises(CardgymError, match="its RecurrentActorCriticPolicy cannot be a player; PPO's, A2C's and DQN's"):
        ModelPlayer(model)
    model.save(tmp_path / "model.zip")
    with pytest.raises(CardgymError, match="could only be unpickled"):
        load_player(tmp_path / "model.zip", tiny, tiny.parse_options())


# -- pickles ----------------------------------------------------------------------------------------------------------


class Trap:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def rewrite(path: Path, **changes) -> None:
    """Change entries of a model's JSON; bytes are a pickle, anything else is pickled."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    data = json.loads(entries["data"])
    for name, value in changes.items():
        content = value if isinstance(value, bytes) else cloudpickle.dumps(value)
        pickled = {":type:": "", ":serialized:": base64.b64encode(content).decode()}
        data[name] = {**(data[name] if isinstance(data[name], dict) else {}), **pickled}
    entries["data"] = json.dumps(data).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("entry", ["policy_class", "action_space", "learning_rate", "_last_obs", "policy_kwargs"])
def test_nothing_is_unpickled(tiny, tmp_path, model_file, entry):
    rewrite(model_file, **{entry: Trap(tmp_path / "sprung")})
    resolve(model_file, tiny, tiny.parse_options())
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("last", [np.zeros(()), np.zeros((1, 3)), np.zeros(0), {"x": 1}, 3], ids=repr)
def test_last_observations_of_another_kind_end_in_no_traceback(tiny, model_file, last):
    rewrite(model_file, _last_obs=last)
    with contextlib.suppress(CardgymError):  # Some are of no known kind, which is no reason to refuse.
        resolve(model_file, tiny, tiny.parse_options())


def test_weights_that_are_not_finite_are_refused(tiny, tmp_path):
    model = trained("maskable_dqn", CardVecEnv(tiny, 4))
    next(model.policy.parameters()).data.view(-1)[0] = float("nan")
    model.save(tmp_path / "model.zip")
    with pytest.raises(CardgymError, match="its weights have a number that is not finite"):
        resolve(tmp_path / "model.zip", tiny, tiny.parse_options())


def test_modules_that_run_as_they_are_imported_are_not_imported(tiny, model_file):
    rewrite(model_file, _last_obs=b"cnumpy.f2py.__main__\ndtype\n.")  # A program of NumPy's, which exits.
    resolve(model_file, tiny, tiny.parse_options())
    assert "numpy.f2py.__main__" not in sys.modules


def test_weights_that_are_pickles_of_something_else_are_refused(tiny, tmp_path, model_file):
    with zipfile.ZipFile(model_file) as archive:
        data = archive.read("data")
    torch.save({"x": Trap(tmp_path / "sprung")}, tmp_path / "weights.pth")
    with zipfile.ZipFile(model_file, "w") as archive:
        archive.writestr("data", data)
        archive.write(tmp_path / "weights.pth", "policy.pth")
    with pytest.raises(CardgymError, match="not a model of Stable-Baselines3"):
        load_player(model_file, tiny, tiny.parse_options())
    assert not (tmp_path / "sprung").exists()


def test_models_that_would_have_to_be_unpickled_are_refused(tiny, tmp_path):
    kwargs = {"net_arch": [8], "features_extractor_class": OwnExtractor}
    trained("maskable_ppo", CardVecEnv(tiny, 4), policy_kwargs=kwargs).save(tmp_path / "own.zip")
    with pytest.raises(CardgymError, match=r"could only be unpickled, .* load it in Python and play it as"):
        resolve(tmp_path / "own.zip", tiny, tiny.parse_options())


def test_model_as_opponent_is_refused_by_a_message_that_names_its_player(tiny):
    model = sb3.MaskableDQN("MlpPolicy", CardVecEnv(tiny, 1), policy_kwargs={"net_arch": [4]})
    for opponent in (model, {model: 1.0}):
        with pytest.raises(CardgymError, match=r"player MaskableDQN: .* cardgym\.interop\.sb3\.ModelPlayer\(model\)"):
            CardVecEnv(tiny, 1, opponent=opponent)
    CardVecEnv(tiny, 1, opponent=sb3.ModelPlayer(model)).reset()

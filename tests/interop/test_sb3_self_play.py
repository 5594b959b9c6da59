"""CardVecEnv's opponents `self` and `snapshot`: the model that learns, and earlier copies of it."""

from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecFrameStack, VecMonitor, VecNormalize

from cardgym import CardgymError
from cardgym.interop import sb3
from cardgym.interop.sb3 import MaskableDQN, ModelPlayer, SelfPlayCallback
from cardgym.players import sample_actions

# Stable-Baselines3's types leave open what an observation is: its parts are of no type here.
CardVecEnv: Any = sb3.CardVecEnv
SMALL: dict[str, Any] = {"policy_kwargs": {"net_arch": [16]}, "device": "cpu", "seed": 3}


def maskable_ppo(env: Any, **changes: Any) -> Any:
    return MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=32, **{**SMALL, **changes})


def maskable_dqn(env: Any) -> Any:
    return MaskableDQN("MlpPolicy", env, learning_starts=8, exploration_fraction=0.5, **SMALL)


def first_weights(model: Any) -> np.ndarray:
    """A part of the weights of a model or a `ModelPlayer`."""
    policy = model._policy if isinstance(model, ModelPlayer) else model.policy
    return next(policy.parameters()).detach().numpy().copy()


@pytest.mark.parametrize("make", [maskable_ppo, maskable_dqn])
def test_opponent_is_the_model_as_it_is_now(tiny: Any, make: Any, monkeypatch: Any) -> None:
    env = CardVecEnv(tiny, 4, opponent="self", seat="random", illegal_action="raise")
    model = make(env)
    played: list[np.ndarray] = []
    act = ModelPlayer.act

    def watched(player: ModelPlayer, *arguments: Any) -> Any:
        assert np.array_equal(first_weights(player), first_weights(model))
        played.append(first_weights(model))
        return act(player, *arguments)

    monkeypatch.setattr(ModelPlayer, "act", watched)
    model.learn(320, SelfPlayCallback())
    assert len({weights.tobytes() for weights in played}) > 3


def test_self_samples_as_the_model_does_in_training(tiny: Any) -> None:
    env = CardVecEnv(tiny, 4)
    env.reset()
    seen, masks = env._core.seated.observations, env._core.seated.masks
    model = maskable_ppo(env)
    sampling = ModelPlayer(model, samples=True)
    with torch.no_grad():
        distribution = model.policy.get_distribution(torch.as_tensor(seen), action_masks=masks).distribution
    np.testing.assert_allclose(sampling.probabilities(seen, masks), distribution.probs.numpy(), rtol=1e-5, atol=1e-7)
    draws = np.random.default_rng(1).random(4)
    assert np.array_equal(sampling.act(seen, masks, draws), sample_actions(distribution.probs.numpy(), draws))
    assert np.array_equal(sampling.act(seen, masks), ModelPlayer(model).act(seen, masks))  # Without draws: greedy.
    values = maskable_dqn(env)
    values.exploration_rate = 0.4
    shares = ModelPlayer(values, samples=True).probabilities(seen, masks)
    best = ModelPlayer(values).act(seen, masks)
    np.testing.assert_allclose(shares[np.arange(4), best], 0.6 + 0.4 / masks.sum(axis=1))


def test_snapshots_are_earlier_copies_and_the_oldest_is_replaced(tiny: Any) -> None:
    env = CardVecEnv(tiny, 4, opponent={"self": 1, "snapshot": 2, "random": 1}, num_snapshots=2)
    model = maskable_ppo(env, learning_rate=0.01)
    weights: list[np.ndarray] = []

    class Keep(BaseCallback):
        def _on_step(self) -> bool:
            if self.num_timesteps % 64 == 0:
                weights.append(first_weights(self.model))
            return True

    start = first_weights(model)
    model.learn(32, SelfPlayCallback(64))
    assert all(np.array_equal(first_weights(seat.model), start) for seat in env.self_play.snapshots)
    model.learn(192, [Keep(), SelfPlayCallback(64)])
    kept = [first_weights(seat.model) for seat in env.self_play.snapshots]
    assert np.array_equal(kept[0], weights[2])
    assert np.array_equal(kept[1], weights[1])
    assert not np.array_equal(kept[0], kept[1])


def test_games_of_a_mapping_are_shared_by_weight(tiny: Any) -> None:
    env = CardVecEnv(tiny, 400, opponent={"self": 0.5, "snapshot": 0.25, "perfect": 0.25}, num_snapshots=2)
    env.self_play.connect(maskable_ppo(env))
    env.seed(1)
    env.reset()
    numbers, counts = np.unique(env._core.seated.batch.plain_rows["lineup"][:, 1], return_counts=True)
    names = {number: env._core.seated._outside[number].name for number in numbers if number < -1}
    shares = {names.get(number, "perfect"): count / 400 for number, count in zip(numbers, counts, strict=True)}
    assert shares == pytest.approx({"self": 0.5, "snapshot 1": 0.125, "snapshot 2": 0.125, "perfect": 0.25}, abs=0.06)


def test_opponent_sees_what_vec_normalize_shows_the_model(tiny: Any) -> None:
    games = CardVecEnv(tiny, 8, opponent={"self": 1, "snapshot": 1}, illegal_action="raise")
    env: Any = VecNormalize(VecMonitor(games))
    model = maskable_ppo(env)
    model.learn(256, SelfPlayCallback(128))
    seen, masks = games._core.seated.observations, games._core.seated.masks
    model.learn(256, SelfPlayCallback(10_000))
    games.self_play.connect(model)
    with torch.no_grad():
        inputs = torch.as_tensor(env.normalize_obs(seen))
        distribution = model.policy.get_distribution(inputs, action_masks=masks).distribution
    shares = games.self_play.learner.model.probabilities(seen, masks)
    np.testing.assert_allclose(shares, distribution.probs.numpy(), rtol=1e-4)
    taken = games.self_play.snapshots[0].model  # It keeps the statistics of its time.
    assert taken._normalize.obs_rms.count < env.obs_rms.count


def test_loaded_model_continues_to_learn_in_self_play(tiny: Any, tmp_path: Any) -> None:
    model = maskable_ppo(CardVecEnv(tiny, 4, opponent="self"))
    model.learn(64, SelfPlayCallback())
    model.save(tmp_path / "model.zip")
    model.learn(64, SelfPlayCallback(), reset_num_timesteps=False)
    assert model.num_timesteps == 128
    loaded = MaskablePPO.load(tmp_path / "model.zip", CardVecEnv(tiny, 4, opponent="self"), device="cpu")
    before = first_weights(loaded)
    loaded.learn(64, SelfPlayCallback(), reset_num_timesteps=False)
    assert loaded.num_timesteps == 128
    assert not np.array_equal(first_weights(loaded), before)


def test_self_play_learns_the_tiny_game(tiny: Any) -> None:
    env = CardVecEnv(tiny, 32, opponent="self", seat="random")
    model = maskable_ppo(env, learning_rate=5e-3, n_epochs=4)
    model.learn(6_400, SelfPlayCallback())
    env.seed(2)
    env.self_play.connect(model)
    env.reset()
    rewards = []
    for _ in range(40):
        actions, _ = model.predict(env._observations(), deterministic=True, action_masks=env.action_masks())
        rewards.append(env.step(actions)[1])
    assert np.mean(rewards) > 1.1  # 1.25 with perfect play on both sides.


@pytest.mark.parametrize("opponent", ["self", "snapshot", {"self": 1, "random": 9}])
def test_env_without_its_learner_says_what_to_do(tiny: Any, opponent: Any) -> None:
    model = maskable_ppo(CardVecEnv(tiny, 4, opponent=opponent))
    with pytest.raises(CardgymError, match=r"pass cardgym\.interop\.sb3\.SelfPlayCallback\(\) to learn\(\)"):
        model.learn(64)
    model.learn(64, SelfPlayCallback())
    with pytest.raises(CardgymError, match="SelfPlayCallback"):  # Not in silence against a model that no longer learns.
        model.learn(64)


def test_callback_refuses_envs_it_cannot_serve(tiny: Any) -> None:
    with pytest.raises(CardgymError, match="needs a CardVecEnv with opponent='self'"):
        maskable_ppo(CardVecEnv(tiny, 4)).learn(64, SelfPlayCallback())
    with pytest.raises(CardgymError, match="none but VecNormalize"):
        maskable_ppo(VecFrameStack(CardVecEnv(tiny, 4, opponent="self"), 2)).learn(64, SelfPlayCallback())
    with pytest.raises(CardgymError, match="snapshot_every=0"):
        SelfPlayCallback(0)
    with pytest.raises(CardgymError, match="num_snapshots=0"):
        CardVecEnv(tiny, 4, num_snapshots=0)

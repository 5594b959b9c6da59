"""MaskableDQN: masks wherever DQN chooses or values actions, and all that Stable-Baselines3's users know of DQN."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.callbacks import CheckpointCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize
from stable_baselines3.dqn.policies import DQNPolicy

import cardgym
from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.interop import sb3
from cardgym.interop.sb3 import ModelPlayer
from cardgym.interop.sb3_dqn import MaskableReplayBuffer, MaskableReplayBufferSamples

# Stable-Baselines3's types leave open what an observation is: its parts are of no type here.
CardVecEnv: Any = sb3.CardVecEnv
MaskableDQN: Any = sb3.MaskableDQN
FEW = [
    pytest.param(name, marks=[] if name in ("Coda-v0", "KuhnPoker-v0") else pytest.mark.slow)
    for name in cardgym.registered()
]
QUICK: dict[str, Any] = {
    "learning_rate": 3e-3,
    "batch_size": 64,
    "buffer_size": 4_000,
    "learning_starts": 160,
    "train_freq": 1,
    "gradient_steps": 2,
    "target_update_interval": 160,
    "exploration_fraction": 0.6,
    "policy_kwargs": {"net_arch": [32]},
    "seed": 1,
    "device": "cpu",
}


def small_model(env, **changes) -> Any:
    policy = "MultiInputPolicy" if isinstance(env.observation_space, gymnasium.spaces.Dict) else "MlpPolicy"
    return MaskableDQN(policy, env, **{**QUICK, **changes})


# -- playing and learning ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", FEW)
def test_never_plays_an_illegal_action(game_id):
    env = CardVecEnv(game_id, 16, illegal_action="raise")
    small_model(env, double=True, exploration_final_eps=0.3, gradient_steps=1).learn(1_600)


@pytest.mark.parametrize(
    ("changes", "arguments"),
    [
        ({}, {}),
        ({"double": True, "tau": 0.1, "target_update_interval": 16}, {"opponent": {"random": 1}}),
        ({}, {"obs_mode": "dict"}),
    ],
    ids=["dqn", "soft", "dict"],
)
def test_learns_to_play_the_tiny_game_perfectly(tiny, changes, arguments):
    model = small_model(CardVecEnv(tiny, 16, illegal_action="raise", **arguments), **changes)
    model.learn(4_800)
    assert evaluate(tiny, None, [ModelPlayer(model), "random"], games=100, seed=1).players[0].win_rate == 0.5


def test_trains_in_stable_baselines3s_own_vec_env_with_observations_normalized(tiny):
    games = DummyVecEnv([lambda: gymnasium.make(tiny.id, illegal_action="raise")] * 4)
    model = small_model(VecNormalize(VecMonitor(games)), learning_starts=40)
    model.learn(400)
    assert model.ep_info_buffer
    assert model.get_vec_normalize_env() is not None


def test_same_seed_gives_the_same_weights(tiny):
    weights = []
    for seed in (1, 1, 2):
        model = small_model(CardVecEnv(tiny, 4), seed=seed, learning_starts=40).learn(200)
        weights.append(torch.cat([part.flatten() for part in model.policy.state_dict().values()]))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_exploration_is_uniform_over_the_legal_actions_and_drawn_for_each_env(tiny):
    env = CardVecEnv(tiny, 600)
    model = small_model(env, target_update_interval=600)
    observations, masks = env.reset(), env.action_masks()
    masks[:, 4] = True  # Three legal actions: 0, 1 and 4.
    model.exploration_rate = 0.5
    greedy, _ = model.predict(observations, deterministic=True, action_masks=masks)
    actions, _ = model.predict(observations, action_masks=masks)
    assert masks[np.arange(600), actions].all()
    assert 0.23 < np.mean(actions != greedy) < 0.44  # A third.
    model.exploration_rate = 1.0
    counts = np.bincount(model.predict(observations, action_masks=masks)[0], minlength=5)
    assert counts[[0, 1, 4]].min() > 150
    assert counts[[2, 3]].sum() == 0


def test_predict_takes_one_observation_or_many_with_masks_or_without(tiny):
    env = CardVecEnv(tiny, 5)
    model, unmasked = small_model(env), DQN("MlpPolicy", env, **QUICK)
    unmasked.policy.load_state_dict(model.policy.state_dict())
    observations = env.reset()
    for deterministic in (True, False):  # The exploration rate is 0 until training begins.
        actions, state = model.predict(observations, deterministic=deterministic)
        assert np.array_equal(actions, unmasked.predict(observations, deterministic=deterministic)[0])
        assert state is None
    model.exploration_rate = 0.7
    for mask in np.eye(5, dtype=np.int8):
        action, _ = model.predict(observations[0], action_masks=mask)
        assert action.shape == ()
        assert mask[action] == 1
        actions, _ = model.predict(observations, action_masks=np.tile(mask, (5, 1)))
        assert mask[actions].all()


# -- the target -------------------------------------------------------------------------------------------------------


class Values(torch.nn.Module):
    """A Q-network that holds these values for every observation."""

    def __init__(self, values):
        super().__init__()
        self.values = torch.tensor([values])

    def forward(self, observations):
        return self.values.repeat(len(observations), 1)


@pytest.mark.parametrize(
    ("double", "expected"),
    [
        (False, [1 + 0.5 * 3.0, 2.0]),  # The best legal value of the target network.
        (True, [1 + 0.5 * 1.0, 2.0]),  # The target network's value of the online network's best legal action.
    ],
)
def test_target_is_over_the_legal_actions_of_the_next_state(tiny, double, expected):
    model = small_model(CardVecEnv(tiny, 1), double=double, gamma=0.5)
    model.q_net = Values([1.0, 4.0, 9.0, 9.0, 9.0])
    model.q_net_target = Values([3.0, 1.0, 7.0, 7.0, 7.0])
    batch = MaskableReplayBufferSamples(
        observations=torch.zeros(2, 8),
        actions=torch.zeros(2, 1),
        next_observations=torch.zeros(2, 8),
        next_action_masks=torch.tensor([[True, True, False, False, False]] * 2),
        dones=torch.tensor([[0.0], [1.0]]),
        rewards=torch.tensor([[1.0], [2.0]]),
    )
    assert model._td_target(batch).tolist() == expected


def test_masks_of_the_next_states_are_stored(tiny):
    env = CardVecEnv(tiny, 3, turns=2)
    model = small_model(env, learning_starts=1_000)
    model.learn(15)
    masks = model.replay_buffer.next_action_masks[:5]
    odd, every = [0, 0, 1, 1, 0], [1, 1, 1, 1, 1]
    assert masks[:, 0].astype(int).tolist() == [odd, every, odd, every, odd]
    assert np.array_equal(masks[:, 0], masks[:, 1])
    assert model.replay_buffer.dones[:5, 0].tolist() == [0, 1, 0, 1, 0]


def test_mask_of_an_episode_that_was_cut_off_is_that_of_its_last_state(tiny):
    games = DummyVecEnv([lambda: gymnasium.make(tiny.id, max_episode_steps=2, illegal_action="raise")])
    model = small_model(games, learning_starts=1_000)
    model.learn(2)
    assert model.replay_buffer.timeouts[1, 0] == 1
    assert model.replay_buffer.next_action_masks[1, 0].astype(int).tolist() == [1, 1, 0, 0, 0]  # Of the third turn.


# -- the replay buffer ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{}, {"optimize_memory_usage": True, "handle_timeout_termination": False}],
    ids=["default", "small-memory"],
)
@pytest.mark.parametrize("stored", [7, 50])  # Some, and more than there is room for.
def test_samples_are_those_of_stable_baselines3(changes, stored):
    observation_space, action_space = gymnasium.spaces.Box(0, 99, (2,)), gymnasium.spaces.Discrete(4)
    ours = MaskableReplayBuffer(40, observation_space, action_space, "cpu", 2, **changes)
    theirs: Any = ReplayBuffer(40, observation_space, action_space, "cpu", 2, **changes)
    generator = np.random.default_rng(1)
    for step in range(stored):
        observations, next_observations = np.full((2, 2), step, np.float32), np.full((2, 2), step + 1, np.float32)
        dones = generator.random(2) < 0.2
        infos = [{"TimeLimit.truncated": bool(done and generator.random() < 0.5)} for done in dones]
        step_data = (observations, next_observations, generator.integers(0, 4, 2), generator.random(2), dones, infos)
        masks = np.zeros((2, 4), np.bool_)
        masks[:, (step + 1) % 4] = True
        ours.add_masks(masks)
        ours.add(*step_data)
        theirs.add(*step_data)
    np.random.seed(3)
    batch: Any = ours.sample(200)
    np.random.seed(3)
    expected = theirs.sample(200)
    for name in ("observations", "actions", "next_observations", "dones", "rewards"):
        assert torch.allclose(getattr(batch, name).float(), getattr(expected, name).float()), name
    if "optimize_memory_usage" not in changes:
        assert batch.next_action_masks.int().argmax(dim=1).tolist() == (batch.next_observations[:, 0] % 4).tolist()


# -- saving, loading, callbacks, the logger ---------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{}, {"double": True}], ids=["dqn", "double"])
def test_loaded_model_plays_and_continues_to_learn(tiny, tmp_path, changes):
    env = CardVecEnv(tiny, 4, illegal_action="raise")
    model = small_model(env, learning_starts=40, **changes).learn(200)
    model.save(tmp_path / "model.zip")
    model.save_replay_buffer(tmp_path / "buffer.pkl")
    loaded = MaskableDQN.load(tmp_path / "model.zip", env=CardVecEnv(tiny, 4, illegal_action="raise"))
    observations, masks = env.reset(), env.action_masks()
    assert loaded.double == changes.get("double", False)
    assert np.array_equal(
        model.predict(observations, deterministic=True, action_masks=masks)[0],
        loaded.predict(observations, deterministic=True, action_masks=masks)[0],
    )
    loaded.load_replay_buffer(tmp_path / "buffer.pkl")
    assert np.array_equal(loaded.replay_buffer.next_action_masks, model.replay_buffer.next_action_masks)
    loaded.learn(80, reset_num_timesteps=False)
    assert loaded.num_timesteps == 280
    assert loaded._n_updates > model._n_updates


def test_callbacks_and_logger_are_stable_baselines3s(tiny, tmp_path):
    model = small_model(VecMonitor(CardVecEnv(tiny, 4)), learning_starts=40)
    model.set_logger(configure(str(tmp_path), ["csv"]))
    model.learn(400, CheckpointCallback(50, str(tmp_path)), log_interval=10)
    assert (tmp_path / "rl_model_200_steps.zip").exists()
    head = (tmp_path / "progress.csv").read_text().splitlines()[0]
    for name in ("train/loss", "rollout/exploration_rate", "rollout/ep_rew_mean", "time/fps"):
        assert name in head


def test_evaluations_of_sb3_contrib_choose_with_masks(tiny):
    model = small_model(CardVecEnv(tiny, 4), learning_starts=40)
    evaluations = MaskableEvalCallback(
        VecMonitor(CardVecEnv(tiny, 4, illegal_action="raise")), eval_freq=20, n_eval_episodes=8, verbose=0
    )
    model.learn(200, evaluations)
    assert evaluations.last_mean_reward > -4


# -- errors -----------------------------------------------------------------------------------------------------------


def test_env_without_masks_is_refused():
    model = MaskableDQN("MlpPolicy", "CartPole-v1", device="cpu")
    with pytest.raises(CardgymError, match="has no action masks; wrap it in"):
        model.learn(10)


def test_parts_without_masks_are_refused(tiny):
    env = CardVecEnv(tiny, 1)
    with pytest.raises(CardgymError, match="policy DQNPolicy: MaskableDQN needs a subclass of MaskableDQNPolicy"):
        MaskableDQN(DQNPolicy, env, device="cpu")
    with pytest.raises(CardgymError, match="replay_buffer_class ReplayBuffer: MaskableDQN needs a subclass of"):
        small_model(env, replay_buffer_class=ReplayBuffer)
    with pytest.raises(CardgymError, match="n_steps=2: MaskableDQN takes one step"):
        small_model(env, n_steps=2)

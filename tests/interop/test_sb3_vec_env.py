"""CardVecEnv: it plays what single envs play, and behaves like Stable-Baselines3's own vec envs."""

import warnings
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

import cardgym
from cardgym import CardgymError, IllegalActionError
from cardgym.interop import sb3
from cardgym.learn.dqn import random_legal

# Stable-Baselines3's types leave open what an observation is: its parts are of no type here.
CardVecEnv: Any = sb3.CardVecEnv
FIRST = ("KuhnPoker-v0", "OnePlayPoker-v0")
"""A game of two seats and one of one seat; `make test-slow` tries all."""
IDS = [  # Before the tests register their own games.
    pytest.param(name, marks=[] if name in FIRST else pytest.mark.slow) for name in cardgym.registered()
]


def separate(game_id: str, num_envs: int, **arguments) -> DummyVecEnv:
    """The same games in separate envs, as Stable-Baselines3 plays them."""
    arguments.setdefault("illegal_action", "random")
    make = gymnasium.envs.registration.registry[game_id].kwargs["game"]
    return DummyVecEnv([lambda: gymnasium.make(make, disable_env_checker=True, **arguments)] * num_envs)


def assert_equal(one, other) -> None:
    if isinstance(other, dict):
        assert one.keys() == other.keys()
        for name in other:
            assert_equal(one[name], other[name])
    else:
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def seed_the_same(ours: Any, theirs: Any, seed: int) -> None:
    """Seed our rows, and the separate envs with the same seeds; SB3's own vec envs count them from one number."""
    theirs.seed(seed)
    theirs.unwrapped._seeds = ours.seed(seed)


def assert_plays_the_same(ours: Any, theirs: Any, steps: int, *, legal: bool = True) -> int:
    """Both play the same random actions; how many games ended."""
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    generator = np.random.default_rng(1)
    seed_the_same(ours, theirs, 7)
    assert_equal(ours.reset(), theirs.reset())
    ended = 0
    for step in range(steps):
        masks = get_action_masks(theirs)
        assert_equal(ours.action_masks(), masks)
        assert_equal(get_action_masks(ours), masks)
        playable = masks if legal else np.ones_like(masks)
        actions = random_legal(playable.astype(np.int8), generator)
        observations, rewards, dones, infos = ours.step(actions)
        expected_observations, expected_rewards, expected_dones, expected_infos = theirs.step(actions)
        assert_equal(observations, expected_observations)
        assert_equal(rewards, expected_rewards)
        assert_equal(dones, expected_dones)
        for info, expected, done in zip(infos, expected_infos, dones, strict=True):
            assert info["TimeLimit.truncated"] is False
            assert ("terminal_observation" in info) == done
            if done:
                assert_equal(info["terminal_observation"], expected["terminal_observation"])
        ended += int(dones.sum())
        if step == steps // 2:
            assert_equal(ours.reset(), theirs.reset())  # Without a seed they continue.
    return ended


@pytest.mark.parametrize("game_id", IDS)
def test_rows_play_what_single_envs_play(game_id):
    arguments = {} if cardgym.find(game_id).parse_options().num_players == 1 else {"seat": "random"}
    ours, theirs = CardVecEnv(game_id, 3, **arguments), separate(game_id, 3, **arguments)
    assert assert_plays_the_same(ours, theirs, 250) > 3


@pytest.mark.parametrize(
    "arguments",
    [
        {"obs_mode": "dict"},
        {"obs": "card"},
        {"obs": "card", "obs_mode": "dict"},
        {"opponent": "perfect", "seat": 1, "turns": 3},
        {"opponent": lambda observation, mask: int(np.argmax(mask))},
        {"opponent": {"perfect": 3, "random": 1}, "seat": "random"},
        {"num_players": 1},
    ],
    ids=["dict", "discrete", "discrete-dict", "seat-1", "callable", "mapping", "alone"],
)
def test_rows_play_what_single_envs_play_with_any_arguments(tiny, arguments):
    ours, theirs = CardVecEnv(tiny, 4, **arguments), separate(tiny.id, 4, **arguments)
    assert assert_plays_the_same(ours, theirs, 40) > 8


def test_illegal_actions_are_replaced_by_random_legal_ones_by_default(tiny):
    assert assert_plays_the_same(CardVecEnv(tiny, 4), separate(tiny.id, 4), 40, legal=False) > 8
    env = CardVecEnv(tiny, 4, illegal_action="penalize")
    theirs = separate(tiny.id, 4, illegal_action="penalize")
    assert assert_plays_the_same(env, theirs, 40, legal=False) > 20


@pytest.mark.parametrize(
    ("arguments", "consequence"), [({}, "was replaced by a random"), ({"illegal_action": "penalize"}, "ended the game")]
)
def test_first_illegal_action_warns_once(tiny, arguments, consequence):
    env = CardVecEnv(tiny, 2, **arguments)
    env.reset()
    with pytest.warns(UserWarning, match=f"Tiny-v0: an illegal action {consequence}.*an algorithm that takes masks"):
        env.step(np.array([0, 4]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.step(np.array([4, 4]))


def test_random_actions_that_the_caller_asks_for_do_not_warn(tiny):
    env = CardVecEnv(tiny, 2, illegal_action="random")
    env.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.step(np.array([0, 4]))


def test_raise_leaves_all_games_as_they_were(tiny):
    env = CardVecEnv(tiny, 3, illegal_action="raise")
    env.seed(1)
    before = env.reset().copy()
    with pytest.raises(IllegalActionError, match="env 1: action 4 is not legal; allowed are 0, 1"):
        env.step(np.array([0, 4, 1]))
    assert np.array_equal(env._observations(), before)
    assert not env.step(np.array([0, 1, 1]))[2].any()


def test_steps_share_no_memory(tiny):
    env = CardVecEnv(tiny, 2)
    first = env.reset()
    copy = first.copy()
    masks = env.action_masks()
    second, *_ = env.step(np.array([0, 0]))
    second[:] = 9
    masks[:] = False
    assert np.array_equal(first, copy)
    assert env.action_masks().any(axis=1).all()
    assert env.step(np.array([2, 2]))[0].max() <= 1


# -- what Stable-Baselines3 asks of a vec env -------------------------------------------------------------------------


def test_attributes_and_methods_are_those_of_separate_envs(tiny):
    env = CardVecEnv(tiny, 3, render_mode="ansi")
    theirs = separate(tiny.id, 3, render_mode="ansi")
    seed_the_same(env, theirs, 1)
    for vec_env in (env, theirs):
        vec_env.reset()
    for name in ("render_mode", "game", "options", "spec", "observation_space", "action_space"):
        ours, expected = env.get_attr(name), theirs.get_attr(name)
        assert len(ours) == 3
        if name != "spec":
            assert ours == expected
    assert env.get_attr("spec")[0].id == tiny.id
    assert env.get_attr("render_mode", 1) == env.get_attr("render_mode", np.int64(1)) == ["ansi"]
    assert env.env_method("render") == theirs.env_method("render")
    assert env.env_method("render", indices=[2, 0]) == theirs.env_method("render", indices=[2, 0])
    masks = env.env_method("action_masks", indices=[1])
    assert len(masks) == 1
    assert np.array_equal(masks[0], env.action_masks()[1])
    assert is_masking_supported(env)
    assert not env.has_attr("no_such_attribute")
    with pytest.raises(AttributeError):
        env.env_method("no_such_method")
    env.set_attr("label", "x", indices=[1])
    assert env.get_attr("label", 1) == ["x"]
    with pytest.raises(AttributeError):
        env.get_attr("label", 0)
    assert env.env_is_wrapped(Monitor) == [False] * 3
    assert env.unwrapped is env
    env.close()


def test_wrappers_of_stable_baselines3(tiny, tmp_path):
    games = CardVecEnv(tiny, 4, illegal_action="raise")
    env: Any = VecNormalize(VecMonitor(games, str(tmp_path / "monitor.csv")))
    env.seed(1)
    assert env.reset().shape == (4, 8)
    assert env.action_masks().shape == (4, 5)  # Found through both wrappers.
    episodes = []
    for _ in range(9):
        actions = env.action_masks().argmax(axis=1)
        observations, rewards, _, infos = env.step(actions)
        assert observations.dtype == rewards.dtype == np.float32
        episodes += [info["episode"] for info in infos if "episode" in info]
    assert [episode["l"] for episode in episodes] == [4] * 8
    assert {abs(float(episode["r"])) % 0.25 for episode in episodes} == {0.0}
    env.close()
    assert tiny.id in (tmp_path / "monitor.csv").read_text().splitlines()[0]
    env.save(str(tmp_path / "normalize.pkl"))
    assert VecNormalize.load(str(tmp_path / "normalize.pkl"), games).ret_rms.count == env.ret_rms.count


def test_pictures_are_tiled_and_texts_come_by_method():
    env = CardVecEnv("Coda-v0", 3, render_mode="rgb_array")
    env.seed(1)
    env.reset()
    for _ in range(3):
        env.step(env.action_masks().argmax(axis=1))
    pictures = env.get_images()
    assert len({picture.shape for picture in pictures}) == 1
    tiles = env.render()
    assert tiles.dtype == np.uint8
    assert tiles.shape == (2 * pictures[0].shape[0], 2 * pictures[0].shape[1], 3)
    text = CardVecEnv("Coda-v0", 1, render_mode="ansi")
    text.reset()
    assert text.render() is None  # As a vec env does; the method gives the text.
    assert text.env_method("render")[0]
    assert text.get_images() == [None]


def test_chosen_decks_are_dealt_to_the_rows_they_are_meant_for(tiny):
    dealt = []
    rules = replace(tiny.rules, stack_deck=lambda state, deck: dealt.append(deck))
    env = CardVecEnv(replace(tiny, rules=rules), 3)
    env.set_options([{}, {"deck": [1, 2]}, {}])
    env.reset()
    env.reset()
    assert dealt == [[1, 2]]
    env.set_options({"deck": [3]})
    env.reset()
    assert dealt == [[1, 2], [3], [3], [3]]
    env.set_options({"dek": [3]})
    with pytest.raises(CardgymError, match="unknown option of reset 'dek'"):
        env.reset()
    plain = CardVecEnv(tiny, 1)
    plain.set_options({"deck": [3]})
    with pytest.raises(CardgymError, match="cannot deal a chosen deck"):
        plain.reset()


# -- opponents by weight ----------------------------------------------------------------------------------------------


def test_runs_with_neighboring_seeds_share_no_games(tiny):
    seen: set[int] = set()
    for seed in (0, 1, 2, 3):
        for num_envs in (64, 128):
            env = CardVecEnv(tiny, num_envs)
            model = sb3.MaskableDQN("MlpPolicy", env, seed=seed, policy_kwargs={"net_arch": [4]}, learning_starts=10**6)
            model.learn(num_envs)
            keys = set(env._core.seated.batch.plain_rows["key"].tolist())
            assert len(keys) == num_envs
            assert num_envs == 128 or not keys & seen
            seen |= keys
    assert len(seen) == 4 * 128  # Row i of a seed is the same in a larger env.
    with pytest.raises(CardgymError, match="seed=-1: allowed are whole numbers from 0 up"):
        env.seed(-1)


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0: allowed are whole numbers from 1"),
        ({"num_threads": 0}, "num_threads=0: allowed are whole numbers from 1"),
        ({"seat": "all"}, "Stable-Baselines3 learns one seat"),
        ({"trns": 3}, "did you mean 'turns'"),
        ({"illegal_action": "ignore"}, "unknown illegal_action 'ignore'"),
        ({"opponent": {"perfect": 1}, "num_players": 1}, "has no other seats; leave it out"),
        ({"opponent": {"perfect": -1}}, r"weight from 0 up to 1e\+100, and one of them a weight above 0"),
        ({"opponent": {"perfect": float("nan")}}, "give each player a weight from 0 up"),
        ({"opponent": {"perfect": -1e308, "random": -1e308}}, "give each player a weight from 0 up"),
        ({"opponent": {}}, "give each player a weight from 0 up"),
        ({"opponent": {"perfct": 1}}, "did you mean 'perfect'"),
    ],
)
def test_bad_arguments_are_refused(tiny, arguments, message):
    with pytest.raises(CardgymError, match=message):
        CardVecEnv(tiny, **arguments)


def test_bad_actions_are_refused(tiny):
    env = CardVecEnv(tiny, 2)
    with pytest.raises(CardgymError, match="call reset"):
        env.step(np.array([0, 0]))
    env.reset()
    for actions in (np.array([0]), np.array([0.0, 1.0])):
        with pytest.raises(CardgymError, match=r"give whole numbers of \(2,\)"):
            env.step(actions)


def test_monitor_logs_the_winner() -> None:
    env = VecMonitor(sb3.CardVecEnv("KuhnPoker-v0", 3), info_keywords=("winner", "illegal_action"))
    env.seed(1)
    env.reset()
    ended = []
    for _ in range(12):
        _, _, dones, infos = env.step(np.zeros(3, np.int64))
        assert all({"winner", "illegal_action"} <= info.keys() for info in infos)
        ended += [info["episode"] for done, info in zip(dones, infos, strict=True) if done]
    assert {one["winner"] for one in ended} == {0, 1}
    assert all(type(one["winner"]) is int and one["illegal_action"] is False for one in ended)

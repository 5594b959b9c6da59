"""Decisions per CPU second through other libraries, with the native vector env and with separate envs.

`python benchmarks/interop.py gymnasium pettingzoo`, or with the interpreter of a library's own environment, which
`make test-interop` creates: `.interop/torchrl/bin/python benchmarks/interop.py torchrl`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

GAME = "cardgym:CorellianSpike-v0"
NUM_ENVS = 64


def stepping(**how: Any) -> Callable[[], int]:
    """Random legal steps of a Gymnasium vector env with 64 rows."""
    envs = gym.make_vec(GAME, NUM_ENVS, **how)
    generator = np.random.default_rng(1)
    _, infos = envs.reset(seed=1)

    def play() -> int:
        nonlocal infos
        for _ in range(50):
            draws = generator.random(infos["action_mask"].shape) * infos["action_mask"]
            infos = envs.step(draws.argmax(axis=1))[4]
        return 50 * NUM_ENVS

    return play


def gymnasium() -> dict[str, Callable[[], int]]:
    """`gymnasium.make_vec`."""
    return {"native": stepping(), "separate": stepping(vectorization_mode="sync")}


def pettingzoo() -> dict[str, Callable[[], int]]:
    """PettingZoo's loop, one game at a time."""
    from cardgym.envs.aec import aec_env

    env = aec_env(GAME)

    def play() -> int:
        env.reset(seed=1)
        decisions = 0
        for agent in env.agent_iter():
            observation, _, terminated, _, _ = env.last()
            env.step(None if terminated else env.action_space(agent).sample(observation["action_mask"]))
            decisions += not terminated
        return decisions

    return {"AEC env": play}


def torchrl() -> dict[str, Callable[[], int]]:
    """Rollouts of TorchRL with random legal actions."""
    import torch
    from torchrl.envs import ActionMask, GymEnv, GymWrapper, SerialEnv, TransformedEnv

    torch.set_num_threads(1)
    games = gym.make_vec(GAME, NUM_ENVS, obs_mode="torchrl", autoreset_mode="Disabled")
    native = TransformedEnv(GymWrapper(games, categorical_action_encoding=True), ActionMask())

    def one() -> Any:
        return GymEnv(GAME, obs_mode="torchrl", categorical_action_encoding=True)

    separate = TransformedEnv(SerialEnv(NUM_ENVS, one), ActionMask())
    return {
        name: lambda env=env: env.rollout(50, break_when_any_done=False).numel()  # type: ignore[misc]
        for name, env in {"native": native, "separate": separate}.items()
    }


def rllib() -> dict[str, Callable[[], int]]:
    """Samples of RLlib's env runner for PPO, with an acting network."""
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    ray.init(num_cpus=2, include_dashboard=False)
    runners = {}
    for name, mode in (("native", "vector_entry_point"), ("separate", "sync")):
        config = (
            PPOConfig()
            .environment(GAME, env_config={"obs_mode": "rllib"})
            .env_runners(num_envs_per_env_runner=NUM_ENVS, gym_env_vectorize_mode=mode)
            .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
        )
        runners[name] = SingleAgentEnvRunner(config=config)

    def sample(runner: Any) -> int:
        return sum(len(episode) for episode in runner.sample(num_timesteps=2048))

    return {name: lambda runner=runner: sample(runner) for name, runner in runners.items()}  # type: ignore[misc]


def tianshou() -> dict[str, Callable[[], int]]:
    """Tianshou's collector for DQN, with an acting network."""
    import torch
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.utils.net.common import Net

    torch.set_num_threads(1)
    env: Any = gym.make(GAME, obs_mode="tianshou")
    num_actions = int(env.action_space.n)
    policy: Any = DiscreteQLearningPolicy(
        model=Net(state_shape=env.observation_space["obs"].shape, action_shape=num_actions, hidden_sizes=[256, 256]),
        action_space=env.action_space,
        observation_space=env.observation_space,
        eps_training=1.0,
    )
    games = DummyVectorEnv([lambda: gym.make(GAME, obs_mode="tianshou")] * NUM_ENVS)
    collector: Any = Collector(policy, games, VectorReplayBuffer(20_000, NUM_ENVS), exploration_noise=True)
    collector.reset()
    return {"separate": lambda: int(collector.collect(n_step=2048).n_collected_steps)}


LIBRARIES = {one.__name__: one for one in (gymnasium, pettingzoo, torchrl, rllib, tianshou)}


def measure(ways: dict[str, Callable[[], int]], turns: int) -> None:
    """Print the median, lowest and highest of the turns, and the ratio of the first way to the second."""
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for play in ways.values():
        play()
    for _ in range(turns):
        for name, play in ways.items():
            begun, decisions = time.process_time(), 0
            while time.process_time() - begun < 1.0:
                decisions += play()
            rates[name].append(decisions / (time.process_time() - begun))
    for name, found in rates.items():
        print(f"  {name}: {statistics.median(found):,.0f} [{min(found):,.0f}, {max(found):,.0f}]")
    if len(rates) == 2:
        ratios = [one / other for one, other in zip(*rates.values(), strict=True)]
        print(f"  ratio: {statistics.median(ratios):.2f} [{min(ratios):.2f}, {max(ratios):.2f}]")


def main() -> None:
    """Measure the libraries named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+", choices=list(LIBRARIES))
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    for library in arguments.libraries:
        print(f"{library}, {GAME}, decisions per CPU second: median [lowest, highest]")
        measure(LIBRARIES[library](), arguments.turns)


if __name__ == "__main__":
    main()

"""What the benchmarks measure: cardgym's envs, those of other libraries, and trainings.

Each function prepares one side and returns `measure`, which steps it for some seconds and returns the players'
decisions per second of processor time. This includes sampling the actions unless a docstring says otherwise. Each
library is imported only inside its functions, because the module runs in every library's environment.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Measure = Callable[[], float]


def _rate(step: Callable[[], int], seconds: float, clock: Callable[[], float] = time.process_time) -> Measure:
    """Measure `step`, which returns the number of its decisions; the first call may compile and is not measured."""
    step()

    def measure() -> float:
        decisions, start = 0, clock()
        while clock() - start < seconds:
            decisions += step()
        return decisions / (clock() - start)

    return measure


# -- cardgym ----------------------------------------------------------------------------------------------------------


def vector_env(game: str, rows: int, seconds: float, num_threads: int | None = None) -> Measure:
    """A vector env with mask and observation for every decision; uniform legal actions.

    With a number of threads, decisions a second by the clock on the wall.
    """
    import gymnasium

    import cardgym  # noqa: F401

    try:
        from cardgym.engine.batch import LegalSampler
    except ImportError:  # Earlier checkouts have a module for it.
        from cardgym.engine.sampling import LegalSampler

    threads = {} if num_threads is None else {"num_threads": num_threads}
    env: Any = gymnasium.make_vec(game, num_envs=rows, seat="all", **threads)
    sampler = LegalSampler(0)
    _, info = env.reset(seed=0)

    def step() -> int:
        nonlocal info
        acting = info["seat"] >= 0  # The other rows start their next game in this step, which is not a decision.
        info = env.step(sampler(info["action_mask"]))[4]
        return int(np.count_nonzero(acting))

    for _ in range(50):
        step()
    return _rate(step, seconds, time.process_time if num_threads is None else time.perf_counter)


def single_env(game: str, seconds: float) -> Measure:
    """An env from `gymnasium.make`; actions are sampled in advance, and an illegal one becomes a random legal one."""
    import gymnasium

    import cardgym  # noqa: F401

    return _played_alone(gymnasium.make(game, seat="all", illegal_action="random"), seconds)


def _played_alone(env: Any, seconds: float) -> Measure:
    """A single env of Gymnasium with any actions of its space."""
    actions = np.random.default_rng(0).integers(0, env.action_space.n, 1 << 12).tolist()
    env.reset(seed=0)

    def step() -> int:
        for action in actions:
            if env.step(action)[2]:
                env.reset()
        return len(actions)

    return _rate(step, seconds)


def training(checkout: str, steps: int) -> Measure:
    """train/dqn.py with double DQN's config for CorellianSpike-v0."""
    return _script(checkout, "dqn", ["--config", "configs/corellian_spike/double_dqn.toml"], steps)


def dqn(checkout: str, steps: int) -> Measure:
    """train/dqn.py for CorellianSpike-v0 against `random`: double DQN, an update of 512 every 64 decisions."""
    words = ["--config", "configs/corellian_spike/double_dqn.toml", "--opponents", "random=1"]
    return _script(checkout, "dqn", [*words, "--num-envs", "64", "--batch-size", "512"], steps)


def ppo(checkout: str, steps: int) -> Measure:
    """train/ppo.py for CorellianSpike-v0, in one seat against `random`, as plain PPO without a magnet."""
    words = ["--env-id", "CorellianSpike-v0", "--opponents", "random=1", "--magnet", "none"]
    return _script(checkout, "ppo", [*words, *(word for pair in PPO.items() for word in pair)], steps)


PPO = {"--num-envs": "512", "--num-steps": "32", "--update-epochs": "2", "--num-minibatches": "16"}
"""The sizes that both sides of PPO's comparison have; both networks have two hidden layers of 128 units."""


def training_on(device: str, name: str, config: str, hidden_sizes: list[int], steps: int) -> Measure:
    """A config of this checkout on `cpu` or `cuda`; decisions a second by the clock on the wall."""
    words = ["--config", config, "--device", device, "--hidden-sizes", *map(str, hidden_sizes)]
    if name == "dqn":
        words += ["--learning-starts", "0"]  # So short a training would be over before its first update.
    return _script(str(Path(__file__).parents[1]), name, words, steps, time.perf_counter)


def _script(
    checkout: str, name: str, words: list[str], steps: int, clock: Callable[[], float] = time.process_time
) -> Measure:
    """A training: decisions a second from its loop's start to its end, without evaluations and saving.

    `checkout` is where configs/ is.
    """
    from cardgym.cli import main
    from cardgym.learn import network_training

    started = rate = 0.0

    class Timed(network_training.NetworkTraining):
        def start(self, *arguments: Any, **parts: Any) -> None:
            nonlocal started
            super().start(*arguments, **parts)
            started = clock()

        def finish(self) -> Any:
            nonlocal rate
            rate = self.step / (clock() - started)  # The last round may exceed the number of steps.
            return super().finish()

    network_training.NetworkTraining = Timed  # type: ignore[misc]

    def measure() -> float:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(checkout), open(os.devnull, "w") as nothing:
            streams, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), nothing, nothing
            try:
                flags = ["--total-steps", str(steps), "--out", str(Path(folder) / "run"), "--eval-every", "0"]
                main(["train", name, *words, *flags, "--final-games", "0", "--save-every", str(2**40)])
            finally:
                sys.stdout, sys.stderr = streams
            return rate

    return measure


# -- other libraries --------------------------------------------------------------------------------------------------


def blackjack_vector(rows: int, seconds: float) -> Measure:
    """Gymnasium's Blackjack-v1 in its SyncVectorEnv; uniform actions."""
    import gymnasium

    env = gymnasium.make_vec("Blackjack-v1", num_envs=rows, vectorization_mode="sync")
    generator = np.random.default_rng(0)
    env.reset(seed=0)
    over = np.zeros(rows, bool)

    def step() -> int:
        nonlocal over
        decisions = int(np.count_nonzero(~over))  # The step after the end resets the env; it is not a decision.
        over = env.step(generator.integers(0, 2, rows))[2]
        return decisions

    return _rate(step, seconds)


def blackjack_single(seconds: float) -> Measure:
    """Gymnasium's Blackjack-v1 through `gymnasium.make`; actions are sampled in advance."""
    import gymnasium

    return _played_alone(gymnasium.make("Blackjack-v1"), seconds)


def openspiel(game: str, seconds: float) -> Measure:
    """A game of OpenSpiel as bare states, without observations; uniform legal actions."""
    import pyspiel

    loaded = pyspiel.load_game(game)
    chooser = random.Random(0)

    def step() -> int:
        decisions, state = 0, loaded.new_initial_state()
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(chooser.choice(state.legal_actions()))
        return decisions

    return _rate(step, seconds)


def pgx(game: str, rows: int, seconds: float) -> Measure:
    """A game of Pgx on JAX, 100 steps of a whole batch in one compiled call, with auto-reset; uniform legal actions."""
    import jax
    import jax.numpy as jnp
    import pgx as library
    from pgx.experimental import auto_reset

    env = library.make(game)
    step_rows = jax.vmap(auto_reset(env.step, env.init))

    def one(carry: Any, _: None) -> Any:
        state, key = carry
        key, key_action, key_step = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(key_action, logits, axis=-1)
        return (step_rows(state, actions, jax.random.split(key_step, rows)), key), None

    play = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=100)[0])
    carry = (jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), rows)), jax.random.key(1))

    def step() -> int:
        nonlocal carry
        carry = jax.block_until_ready(play(carry))
        return 100 * rows  # With auto-reset, every step is a decision.

    return _rate(step, seconds)


def triple_triad(rows: int, seconds: float) -> Measure:
    """PufferLib's card game in C; uniform actions, sampled in advance.

    Steps are counted, not decisions: many choose a card or change nothing, because the action is illegal.
    """
    scratch = tempfile.TemporaryDirectory()
    atexit.register(scratch.cleanup)
    os.chdir(scratch.name)  # PufferLib links its resources into the working folder.
    from pufferlib.ocean.tripletriad.tripletriad import TripleTriad

    env = TripleTriad(num_envs=rows, report_interval=2**40)
    env.reset(0)
    actions = np.random.default_rng(0).integers(0, 14, (64, rows)).astype(np.int32)

    def step() -> int:
        for batch in actions:
            env.step(batch)
        return int(actions.size)

    return _rate(step, seconds)


def puffer_ppo(game: str, steps: int) -> Measure:
    """PufferLib's PPO on one core: on cardgym's env through its Gymnasium wrapper, or on its own card game in C.

    The network has two hidden layers of 128 units, and batch, epochs and minibatches are `PPO`'s; everything else is
    PufferLib's default except for Adam, the optimizer of both sides. Its loop does not mask illegal actions.
    """
    scratch = tempfile.TemporaryDirectory()
    atexit.register(scratch.cleanup)
    os.chdir(scratch.name)  # PufferLib links its resources into the working folder, and saves there.
    import gymnasium
    import pufferlib.emulation
    import pufferlib.pytorch
    import pufferlib.vector
    import torch
    from pufferlib import pufferl

    torch.set_num_threads(1)
    rows, horizon, epochs, minibatches = map(int, PPO.values())
    if game == "triple_triad":
        from pufferlib.ocean.tripletriad.tripletriad import TripleTriad

        envs = TripleTriad(num_envs=rows, report_interval=2**40)
    else:
        import cardgym  # noqa: F401

        def make(buf: Any = None, seed: int = 0) -> Any:
            env = gymnasium.make(game, opponent="random", illegal_action="random")
            return pufferlib.emulation.GymnasiumPufferEnv(env, buf=buf, seed=seed)

        envs = pufferlib.vector.make(make, num_envs=rows, backend=pufferlib.vector.Serial)

    class Policy(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
            layers = [torch.nn.Linear(inputs, 128), torch.nn.ReLU(), torch.nn.Linear(128, 128), torch.nn.ReLU()]
            self.body, self.policy, self.value = (
                torch.nn.Sequential(*layers),
                *(torch.nn.Linear(128, size) for size in (actions, 1)),
            )

        def forward(self, observations: Any, state: Any = None) -> Any:
            hidden = self.body(observations.float())
            return self.policy(hidden), self.value(hidden)

        forward_eval = forward

    sys.argv = ["puffer"]  # Its configs are read together with the command line.
    config = pufferl.load_config("default")["train"] | {
        "device": "cpu", "optimizer": "adam", "use_rnn": False, "env": game, "checkpoint_interval": 2**40,
        "data_dir": scratch.name, "total_timesteps": 2**40, "bptt_horizon": horizon, "batch_size": rows * horizon,
        "update_epochs": epochs, "minibatch_size": rows * horizon // minibatches,
    }  # fmt: skip
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        trainer = pufferl.PuffeRL(config, envs, Policy())
    trainer.utilization.stop()  # Its thread would keep the process from ending.
    updates = max(steps // (rows * horizon), 1)

    def measure() -> float:
        start = time.process_time()
        with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
            for _ in range(updates):
                trainer.evaluate()
                trainer.train()
        return updates * rows * horizon / (time.process_time() - start)

    return measure


def rlcard(game: str, seconds: float) -> Measure:
    """An env of RLCard; uniform legal actions."""
    import rlcard as library

    env = library.make(game, config={"seed": 0})
    chooser = random.Random(0)

    def step() -> int:
        decisions, (state, _) = 0, env.reset()
        while not env.is_over():
            state, _ = env.step(chooser.choice(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return _rate(step, seconds)


def sb3(algorithm: str, steps: int) -> Measure:
    """Stable-Baselines3's DQN or PPO, or sb3-contrib's MaskablePPO, on `CardVecEnv` against `random`; one thread.

    Their sizes are those of `dqn` and `ppo`. Their PPO has separate layers for the policy and the value, its default.
    """
    import sb3_contrib
    import stable_baselines3
    import torch

    from cardgym.interop.sb3 import CardVecEnv

    torch.set_num_threads(1)
    if algorithm == "DQN":
        envs, sizes = 64, {"batch_size": 512, "buffer_size": 200_000, "learning_starts": 10_000, "train_freq": 1}
    else:
        envs, sizes = 512, {"batch_size": 512 * 32 // 16, "n_steps": 32, "n_epochs": 2}
    kind = getattr(stable_baselines3, algorithm, None) or getattr(sb3_contrib, algorithm)

    def measure() -> float:
        env = CardVecEnv("CorellianSpike-v0", envs, illegal_action="random")
        model = kind("MlpPolicy", env, policy_kwargs={"net_arch": [128, 128]}, seed=0, **sizes)
        start = time.process_time()
        model.learn(steps)
        return float(model.num_timesteps / (time.process_time() - start))

    return measure

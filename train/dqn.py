"""DQN and double DQN for any card game of cardgym.

Usage:
    python train/dqn.py --config configs/corellian_spike/double_dqn.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/dqn.md says what differs from the papers and why. The update is in
cardgym.learn.dqn.learner, its formulas are in cardgym.learn.dqn.targets.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from cardgym import find
from cardgym.learn import tags
from cardgym.learn.denormals import flushing_denormals
from cardgym.learn.device import choose_device
from cardgym.learn.dqn.config import DQNConfig
from cardgym.learn.dqn.learner import DQNLearner
from cardgym.learn.dqn.replay import ReplayBuffer
from cardgym.learn.exploration import EpsilonGreedy
from cardgym.learn.resume import Stateful
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import linear
from cardgym.learn.transitions import TransitionBuilder
from cardgym.learn.upkeep import Upkeep
from cardgym.learn.warm_start import load_weights
from cardgym.players.base import resolve
from cardgym.players.networks import NetworkPlayer, network_shape


@flushing_denormals()
def train(config: DQNConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
    torch.manual_seed(config.seed)
    game = find(config.env_id)
    options = game.parse_options(config.env_options)
    observation = config.observation or game.default_observation
    shape = network_shape(game, options, observation, config.hidden_sizes, config.dueling, config.wide)
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name fails now, not after minutes of training.

    # -- the parts: each has a state that is saved --------------------------------------------------------------------
    learner = DQNLearner(
        shape,
        double=config.double,
        discount=config.gamma**config.n_step,
        learning_rate=config.learning_rate,
        adam_epsilon=config.adam_epsilon,
        max_grad_norm=config.max_grad_norm,
        target_update_interval=config.target_update_interval,
        tau=config.tau,
        device=choose_device(config.device),
    )
    if config.init_from:
        for network in (learner.online, learner.target):
            load_weights(network, Path(config.init_from), game, options, observation)
    player = NetworkPlayer("learner", learner.online, observation)
    rollout = SelfPlayRollout.configured(config, game, options, player)
    explore = EpsilonGreedy(np.random.default_rng([config.seed, 2]))
    builder = TransitionBuilder(rollout.num_streams, shape.inputs, shape.actions, config.n_step, config.gamma)
    replay = ReplayBuffer(config.buffer_size, shape.inputs, shape.actions, np.random.default_rng([config.seed, 3]))

    parts: dict[str, Stateful] = {
        "learner": learner, "rollout": rollout, "explore": explore, "builder": builder, "replay": replay,
    }  # fmt: skip
    upkeep = Upkeep(
        config, folder, rollout, player, lambda: learner.online, observation, parts,
        log_every=config.log_every, resume=resume,
    )  # fmt: skip

    # -- the training loop; a step is a decision of the learner -------------------------------------------------------
    step = rollout.decisions
    with upkeep:
        while step < config.total_steps:
            # Act: greedily, or at random with probability epsilon.
            turns = rollout.turns
            decay_steps = int(config.exploration_fraction * config.total_steps)
            epsilon = linear(step, config.exploration_initial_eps, config.exploration_final_eps, decay_steps)
            actions = explore(player.act(turns.observations, turns.masks), turns.masks, epsilon)
            builder.act(turns, actions)
            rollout.step(actions)
            step = rollout.decisions
            upkeep.progress(step)

            # Store the transitions that this completed.
            for transitions in builder.complete(rollout.rewards * config.reward_scale, rollout.turns, rollout.ended):
                replay.add(transitions)

            # Update the network.
            learner.learning_rate = linear(step, config.learning_rate, config.learning_rate_final, config.total_steps)
            updates_due = max(step - config.learning_starts, 0) // config.train_frequency
            while learner.updates < updates_due and replay.size:
                learner.update(replay.sample(config.batch_size, learner.device))
            upkeep(step, {tags.EPSILON: epsilon, tags.LEARNING_RATE: learner.learning_rate}, learner.statistics)
        results = upkeep.finish()
    return TrainingResult(f"{config.total_steps:,} steps", results, ("Checkpoint", upkeep.checkpoint))


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("dqn.py", DQNConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

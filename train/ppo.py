"""Masked PPO in self-play for any card game of cardgym.

Usage:
    python train/ppo.py --config examples/kuhn_poker/configs/ppo.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/ppo.md says what the magnet is for. The update is in
cardgym.learn.ppo.learner, its formulas are in cardgym.learn.ppo.losses, advantages in cardgym.learn.ppo.turns.
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
from cardgym.learn.ppo.config import PPOConfig
from cardgym.learn.ppo.critic import TableCritic
from cardgym.learn.ppo.learner import PPOLearner
from cardgym.learn.ppo.normalization import insert, measure
from cardgym.learn.ppo.turns import TurnBuffer
from cardgym.learn.resume import Stateful
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import linear
from cardgym.learn.upkeep import Upkeep
from cardgym.learn.warm_start import load_weights
from cardgym.players.base import resolve
from cardgym.players.networks import network_shape
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer


@flushing_denormals()
def train(config: PPOConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
    torch.manual_seed(config.seed)
    game = find(config.env_id)
    options = game.parse_options(config.env_options)
    observation = config.observation or game.default_observation
    shape = network_shape(
        game, options, observation, config.hidden_sizes, dueling=False, action_features=config.action_features
    )
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name fails now, not after minutes of training.

    # -- the parts: each has a state that is saved --------------------------------------------------------------------
    network = PolicyNetwork(shape)
    if config.init_from:
        load_weights(network, Path(config.init_from), game, options, observation)
    others_size = shape.inputs * (options.num_players - 1) if config.critic == "all" else 0
    normalizer = None
    if config.normalize:
        first = PolicyPlayer("first", network, observation)
        generator = np.random.default_rng([config.seed, 3])
        normalizer = measure(
            SelfPlayRollout.configured(config, game, options, first), first, generator, others=others_size > 0
        )
        insert(network, normalizer, same_function=bool(config.init_from))
    critic = TableCritic(shape.inputs + others_size, config.hidden_sizes, normalizer) if others_size else None
    device = choose_device(config.device)
    learner = PPOLearner(network, config, device, np.random.default_rng([config.seed, 2]), critic)
    player = PolicyPlayer("learner", learner.averaged, observation)
    rollout = SelfPlayRollout.configured(config, game, options, player)
    capacity = config.num_envs * config.num_steps + rollout.num_streams
    buffer = TurnBuffer(rollout.num_streams, capacity, shape.inputs, shape.actions, others_size)

    parts: dict[str, Stateful] = {"learner": learner, "rollout": rollout, "buffer": buffer}
    upkeep = Upkeep(
        config, folder, rollout, player, learner.checkpoint, observation, parts,
        log_every=config.log_every, resume=resume,
    )  # fmt: skip

    # -- the training loop; a step is a decision of the learner -------------------------------------------------------
    step = rollout.decisions
    with upkeep:
        while step < config.total_steps:
            # Act: sample from the policy, in every seat that learns.
            for _ in range(config.num_steps):
                turns = rollout.turns
                others = rollout.others() if others_size else None
                actions, log_probs, values = learner.act(turns.observations, turns.masks, others)
                buffer.act(turns, actions, log_probs, values, others)
                rollout.step(actions)
                buffer.pay(rollout.rewards * config.reward_scale, rollout.ended)
            step = rollout.decisions
            upkeep.progress(min(step, config.total_steps))

            # Update the network.
            learner.learning_rate = linear(step, config.learning_rate, config.learning_rate_final, config.total_steps)
            learner.ent_coef = linear(step, config.ent_coef, config.ent_coef_final, config.total_steps)
            learner.update(buffer.take(config.gamma, config.gae_lambda))
            schedules = {tags.LEARNING_RATE: learner.learning_rate, tags.ENT_COEF: learner.ent_coef}
            upkeep(step, schedules, learner.statistics)
        results = upkeep.finish()
    return TrainingResult(f"{step:,} steps", results, ("Checkpoint", upkeep.checkpoint))


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("ppo.py", PPOConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Masked PPO in self-play for any card game of cardgym.

Usage:
    python train/ppo.py --config examples/kuhn_poker/configs/ppo.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/ppo.md says what the magnet is for. The update is in
cardgym.learn.ppo.learner with its formulas, advantages are in cardgym.learn.ppo.turns.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.ppo.config import PPOConfig
from cardgym.learn.ppo.learner import PPOLearner
from cardgym.learn.ppo.networks import TableCritic, insert, measure
from cardgym.learn.ppo.turns import TurnBuffer
from cardgym.learn.run import TrainingResult, run_script


def train(config: PPOConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    with NetworkTraining(config, folder) as training:
        # -- the parts ------------------------------------------------------------------------------------------------
        network = training.warm_start(training.policy_network(wide=config.wide, action_features=config.action_features))
        inputs, actions = network.shape.inputs, network.shape.actions
        others_size = inputs * (training.options.num_players - 1) if config.critic == "all" else 0
        normalizer = None
        if config.normalize:
            first = training.player(network)
            normalizer = measure(training.rollout(first), first, training.generator(3), others=others_size > 0)
            insert(network, normalizer, same_function=bool(config.init_from))
        critic = TableCritic(inputs + others_size, config.hidden_sizes, normalizer) if others_size else None
        learner = PPOLearner(network, config, training.device, training.generator(2), critic)
        player = training.player(learner.averaged)
        rollout = training.rollout(player)
        capacity = config.num_envs * config.num_steps + rollout.num_streams
        buffer = TurnBuffer(rollout.num_streams, capacity, inputs, actions, others_size)
        training.start(
            rollout, player, learner.checkpoint, log_every=config.log_every, resume=resume,
            learner=learner, buffer=buffer,
        )  # fmt: skip

        # -- the training loop; a step is a decision of the learner ---------------------------------------------------
        while training.step < config.total_steps:
            # Act: sample from the policy, in every seat that learns.
            for _ in range(config.num_steps):
                turns = rollout.turns
                others = rollout.others() if others_size else None
                chosen, log_probs, values = learner.act(turns.observations, turns.masks, others)
                buffer.act(turns, chosen, log_probs, values, others)
                rollout.step(chosen)
                buffer.pay(rollout.rewards * config.reward_scale, rollout.ended)

            # Update the network.
            learner.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
            learner.ent_coef = training.linear(config.ent_coef, config.ent_coef_final)
            if config.anneal_magnet:
                learner.magnet_tau = training.linear(config.magnet_tau, 0.0)
            learner.update(buffer.take(config.gamma, config.gae_lambda))
            training.report(learner.statistics, learning_rate=learner.learning_rate, ent_coef=learner.ent_coef)
        return training.finish()


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("ppo.py", PPOConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""DQN and double DQN for any card game of cardgym.

Usage:
    python train/dqn.py --config configs/corellian_spike/double_dqn.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/dqn.md says what differs from the papers and why. The update and
its formulas are in cardgym.learn.dqn.learner.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cardgym.learn.buffers import ReplayBuffer
from cardgym.learn.dqn.config import DQNConfig
from cardgym.learn.dqn.learner import DQNLearner, EpsilonGreedy
from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.transitions import TransitionBuilder


def train(config: DQNConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    with NetworkTraining(config, folder) as training:
        # -- the parts ------------------------------------------------------------------------------------------------
        network = training.warm_start(training.q_network(dueling=config.dueling, wide=config.wide))
        learner = DQNLearner(network, config, training.device)
        player = training.player(learner.network)
        rollout = training.rollout(player)
        explore = EpsilonGreedy(training.generator(2))
        inputs, actions = network.shape.inputs, network.shape.actions
        builder = TransitionBuilder(rollout.num_streams, inputs, actions, config.n_step, config.gamma)
        replay = ReplayBuffer(config.buffer_size, inputs, actions, training.generator(3))
        training.start(
            rollout, player, lambda: learner.network, log_every=config.log_every, resume=resume,
            learner=learner, explore=explore, builder=builder, replay=replay,
        )  # fmt: skip

        # -- the training loop; a step is a decision of the learner ---------------------------------------------------
        while training.step < config.total_steps:
            # Act: greedily, or at random with probability epsilon.
            turns = rollout.turns
            epsilon = training.linear(
                config.exploration_initial_eps, config.exploration_final_eps, config.exploration_fraction
            )
            chosen = explore(player.act(turns.observations, turns.masks), turns.masks, epsilon)
            builder.act(turns, chosen)
            rollout.step(chosen)

            # Store the transitions that this completed.
            for transitions in builder.complete(rollout.rewards * config.reward_scale, rollout.turns, rollout.ended):
                replay.add(transitions)

            # Update the network.
            learner.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
            updates_due = max(training.step - config.learning_starts, 0) // config.train_frequency
            while learner.updates < updates_due and replay.size:
                learner.update(replay.sample(config.batch_size, learner.device))
            training.report(learner.statistics, epsilon=epsilon, learning_rate=learner.learning_rate)
        return training.finish()


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("dqn.py", DQNConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

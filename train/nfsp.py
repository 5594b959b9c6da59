"""Neural fictitious self-play for any card game of cardgym.

Usage:
    python train/nfsp.py --config examples/leduc_poker/configs/nfsp.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/more.md describes the algorithm. Best responses are learned as in
train/dqn.py; nfsp_learner.py has the average policy, and chooses between the two.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cardgym.learn.buffers import ReplayBuffer
from cardgym.learn.dqn.config import NFSPConfig
from cardgym.learn.dqn.learner import DQNLearner
from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.transitions import TransitionBuilder
from nfsp_learner import AverageLearner, Behavior, ReservoirBuffer


def train(config: NFSPConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    with NetworkTraining(config, folder) as training:
        # -- the parts ------------------------------------------------------------------------------------------------
        network = training.q_network(dueling=config.dueling, wide=config.wide)
        best = DQNLearner(network, config, training.device)
        average = AverageLearner(training.warm_start(training.policy_network()), config, training.device)
        player, responder = training.player(average.network), training.player(best.network, "best response")
        rollout = training.rollout(player)
        behavior = Behavior(responder, player, rollout.num_streams, config.anticipatory_param, training.generator(2, 0))
        inputs, actions = network.shape.inputs, network.shape.actions
        builder = TransitionBuilder(rollout.num_streams, inputs, actions, config.n_step, config.gamma)
        replay = ReplayBuffer(config.buffer_size, inputs, actions, training.generator(2, 1))
        reservoir = ReservoirBuffer(config.reservoir_size, inputs, actions, training.generator(2, 2))
        training.start(
            rollout, player, lambda: average.network, log_every=config.log_every, resume=resume,
            best=best, average=average, behavior=behavior, builder=builder, replay=replay, reservoir=reservoir,
        )  # fmt: skip

        # -- the training loop; a step is a decision of the learner ---------------------------------------------------
        while training.step < config.total_steps:
            # Act: each seat with its best response or the average policy, whichever it plays in this game.
            turns = rollout.turns
            epsilon = training.linear(
                config.exploration_initial_eps, config.exploration_final_eps, config.exploration_fraction
            )
            chosen = behavior.act(turns, epsilon)
            builder.act(turns, chosen)
            rollout.step(chosen)

            # Store all transitions for the best response, and its own decisions for the average policy.
            for transitions in builder.complete(rollout.rewards * config.reward_scale, rollout.turns, rollout.ended):
                replay.add(transitions)
            reservoir.add(behavior.decisions(turns, chosen))
            behavior.start(rollout.ended)

            # Update both networks.
            best.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
            average.learning_rate = training.linear(config.sl_learning_rate, config.sl_learning_rate_final)
            updates_due = max(training.step - config.learning_starts, 0) // config.train_frequency
            while best.updates < updates_due and replay.size and reservoir.size:
                best.update(replay.sample(config.batch_size, best.device))
                average.update(reservoir.sample(config.batch_size, average.device))
            training.report(best.statistics, average.statistics, epsilon=epsilon, learning_rate=best.learning_rate)
        return training.finish()


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("nfsp.py", NFSPConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

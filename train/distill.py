"""Imitate any player of any card game of cardgym with a policy network.

Usage:
    python train/distill.py --config configs/cribbage/distill.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/more.md says what the teacher's share is for. The update and the
teacher are in distill_learner.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.run import TrainingResult, run_script
from distill_learner import DistillConfig, DistillLearner, Labeled, Teacher


def train(config: DistillConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    with NetworkTraining(config, folder) as training:
        # -- the parts ------------------------------------------------------------------------------------------------
        teacher = Teacher(training.game, training.options, config.teacher, config.temperature, training.generator(3))
        network = training.warm_start(training.policy_network(wide=config.wide))
        learner = DistillLearner(network, config, training.device, training.generator(2))
        player = training.player(learner.network, samples=not config.eval_greedy)
        rollout = training.rollout(player)
        training.start(
            rollout, player, lambda: learner.network, log_every=config.log_every, resume=resume,
            learner=learner, teacher=teacher,
        )  # fmt: skip

        # -- the training loop; a step is a decision, of the teacher or the network -----------------------------------
        while training.step < config.total_steps:
            # Play, and ask the teacher at every decision.
            share = training.linear(config.teacher_share, config.teacher_share_final)
            labeled = []
            for _ in range(config.num_steps):
                turns = rollout.turns
                targets = teacher.targets(rollout.states, turns.streams % training.options.num_players, turns.masks)
                free = np.flatnonzero(turns.masks.sum(axis=1) > 1)  # Forced moves teach nothing.
                labeled.append((turns.observations[free], turns.masks[free] != 0, targets[free]))
                rollout.step(learner.act(turns.observations, turns.masks, targets, share))

            # Update the network.
            learner.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
            learner.update(Labeled(*(np.concatenate(field) for field in zip(*labeled, strict=True))))
            training.report(learner.statistics, learning_rate=learner.learning_rate, teacher_share=share)
        return training.finish()


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("distill.py", DistillConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

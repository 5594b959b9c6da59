"""Q-learning and Sarsa over a table, for any card game of cardgym.

Usage:
    python train/tabular.py --config configs/one_play_poker/q_learning.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/more.md describes the algorithms. The update is in
cardgym.learn.tabular.loop, compiled.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.tabular.config import TabularConfig
from cardgym.learn.tabular.learner import TabularLearner
from cardgym.learn.training import Training

CHUNK = 50_000
"""The compiled loop runs for at most this many steps before the progress bar moves."""


def train(config: TabularConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    with Training(config, folder) as training:
        learner = TabularLearner(training.game, training.options, config)
        training.begin(
            lambda: learner.decisions, learner.player, learner.save, {"learner": learner},
            checkpoint="q_table.safetensors" if config.observation else "policy.json", log_every=1, resume=resume,
        )  # fmt: skip

        # -- the training loop; a step is a decision of the learner ---------------------------------------------------
        while training.step < config.total_steps:
            learner.advance(next_stop(training.step, config))
            # The compiled loop computes the same two schedules at each step.
            epsilon = training.linear(
                config.exploration_initial_eps, config.exploration_final_eps, config.exploration_fraction
            )
            alpha = training.linear(config.learning_rate, config.learning_rate_final)
            training.report(learner.episode_statistics, epsilon=epsilon, learning_rate=alpha, states=learner.states)
        return training.finish()


def next_stop(step: int, config: TabularConfig) -> int:
    """The step at which the learner has to pause next."""
    intervals = [every for every in (config.save_every, config.eval_every) if every]
    return min(step + CHUNK, config.total_steps, *((step // every + 1) * every for every in intervals))


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("tabular.py", TabularConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

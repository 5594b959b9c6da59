"""Imitate any player of any card game of cardgym with a policy network.

Usage:
    python train/distill.py --config configs/cribbage/distill.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/distillation.md says what the teacher's share is for. The update
is in cardgym.learn.distill.learner; cardgym.learn.distill.teacher asks the player that is imitated.
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
from cardgym.learn.distill.config import DistillConfig
from cardgym.learn.distill.learner import DistillLearner, Labelled
from cardgym.learn.distill.teacher import Teacher
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
def train(config: DistillConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
    torch.manual_seed(config.seed)
    game = find(config.env_id)
    options = game.parse_options(config.env_options)
    observation = config.observation or game.default_observation
    shape = network_shape(game, options, observation, config.hidden_sizes, dueling=False, wide=config.wide)
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name fails now, not after minutes of training.

    # -- the parts: each has a state that is saved --------------------------------------------------------------------
    teacher = Teacher(game, options, config.teacher, config.temperature, np.random.default_rng([config.seed, 3]))
    network = PolicyNetwork(shape)
    if config.init_from:
        load_weights(network, Path(config.init_from), game, options, observation)
    learner = DistillLearner(network, config, choose_device(config.device), np.random.default_rng([config.seed, 2]))
    player = PolicyPlayer("learner", learner.network, observation, samples=not config.eval_greedy)
    rollout = SelfPlayRollout.configured(config, game, options, player)

    parts: dict[str, Stateful] = {"learner": learner, "teacher": teacher, "rollout": rollout}
    upkeep = Upkeep(
        config, folder, rollout, player, lambda: learner.network, observation, parts,
        log_every=config.log_every, resume=resume,
    )  # fmt: skip

    # -- the training loop; a step is a decision, of the teacher or the network ---------------------------------------
    step = rollout.decisions
    with upkeep:
        while step < config.total_steps:
            # Play, and ask the teacher at every decision.
            share = linear(step, config.teacher_share, config.teacher_share_final, config.total_steps)
            labelled = []
            for _ in range(config.num_steps):
                turns = rollout.turns
                targets = teacher.targets(rollout.states, turns.streams % options.num_players, turns.masks)
                open_rows = np.flatnonzero(turns.masks.sum(axis=1) > 1)  # Only these are decisions to learn from.
                labelled.append((turns.observations[open_rows], turns.masks[open_rows] != 0, targets[open_rows]))
                rollout.step(learner.act(turns.observations, turns.masks, targets, share))
            step = rollout.decisions
            upkeep.progress(min(step, config.total_steps))

            # Update the network.
            learner.learning_rate = linear(step, config.learning_rate, config.learning_rate_final, config.total_steps)
            learner.update(Labelled(*(np.concatenate(field) for field in zip(*labelled, strict=True))))
            upkeep(step, {tags.LEARNING_RATE: learner.learning_rate, tags.TEACHER_SHARE: share}, learner.statistics)
        results = upkeep.finish()
    return TrainingResult(f"{config.total_steps:,} steps", results, ("Checkpoint", upkeep.checkpoint))


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("distill.py", DistillConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

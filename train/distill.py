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
from cardgym.console import Progress
from cardgym.learn import tags
from cardgym.learn.action_shares import ActionPictures, Watched
from cardgym.learn.denormals import flushing_denormals
from cardgym.learn.device import choose_device
from cardgym.learn.distill.config import DistillConfig
from cardgym.learn.distill.learner import DistillLearner, Labelled
from cardgym.learn.distill.teacher import Teacher
from cardgym.learn.evaluation import Metrics, evaluate_learner, log_evaluation, summary, write_results
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.resume import STATE_FILE, Stateful, load_parts, save_parts
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import crossed, linear
from cardgym.learn.starting import load_weights
from cardgym.learn.stopping import Saving
from cardgym.learn.stopwatch import Stopwatch
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players.base import Player, resolve
from cardgym.players.checkpoints import save_checkpoint
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
    pool = OpponentPool.parse(config.opponents)
    rollout = SelfPlayRollout(
        game, options, config.num_envs, pool, player,
        seed=config.seed, snapshots=config.num_snapshots, seat=config.seat, zero_sum=config.zero_sum,
    )  # fmt: skip

    parts: dict[str, Stateful] = {"learner": learner, "teacher": teacher, "rollout": rollout}
    state_file, checkpoint = folder / STATE_FILE, folder / "model.safetensors"
    if resume and state_file.exists():
        load_parts(state_file, config, parts)

    # -- the training loop; a step is a decision, of the teacher or the network ---------------------------------------
    step = rollout.decisions
    stopwatch, saving = Stopwatch(step), Saving(config.save_every_minutes)
    with (
        TensorBoard(folder, step) as board,
        Progress("training", "steps", total=config.total_steps, done=step, lines=True) as progress,
    ):
        board.hyper_parameters(config.model_dump())
        pictures = ActionPictures(board, rollout)
        while step < config.total_steps:
            # Play, and ask the teacher at every decision.
            last_step = step
            share = linear(step, config.teacher_share, config.teacher_share_final, config.total_steps)
            labelled = []
            for _ in range(config.num_steps):
                turns = rollout.turns
                targets = teacher.targets(rollout.states, turns.streams % options.num_players, turns.masks)
                open_rows = np.flatnonzero(turns.masks.sum(axis=1) > 1)  # Only these are decisions to learn from.
                labelled.append((turns.observations[open_rows], turns.masks[open_rows] != 0, targets[open_rows]))
                rollout.step(learner.act(turns.observations, turns.masks, targets, share))
            step = rollout.decisions
            progress(min(step, config.total_steps))

            # Update the network.
            learner.learning_rate = linear(step, config.learning_rate, config.learning_rate_final, config.total_steps)
            learner.update(Labelled(*(np.concatenate(field) for field in zip(*labelled, strict=True))))
            if crossed(config.snapshot_every, last_step, step):
                rollout.snapshots.take(player)

            # Log, evaluate, save.
            if crossed(config.log_every, last_step, step):
                board.scalars(step, {tags.LEARNING_RATE: learner.learning_rate, tags.TEACHER_SHARE: share})
                board.scalars(step, {tags.SPS: stopwatch.lap_rate(step), **rollout.episodes.statistics()})
                board.scalars(step, learner.statistics())
            if config.eval_opponents and crossed(config.eval_every, last_step, step):
                with stopwatch.paused():
                    watched = Watched(player)
                    evaluation = evaluate(config, rollout, watched, config.eval_games)
                    progress.note(summary(log_evaluation(board, step, evaluation)))
                    pictures.draw(step, watched)
            if crossed(config.save_every, last_step, step) or step >= config.total_steps or saving.due():
                board.flush()
                save_checkpoint(checkpoint, learner.network, game, options, observation, config.model_dump())
                save_parts(state_file, config, parts)  # Last: if it is there to resume from, so is the checkpoint.
                saving.done()  # The run ends here if it was asked to.

        # -- the final evaluation -------------------------------------------------------------------------------------
        speed = {"seconds": stopwatch.seconds, "decisions_per_second": stopwatch.rate(step)}
        results: dict[str, Metrics] = {}
        if config.final_games and config.eval_opponents:
            progress.note(f"final evaluation, {config.final_games:,} games against each opponent")
            results = evaluate(config, rollout, player, config.final_games)
        write_results(folder, board, config.model_dump(), step, results, **speed)
    return TrainingResult(f"{config.total_steps:,} steps", results, ("Checkpoint", checkpoint))


def evaluate(config: DistillConfig, rollout: SelfPlayRollout, player: Player, games: int) -> dict[str, Metrics]:
    """Match the player with each opponent: as it draws its actions, or with the most probable ones."""
    return evaluate_learner(rollout.game, rollout.options, player, config.eval_opponents, games=games, seat=config.seat)


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("distill.py", DistillConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

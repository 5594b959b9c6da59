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
from cardgym.console import Progress
from cardgym.learn import tags
from cardgym.learn.acting import EpsilonGreedy
from cardgym.learn.action_shares import ActionPictures, Watched
from cardgym.learn.denormals import flushing_denormals
from cardgym.learn.device import choose_device
from cardgym.learn.dqn.config import DQNConfig
from cardgym.learn.dqn.learner import DQNLearner
from cardgym.learn.dqn.replay import ReplayBuffer
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
from cardgym.learn.transitions import TransitionBuilder
from cardgym.players.base import Player, resolve
from cardgym.players.checkpoints import save_checkpoint
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
    pool = OpponentPool.parse(config.opponents)
    rollout = SelfPlayRollout(
        game, options, config.num_envs, pool, player,
        seed=config.seed, snapshots=config.num_snapshots, seat=config.seat, zero_sum=config.zero_sum,
    )  # fmt: skip
    explore = EpsilonGreedy(np.random.default_rng([config.seed, 2]))
    builder = TransitionBuilder(rollout.num_streams, shape.inputs, shape.actions, config.n_step, config.gamma)
    replay = ReplayBuffer(config.buffer_size, shape.inputs, shape.actions, np.random.default_rng([config.seed, 3]))

    parts: dict[str, Stateful] = {
        "learner": learner, "rollout": rollout, "explore": explore, "builder": builder, "replay": replay,
    }  # fmt: skip
    state_file, checkpoint = folder / STATE_FILE, folder / "model.safetensors"
    if resume and state_file.exists():
        load_parts(state_file, config, parts)

    # -- the training loop; a step is a decision of the learner -------------------------------------------------------
    step = rollout.decisions
    stopwatch, saving = Stopwatch(step), Saving(config.save_every_minutes)
    with (
        TensorBoard(folder, step) as board,
        Progress("training", "steps", total=config.total_steps, done=step, lines=True) as progress,
    ):
        board.hyper_parameters(config.model_dump())
        pictures = ActionPictures(board, rollout)
        while step < config.total_steps:
            # Act: greedily, or at random with probability epsilon.
            turns = rollout.turns
            decay_steps = int(config.exploration_fraction * config.total_steps)
            epsilon = linear(step, config.exploration_initial_eps, config.exploration_final_eps, decay_steps)
            actions = explore(player.act(turns.observations, turns.masks), turns.masks, epsilon)
            builder.act(turns, actions)
            rollout.step(actions)
            last_step, step = step, rollout.decisions
            progress(step)

            # Store the transitions that this completed.
            for transitions in builder.complete(rollout.rewards * config.reward_scale, rollout.turns, rollout.ended):
                replay.add(transitions)

            # Update the network.
            learner.learning_rate = linear(step, config.learning_rate, config.learning_rate_final, config.total_steps)
            updates_due = max(step - config.learning_starts, 0) // config.train_frequency
            while learner.updates < updates_due and replay.size:
                learner.update(replay.sample(config.batch_size, learner.device))
            if crossed(config.snapshot_every, last_step, step):
                rollout.snapshots.take(player)

            # Log, evaluate, save.
            if crossed(config.log_every, last_step, step):
                board.scalars(step, {tags.EPSILON: epsilon, tags.LEARNING_RATE: learner.learning_rate})
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
                save_checkpoint(checkpoint, learner.online, game, options, observation, config.model_dump())
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


def evaluate(config: DQNConfig, rollout: SelfPlayRollout, player: Player, games: int) -> dict[str, Metrics]:
    """Match the greedy player with each opponent."""
    return evaluate_learner(rollout.game, rollout.options, player, config.eval_opponents, games=games, seat=config.seat)


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("dqn.py", DQNConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Q-learning and Sarsa over a table, for any card game of cardgym.

Usage:
    python train/tabular.py --config configs/one_play_poker/q_learning.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/tabular.md describes the algorithms. The update is in
cardgym.learn.tabular.loop, compiled.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from cardgym import find
from cardgym.console.progress import Progress
from cardgym.learn import tags
from cardgym.learn.evaluation import Metrics, evaluate_learner, log_evaluation, summary, write_results
from cardgym.learn.resume import STATE_FILE, load_parts, save_parts
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import linear
from cardgym.learn.signals import Saving
from cardgym.learn.tabular.config import TabularConfig
from cardgym.learn.tabular.learner import TabularLearner
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players.base import resolve
from cardgym.players.policy_file import save_policy
from cardgym.players.q_table import save_q_table

CHUNK = 50_000
"""The compiled loop runs for at most this many steps before the progress bar moves."""


def train(config: TabularConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    game = find(config.env_id)
    options = game.parse_options(config.env_options)
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name fails now, not after minutes of training.
    learner = TabularLearner(game, options, config)
    state_file, checkpoint = (
        folder / STATE_FILE,
        folder / ("q_table.safetensors" if config.observation else "policy.json"),
    )
    if resume and state_file.exists():
        load_parts(state_file, config, {"learner": learner})

    # -- the training loop; a step is a decision of the learner -------------------------------------------------------
    step = learner.decisions
    saving = Saving(config.save_every_minutes)
    with (
        TensorBoard(folder, step) as board,
        Progress("training", "steps", total=config.total_steps, done=step, lines=True) as progress,
    ):
        board.hyper_parameters(config.model_dump())
        while step < config.total_steps:
            # Play and learn, up to the next evaluation or checkpoint.
            last_step, start = step, time.perf_counter()
            learner.advance(next_stop(step, config))
            step = learner.decisions
            progress(step)

            # Log, evaluate, save.
            board.scalars(step, schedules(step, config))
            board.scalars(step, {tags.STATES: learner.states, **learner.episode_statistics()})
            board.scalars(step, {tags.SPS: (step - last_step) / (time.perf_counter() - start)})
            if config.eval_opponents and config.eval_every and step % config.eval_every == 0:
                evaluation = evaluate(config, learner, config.eval_games)
                progress.note(summary(log_evaluation(board, step, evaluation)))
            if step % config.save_every == 0 or step >= config.total_steps or saving.due():
                board.flush()
                if config.observation:
                    q_table = learner.table()
                    save_q_table(checkpoint, q_table, game, options, config.observation, config.model_dump())
                else:
                    save_policy(checkpoint, learner.policy(), game, options, algorithm=config.algorithm)
                # Last: if it is there to resume from, so is the checkpoint.
                save_parts(state_file, config, {"learner": learner})
                saving.done()  # The run ends here if it was asked to.

        # -- the final evaluation -------------------------------------------------------------------------------------
        results: dict[str, Metrics] = {}
        if config.final_games and config.eval_opponents:
            progress.note(f"final evaluation, {config.final_games:,} games against each opponent")
            results = evaluate(config, learner, config.final_games)
        write_results(folder, board, config.model_dump(), step, results)
    return TrainingResult(f"{config.total_steps:,} steps", results, ("Checkpoint", checkpoint))


def next_stop(step: int, config: TabularConfig) -> int:
    """The step up to which the learner may run without a pause."""
    stops = [step + CHUNK, config.total_steps, next_multiple(step, config.save_every)]
    if config.eval_every:
        stops.append(next_multiple(step, config.eval_every))
    return min(stops)


def next_multiple(step: int, every: int) -> int:
    """The next multiple of `every` after `step`."""
    return (step // every + 1) * every


def schedules(step: int, config: TabularConfig) -> dict[str, float]:
    """Epsilon and alpha at a step, as the compiled loop has them."""
    decay_steps = int(config.exploration_fraction * config.total_steps)
    return {
        tags.EPSILON: linear(step, config.exploration_initial_eps, config.exploration_final_eps, decay_steps),
        tags.LEARNING_RATE: linear(step, config.learning_rate, config.learning_rate_final, config.total_steps),
    }


def evaluate(config: TabularConfig, learner: TabularLearner, games: int) -> dict[str, Metrics]:
    """Match the greedy player with each opponent."""
    return evaluate_learner(
        learner.game, learner.options, learner.player(), config.eval_opponents, games=games, seat=config.seat
    )


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("tabular.py", TabularConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

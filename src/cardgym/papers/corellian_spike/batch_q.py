"""`cardgym batch-q`: train the batch Q-learning of the Corellian Spike paper.

Usage:
    cardgym batch-q --config configs/corellian_spike/batch_q.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/more.md describes the algorithm and its
results. The policy files `policy_<iteration>.json` are players.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from cardgym.console.progress import Progress
from cardgym.engine.registry import find
from cardgym.learn import tags
from cardgym.learn.evaluation import evaluate_learner, log_evaluation, summary, write_results
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.saved_state import STATE_FILE, has_state, load_parts, save_parts
from cardgym.learn.signals import Saving
from cardgym.learn.tags import Metrics
from cardgym.learn.tensorboard import TensorBoard
from cardgym.papers.corellian_spike.learner import ENV, BatchQ, BatchQConfig
from cardgym.papers.corellian_spike.states import NEVER
from cardgym.players import resolve

CONFIG = "configs/corellian_spike/batch_q.toml"


def train(config: BatchQConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from scratch or from the saved state."""
    game = find(ENV)
    options: Any = game.parse_options({"reward": "credits", **config.env_options})
    for name in config.eval_opponents:
        resolve(name, game, options)  # An unknown name fails now, not after training.
    run = BatchQ(options, config)
    state_file = folder / STATE_FILE
    if resume and has_state(folder):
        load_parts(state_file, config, {"run": run})

    with (
        TensorBoard(folder, run.iteration) as board,
        Progress("training", "iterations", total=config.num_iterations, done=run.iteration, lines=True) as progress,
    ):
        board.hyper_parameters(config.model_dump())
        saving = Saving(config.save_every_minutes)
        if run.iteration == 0:
            save(run, folder, board)
        while run.iteration < config.num_iterations:
            epsilon, start = run.epsilon, time.perf_counter()
            run.iterate()
            progress(run.iteration)
            board.scalars(
                run.iteration,
                {
                    tags.EPSILON: epsilon,
                    f"{tags.TRAIN}states": int((run.states.values.max(axis=1) > NEVER).sum()),
                    tags.SPS: run.transitions / (time.perf_counter() - start),
                    **run.episode_statistics(),
                },
            )
            if run.iteration % config.save_every == 0 or run.iteration == config.num_iterations:
                if config.eval_games and config.eval_opponents:
                    evaluation = evaluate(run, config.eval_games)
                    log_evaluation(board, run.iteration, evaluation)
                    progress.note(summary(evaluation))
                save(run, folder, board)
            if saving.due():
                save_parts(folder / STATE_FILE, run.config, {"run": run})
                saving.done()  # Stops the run here after a signal.

        results: dict[str, Metrics] = {}
        if config.final_games and config.eval_opponents:
            progress.note(f"final evaluation, {config.final_games:,} games against each opponent")
            results = evaluate(run, config.final_games)
        write_results(folder, board, config.model_dump(), run.iteration, results)
    return TrainingResult(f"{config.num_iterations} iterations", results, ("Policies", folder))


def evaluate(run: BatchQ, games: int) -> dict[str, Metrics]:
    """Play the policy against each opponent."""
    return evaluate_learner(find(ENV), run.options, run.player, run.config.eval_opponents, games=games)


def save(run: BatchQ, folder: Path, board: TensorBoard) -> None:
    """Write the policy file (if states are the paper's codes) and the state to resume from."""
    board.flush()
    if run.config.state == "code":
        run.save_policy(folder / f"policy_{run.iteration}.json")
    save_parts(folder / STATE_FILE, run.config, {"run": run})  # Written last: if it exists, so do the policy files.


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    if not words:
        print(
            f"cardgym batch-q: name a config or a key, such as --config {CONFIG}; --help lists them",
            file=sys.stderr,
        )
        return 2
    return run_script("cardgym batch-q", BatchQConfig, train, words)

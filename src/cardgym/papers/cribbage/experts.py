"""`cardgym experts`: train experts at cribbage, eight strategies weighted by both scores and who deals.

Usage:
    cardgym experts --config configs/cribbage/experts.toml [--seed 2] [--out FOLDER] [--resume] ...
    cardgym experts --config configs/cribbage/experts.toml --init runs/.../A.safetensors hand

`--help` lists every hyper-parameter; docs/games/cribbage/research.md says how experts learn and what the paper leaves
open. Their weight files `<games>.safetensors` are players.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from cardgym.console.progress import Progress
from cardgym.games.cribbage.experts import Weights
from cardgym.learn import tags
from cardgym.learn.evaluation import log_evaluation, summary, write_results
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.saved_state import STATE_FILE, has_state, load_parts, save_parts
from cardgym.learn.schedules import Stopwatch, crossed
from cardgym.learn.signals import Saving
from cardgym.learn.tags import Metrics
from cardgym.learn.tensorboard import TensorBoard
from cardgym.papers.cribbage.picture import board_pixels
from cardgym.papers.cribbage.trainer import ExpertsConfig, Trainer
from cardgym.statistics import Interval


@dataclass
class History:
    """The win rates of the first expert with their intervals, after how many games, by opponent."""

    saved: ClassVar[tuple[str, ...]] = ("win_rates",)
    win_rates: list[tuple[int, dict[str, tuple[float, Interval]]]] = field(default_factory=list)


def train(config: ExpertsConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    trainer, history = Trainer(config), History()
    start = trainer.weights()
    trainer.check_opponents()
    parts: dict[str, Any] = {"trainer": trainer, "history": history}
    state_file = folder / STATE_FILE
    if resume and has_state(folder):
        load_parts(state_file, config, parts)

    with (
        TensorBoard(folder, trainer.games) as board,
        Progress("training", "games", total=config.total_games, done=trainer.games, lines=True) as progress,
    ):
        board.hyper_parameters(config.model_dump())
        if not trainer.games:
            progress.note(evaluate(trainer, history, board, start))
            trainer.save_weights(folder)
            save_parts(state_file, config, parts)
        stopwatch, saving = Stopwatch(trainer.games), Saving(config.save_every_minutes)
        while trainer.games < config.total_games:
            last_games = trainer.games
            trainer.advance()
            progress(trainer.games)
            if crossed(config.save_every, last_games, trainer.games) or trainer.games >= config.total_games:
                board.scalars(
                    trainer.games,
                    {"charts/games_per_second": stopwatch.lap_rate(trainer.games), **trainer.statistics()},
                )
                with stopwatch.paused():
                    progress.note(evaluate(trainer, history, board, start))
                    board.flush()
                    trainer.save_weights(folder)
                    save_parts(state_file, config, parts)  # Last: if it is there, so are the weight files.
            if saving.due():
                save_parts(state_file, config, parts)
                saving.done()  # The run ends here if it was asked to.

        results = metrics_of(history.win_rates[-1][1])
        checkpoints = {str(games): win_rates for games, win_rates in history.win_rates}
        write_results(folder, board, config.model_dump(), trainer.games, results, checkpoints=checkpoints)
    return TrainingResult(f"{config.total_games:,} games", results, ("Weights", folder))


def evaluate(trainer: Trainer, history: History, board: TensorBoard, start: Weights) -> str:
    """Match the first expert with each opponent, log and keep the win rates, draw its weights; a summary.

    `start` holds the weights before training, from which the picture tells where something was learned.
    """
    config, games = trainer.config, trainer.games
    win_rates = trainer.evaluate(config.eval_opponents, config.eval_games)
    history.win_rates.append((games, win_rates))
    results = metrics_of(win_rates)
    log_evaluation(board, games, results)
    if len(config.init) == 2 and games:
        board.scalars(games, {"train/win_rate_against_second_expert": trainer.share})
    board.picture("board", games, board_pixels(trainer.weights(), f"after {games:,} games", start))
    return summary(results)


def metrics_of(win_rates: Mapping[str, tuple[float, Interval]]) -> dict[str, Metrics]:
    """Win rates as metrics by opponent."""
    return {name: {tags.WIN_RATE: (rate, (low, high))} for name, (rate, (low, high)) in win_rates.items()}


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("cardgym experts", ExpertsConfig, train, words)

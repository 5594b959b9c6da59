"""Experts at cribbage: eight strategies, weighted by both scores and who deals.

Usage:
    python train/experts.py --config configs/cribbage/experts.toml [--seed 2] [--out FOLDER] [--resume] ...
    python train/experts.py --config configs/cribbage/experts.toml --init runs/.../A.experts.safetensors hand

`--help` lists every hyper-parameter; docs/algorithms/experts.md tells how they learn and what the paper left open.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import Any

from cardgym.games.cribbage.experts.config import ExpertsConfig
from cardgym.games.cribbage.experts.picture import board_pixels
from cardgym.games.cribbage.experts.trainer import Trainer
from cardgym.learn.config import STATE_FILE
from cardgym.learn.log import Figures, Reporter, TensorBoard, conclude
from cardgym.learn.resume import load_resume_state, pack, save_state, unpack
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import crossed

ENV = "Cribbage-v0"


def train(config: ExpertsConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train; expert 0's figures at the last checkpoint, and where the weight files are."""
    trainer = Trainer(config)
    trainer.check_opponents()
    found: dict[str, Any] = {}
    state_file = folder / STATE_FILE
    if resume and state_file.exists():
        state = load_resume_state(state_file, config)
        trainer.load_state(unpack(state["arrays"]))
        found = json.loads(state["found"])

    board = TensorBoard(folder, trainer.games)
    board.config(dataclasses.asdict(config))
    reporter = Reporter(config.games, trainer.games, "games")
    clock = [0.0, 0]  # Seconds of training, and games in them, since the last checkpoint.

    def checkpoint() -> None:
        trainer.save_weights(folder)
        its = trainer.evaluate(config.eval_opponents, config.eval_games)
        found[str(trainer.games)] = its
        board.scalars(trainer.games, {f"win_rate/{name}": rate for name, (rate, _) in its.items()})
        if len(config.init) == 2 and trainer.games:
            board.scalars(trainer.games, {"win_rate/second expert, in training": trainer.share})
        if clock[1]:
            board.scalars(trainer.games, {"games_per_second": clock[1] / max(clock[0], 1e-9)})
        board.picture("board", trainer.games, board_pixels(trainer.weights(), f"after {trainer.games:,} games"))
        clock[:] = [0.0, 0]
        words = ", ".join(f"wins {rate:.1%} against {name}" for name, (rate, _) in its.items())
        reporter.say(trainer.games, words)
        plain = {"config": json.dumps(dataclasses.asdict(config)), "found": json.dumps(found)}
        board.flush()
        save_state(state_file, {**plain, "arrays": pack(trainer.state())})

    try:
        if not trainer.games:
            checkpoint()
        while trainer.games < config.games:
            before, start = trainer.games, time.perf_counter()
            trainer.advance()
            clock[0] += time.perf_counter() - start
            clock[1] += trainer.games - before
            if crossed(config.checkpoint_every, before, trainer.games) or trainer.games >= config.games:
                checkpoint()
            reporter.advance(trainer.games)
        last: dict[str, Figures] = {
            name: {"win_rate": (rate, (low, high))} for name, (rate, (low, high)) in found[str(trainer.games)].items()
        }
        conclude(folder, board, dataclasses.asdict(config), trainer.games, last, checkpoints=found)
    finally:
        reporter.close()
        board.close()
    return TrainingResult(f"{config.games:,} games", last, ("Weights", folder))


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    description = "Train experts at cribbage."
    return run_script(words, ExpertsConfig, description, lambda config: (ENV, "experts"), train)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

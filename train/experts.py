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

from cardgym import CardgymError
from cardgym.learn.config import STATE_FILE, check_same, parse_run, run_folder
from cardgym.learn.logbook import Reporter, TensorBoard, save_results
from cardgym.learn.resume import load_state, pack, save_state, unpack
from cardgym.learn.schedules import passes
from cardgym.tabular.experts.config import ExpertsConfig
from cardgym.tabular.experts.picture import board_pixels
from cardgym.tabular.experts.trainer import Trainer

ENV = "Cribbage-v0"


def train(config: ExpertsConfig, folder: Path, resume: bool) -> dict[str, Any]:
    """Train, and return expert 0's figures at each checkpoint, by the games played."""
    trainer = Trainer(config)
    trainer.check_opponents()
    found: dict[str, Any] = {}
    state_file = folder / STATE_FILE
    if resume and state_file.exists():
        state = load_state(state_file)
        check_same(json.loads(state["config"]), config, state_file)
        trainer.load_state(unpack(state["arrays"]))
        found = json.loads(state["found"])

    board = TensorBoard(folder, purge_step=trainer.games or None)
    board.config(dataclasses.asdict(config))
    reporter = Reporter(config.games, trainer.games, "games")
    clock = [0.0, 0]  # Seconds of training, and games in them, since the last checkpoint.

    def checkpoint() -> None:
        trainer.save_weights(folder)
        its = trainer.evaluate(config.eval_opponents, config.eval_games)
        found[str(trainer.games)] = its
        board.scalars(trainer.games, {f"win_rate/{name}": rate for name, (rate, _) in its.items()})
        if clock[1]:
            board.scalars(trainer.games, {"games_per_second": clock[1] / max(clock[0], 1e-9)})
        board.picture("board", trainer.games, board_pixels(trainer.weights(), f"after {trainer.games:,} games"))
        clock[:] = [0.0, 0]
        words = ", ".join(f"wins {rate:.1%} against {name}" for name, (rate, _) in its.items())
        reporter.say(trainer.games, words)
        plain = {"config": json.dumps(dataclasses.asdict(config)), "found": json.dumps(found)}
        save_state(state_file, {**plain, "arrays": pack(trainer.state())})

    try:
        if not trainer.games:
            checkpoint()
        while trainer.games < config.games:
            before, start = trainer.games, time.perf_counter()
            trainer.advance()
            clock[0] += time.perf_counter() - start
            clock[1] += trainer.games - before
            if passes(config.checkpoint_every, before, trainer.games) or trainer.games >= config.games:
                checkpoint()
            reporter.advance(trainer.games)
        save_results(folder / "results.json", {"config": dataclasses.asdict(config), "results": found})
    finally:
        reporter.close()
        board.close()
    return found


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    start, cpu = time.monotonic(), time.process_time()
    folder = None
    try:
        config, place = parse_run(ExpertsConfig, words, "Train experts at cribbage.")
        stem = place.config.stem if place.config else "experts"
        folder = run_folder(place, ENV, f"{stem}-seed{config.seed}")
        found = train(config, folder, place.resume)
    except CardgymError as error:
        print(f"experts.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # TensorBoard's, above all a full disk.
        print(f"experts.py: {error.strerror or error}: stopped writing below {folder}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"stopped; the same command with `--resume --out {folder}` goes on", file=sys.stderr)
        return 130
    for name, (rate, (low, high)) in found[max(found, key=int)].items():
        print(f"against {name}: {rate:.1%} [{low:.1%}, {high:.1%}]")
    print(f"{time.monotonic() - start:.0f} s, {time.process_time() - cpu:.0f} s of CPU. Weight files: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The batch Q-learning of the Corellian Spike paper.

Usage:
    python train/batch_q.py --config configs/corellian_spike/batch_q.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/batch_q.md says what the algorithm does and what was measured.
Policy files `policy_<iteration>.json` are players wherever one is named. The learning itself: cardgym.games.corellian_spike.batch_q.learner.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from cardgym import find
from cardgym.console import Progress
from cardgym.engine.registry import parse_settings
from cardgym.games.corellian_spike.batch_q.learner import ENV, BatchQ, BatchQConfig
from cardgym.learn.config import STATE_FILE
from cardgym.learn.log import Figures, TensorBoard, conclude, evaluation, summary
from cardgym.learn.resume import load_resume_state, pack, save_state, unpack
from cardgym.learn.run import TrainingResult, run_script
from cardgym.players.base import resolve


def train(config: BatchQConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train; the figures of the last evaluation against each opponent, and where the policy files are."""
    game = find(ENV)
    options: Any = game.parse_options(parse_settings(list(config.set)))
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name is told now, not after training.
    run = BatchQ(options, config)

    # -- going on with an interrupted run -----------------------------------------------------------------------------
    state_file = folder / STATE_FILE
    if resume and state_file.exists():
        state = load_resume_state(state_file, config)
        run.load_state_dict({**unpack(state["arrays"]), "iteration": state["iteration"], "epsilon": state["epsilon"]})

    def save() -> None:
        board.flush()
        if config.state == "code":
            run.save_policy(folder / f"policy_{run.iteration}.json")
        state = run.state_dict()
        arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
        plain = {name: value for name, value in state.items() if name not in arrays}
        # Last: who resumes from it finds all policy files up to here written.
        save_state(state_file, {"config": json.dumps(dataclasses.asdict(config)), **plain, "arrays": pack(arrays)})

    def evaluate(games: int) -> dict[str, Figures]:
        return evaluation(
            game, options, run.player, config.eval_opponents, games=games, board=board, step=run.iteration
        )

    board = TensorBoard(folder, run.iteration)
    board.config(dataclasses.asdict(config))
    found: dict[str, Figures] = {}
    try:
        with Progress("iterations", "iterations", total=config.iterations, done=run.iteration, lines=True) as progress:
            if run.iteration == 0:
                save()
            while run.iteration < config.iterations:
                epsilon, start = run.epsilon, time.perf_counter()
                run.iterate()
                progress(run.iteration)
                board.scalars(
                    run.iteration,
                    {
                        "epsilon": epsilon,
                        "transitions": run.transitions,
                        "states": int((run.states.values.max(axis=1) > -np.inf).sum()),
                        "seconds": time.perf_counter() - start,
                    },
                )
                if run.iteration % config.save_every == 0 or run.iteration == config.iterations:
                    if config.eval_games:
                        progress.note(summary(evaluate(config.eval_games)))
                    save()
        if config.final_games:
            found = evaluate(config.final_games)
        conclude(folder, board, dataclasses.asdict(config), run.iteration, found)
    finally:
        board.close()
    return TrainingResult(f"{config.iterations} iterations", found, ("Policies", folder))


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    description = "The batch Q-learning of the Corellian Spike paper."
    return run_script(words, BatchQConfig, description, lambda config: (ENV, "batch_q"), train)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Q-learning and Sarsa over a table, for any card game of cardgym.

Usage:
    python train/tabular.py --config configs/one_play_poker/q_learning.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/tabular.md says what the algorithms do here. The learning
itself is compiled: cardgym.learn.tabular.loop.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path

from cardgym import find
from cardgym.engine.registry import parse_settings
from cardgym.learn.config import STATE_FILE
from cardgym.learn.log import Figures, Reporter, TensorBoard, conclude, evaluation, summary
from cardgym.learn.resume import load_resume_state, pack, save_state, unpack
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import linear
from cardgym.learn.tabular.learner import TabularConfig, TabularLearner
from cardgym.players.base import resolve
from cardgym.players.policy_file import save_policy
from cardgym.players.q_table import save_q_table

CHUNK = 50_000
"""Decisions between two looks at the clock and the progress bar."""


def train(config: TabularConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train; the figures of the last evaluation against each opponent, and the checkpoint."""
    game = find(config.env)
    options = game.parse_options(parse_settings(list(config.set)))
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name is told now, not after minutes of training.
    learner = TabularLearner(game, options, config)
    checkpoint = folder / ("table.npz" if config.observation else "policy.json")

    # -- going on with an interrupted run -----------------------------------------------------------------------------
    state_file = folder / STATE_FILE
    if resume and state_file.exists():
        state = load_resume_state(state_file, config)
        learner.load_state_dict(unpack(state["learner"]))

    def save() -> None:
        board.flush()
        if config.observation:
            save_q_table(checkpoint, learner.table(), game, options, config.observation, dataclasses.asdict(config))
        else:
            save_policy(checkpoint, learner.policy(), game, options, algorithm=config.algorithm)
        plain = {"config": json.dumps(dataclasses.asdict(config)), "learner": pack(learner.state_dict())}
        save_state(state_file, plain)  # Last: who resumes from it finds the checkpoint written.

    # -- what is told as training goes --------------------------------------------------------------------------------
    board = TensorBoard(folder, learner.decisions)
    board.config(dataclasses.asdict(config))
    reporter = Reporter(config.decisions, learner.decisions)

    def evaluate(games: int) -> dict[str, Figures]:
        player, done = learner.player(), learner.decisions
        return evaluation(
            game, options, player, config.eval_opponents, games=games, board=board, step=done, seat=config.seat
        )

    # -- training -----------------------------------------------------------------------------------------------------
    found: dict[str, Figures] = {}
    try:
        while learner.decisions < config.decisions:
            stops = [config.decisions, learner.decisions + CHUNK, _next(learner.decisions, config.save_every)]
            if config.eval_every:
                stops.append(_next(learner.decisions, config.eval_every))
            before, start = learner.decisions, time.perf_counter()
            learner.advance(min(stops))
            done = learner.decisions
            board.scalars(
                done,
                {
                    "epsilon": linear(
                        done, config.epsilon_start, config.epsilon_end, config.epsilon_share * config.decisions
                    ),
                    "step_size": linear(done, config.step_size, config.step_size_end, config.decisions),
                    "states": learner.states,
                    "decisions_per_second": (done - before) / (time.perf_counter() - start),
                },
            )
            if config.eval_every and done % config.eval_every == 0:
                reporter.say(done, summary(evaluate(config.eval_games)))
            if done % config.save_every == 0 or done >= config.decisions:
                save()
            reporter.advance(done)
        if config.final_games:
            found = evaluate(config.final_games)
        conclude(folder, board, dataclasses.asdict(config), learner.decisions, found)
    finally:
        reporter.close()
        board.close()
    return TrainingResult(f"{config.decisions:,} decisions", found, ("Checkpoint", checkpoint))


def _next(done: int, every: int) -> int:
    """The next multiple of `every`."""
    return (done // every + 1) * every


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    description = "Train a table of action values at a card game."
    return run_script(words, TabularConfig, description, lambda config: (find(config.env).id, config.algorithm), train)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Stable-Baselines3 and sb3-contrib on any card game of cardgym: PPO and DQN, with action masks and without.

Usage:
    python train/sb3.py --env-id CorellianSpike-v0 --algorithm maskable_dqn [--seed 2] [--out FOLDER] ...

`--help` lists every hyper-parameter; docs/interop/stable_baselines3.md shows the same in a script of your own.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from cardgym import find
from cardgym.console.progress import Progress
from cardgym.errors import CardgymError
from cardgym.files.atomic import replacing
from cardgym.interop.sb3_config import SB3Config
from cardgym.learn.evaluation import Metrics, evaluate_learner, summary, write_results
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import Stopwatch
from cardgym.learn.signals import Saving
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players.base import resolve

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

    from cardgym.interop.sb3 import ArenaCallback

NEVER = 2**63
"""Turns off Stable-Baselines3's own logging, which counts episodes or rollouts; our callback logs by steps."""


def train(config: SB3Config, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, always from the start: Stable-Baselines3 saves models, but no state to resume from."""
    model_file = folder / "model.zip"
    if not resume and model_file.exists():
        raise CardgymError(f"{folder}: holds a run already; name another folder, or add --resume to start it over")
    # Imported here: where Stable-Baselines3 is missing, `run_script` says so in one line.
    from cardgym.interop.sb3 import ArenaCallback, CardVecEnv
    from cardgym.interop.sb3_training import Every, board_logger, make_model, wrapped

    torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
    game = find(config.env_id)
    options = game.parse_options(config.env_options)
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name fails now, not after minutes of training.

    # -- the env and the model ----------------------------------------------------------------------------------------
    env_options: dict[str, Any] = options.asdict()
    games = CardVecEnv(
        game, config.num_envs,
        opponent="random" if options.num_players == 1 else OpponentPool.parse(config.opponents),
        seat="random" if config.seat < 0 else config.seat,
        obs=config.observation or None,
        **env_options,
    )  # fmt: skip
    model = make_model(config, wrapped(config, games))
    games.seed(config.seed * config.num_envs)  # Rows are seeded one apart: the runs of two seeds share no games.
    arena = ArenaCallback(config.eval_opponents, 0, config.eval_games, seat=config.seat, verbose=0)

    # -- the training; a step is a decision of the learner ------------------------------------------------------------
    stopwatch, saving = Stopwatch(), Saving(config.save_every_minutes)
    with (
        TensorBoard(folder) as board,
        Progress("training", "steps", total=config.total_steps, lines=True, folder=folder) as progress,
    ):
        board.hyper_parameters(config.model_dump())
        model.set_logger(board_logger(board))

        def save_out_of_turn(step: int) -> None:
            if saving.due():
                save(model_file, model, board, step)
                saving.done()  # The run ends here if it was asked to.

        callbacks = [
            arena,
            Every(1, progress),
            Every(config.log_every, lambda step: model.dump_logs()),
            Every(config.eval_every, partial(evaluate, arena, stopwatch, progress)),
            Every(config.save_every, partial(save, model_file, model, board), between_rollouts=True),
            Every(1, save_out_of_turn, between_rollouts=True),
        ]
        model.learn(config.total_steps, callbacks, log_interval=NEVER)
        save(model_file, model, board, model.num_timesteps)

        # -- the final evaluation -------------------------------------------------------------------------------------
        speed = {"seconds": stopwatch.seconds, "decisions_per_second": stopwatch.rate(model.num_timesteps)}
        results: dict[str, Metrics] = {}
        if config.final_games and config.eval_opponents:
            progress.note(f"final evaluation, {config.final_games:,} games against each opponent")
            results = evaluate_learner(
                game, options, arena.player, config.eval_opponents, games=config.final_games, seat=config.seat
            )
        write_results(folder, board, config.model_dump(), model.num_timesteps, results, **speed)
    return TrainingResult(f"{model.num_timesteps:,} steps", results, ("Model", model_file))


def evaluate(arena: ArenaCallback, stopwatch: Stopwatch, progress: Progress, step: int) -> None:
    """Match the greedy model with each opponent."""
    with stopwatch.paused():
        arena.evaluate()
        if arena.results:
            progress.note(summary(arena.results))


def save(path: Path, model: BaseAlgorithm, board: TensorBoard, step: int) -> None:
    """Save the model."""
    board.flush()
    with replacing(path) as temporary:
        model.save(temporary)


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("sb3.py", SB3Config, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

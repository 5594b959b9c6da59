"""Stable-Baselines3 and sb3-contrib on any card game of cardgym: PPO and DQN, with action masks and without.

Usage:
    python train/sb3.py --env-id CorellianSpike-v0 --algorithm maskable_dqn [--seed 2] [--out FOLDER] [--restart] ...

`--help` lists every hyper-parameter; docs/interop/stable_baselines3.md shows the same in a script of your own. A step
is a decision of the learner.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cardgym.interop.sb3_config import SB3Config
from cardgym.learn.run import TrainingResult, run_script


def train(config: SB3Config, folder: Path, restart: bool) -> TrainingResult:
    """Train in this folder, always from the start: Stable-Baselines3 saves models, but no state to resume from."""
    # Imported here: if Stable-Baselines3 is missing, `run_script` says so in one line.
    from cardgym.interop.sb3 import SB3Training

    with SB3Training(config, folder, restart=restart) as training:
        model = training.make_model(training.make_games())
        training.learn(model)
        return training.finish()


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("sb3.py", SB3Config, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

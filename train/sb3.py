"""Stable-Baselines3 and sb3-contrib on any card game of cardgym: PPO and DQN, with action masks and without.

Usage:
    python train/sb3.py --env-id CorellianSpike-v0 --algorithm maskable_dqn [--seed 2] [--out FOLDER] [--restart] ...

`--help` lists every hyper-parameter; docs/interop/stable_baselines3.md shows the same in a script of your own. The
model, its log and its evaluations are in sb3_training.py. A step is a decision of the learner.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cardgym.errors import require
from cardgym.learn.run import TrainingResult, run_script
from sb3_config import SB3Config


def train(config: SB3Config, folder: Path, restart: bool) -> TrainingResult:
    """Train in this folder, always from the start: Stable-Baselines3 saves models, but no state to resume from."""
    require("train/sb3.py", "stable_baselines3", "sb3_contrib")
    from sb3_training import SB3Training  # Only here: `--help` does not need Stable-Baselines3.

    with SB3Training(config, folder, restart=restart) as training:
        training.learn()
        return training.finish()


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("sb3.py", SB3Config, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

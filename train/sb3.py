"""Stable-Baselines3 on any card game of cardgym; the training is cardgym.interop.sb3_training.

Usage:
    python train/sb3.py --env-id CorellianSpike-v0 --algorithm maskable_dqn [--seed 2] [--out FOLDER] [--restart] ...
"""

import sys

from cardgym.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", "sb3", *sys.argv[1:]]))

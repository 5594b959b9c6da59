"""Masked PPO in self-play for any card game of cardgym; the algorithm is cardgym.learn.ppo.

Usage:
    python train/ppo.py --config examples/kuhn_poker/configs/ppo.toml [--seed 2] [--out FOLDER] [--resume] ...
"""

import sys

from cardgym.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", "ppo", *sys.argv[1:]]))

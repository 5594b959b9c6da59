"""Q-learning and Sarsa for any card game of cardgym; the algorithms are in cardgym.learn.tabular.

Usage:
    python train/tabular.py --config configs/one_play_poker/q_learning.toml [--seed 2] [--out FOLDER] [--resume] ...
"""

import sys

from cardgym.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", "tabular", *sys.argv[1:]]))

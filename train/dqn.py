"""DQN and double DQN for any card game of cardgym; the algorithm is cardgym.learn.dqn.

Usage:
    python train/dqn.py --config configs/corellian_spike/double_dqn.toml [--seed 2] [--out FOLDER] [--resume] ...
"""

import sys

from cardgym.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", "dqn", *sys.argv[1:]]))

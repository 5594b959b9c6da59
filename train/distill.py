"""Imitate any player of any card game of cardgym; the algorithm is cardgym.learn.distill.

Usage:
    python train/distill.py --config configs/cribbage/distill.toml [--seed 2] [--out FOLDER] [--resume] ...
"""

import sys

from cardgym.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", "distill", *sys.argv[1:]]))

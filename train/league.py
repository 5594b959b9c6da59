"""A league for any game of cardgym with opponents; the method is cardgym.experiments.league.

Usage:
    python train/league.py --config corellian_spike/league [--seed 2] [--out FOLDER] [--resume] [--workers 2] ...
"""

import sys

from cardgym.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", "league", *sys.argv[1:]]))

"""Neural fictitious self-play for any card game of cardgym; the algorithm is cardgym.learn.nfsp.

Usage:
    python train/nfsp.py --config examples/leduc_poker/configs/nfsp.toml [--seed 2] [--out FOLDER] [--resume] ...
"""

import sys

from cardgym.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", "nfsp", *sys.argv[1:]]))

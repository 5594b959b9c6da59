"""Compare many deals with OpenSpiel's: `python tests/games/cribbage/soak_cribbage.py --deals 100000 --seed 1`."""

import argparse
import random
import time

import pyspiel
from openspiel_cribbage import Tally, compare_game


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    oracle = pyspiel.load_game("cribbage")
    rng, tally, start = random.Random(args.seed), Tally(), time.perf_counter()
    while tally.deals < args.deals:
        compare_game(oracle, rng, tally)
    print(f"agree: {tally} in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

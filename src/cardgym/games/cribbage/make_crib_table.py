"""Write src/cardgym/games/cribbage/crib_table.py: mean crib points by the two ranks tossed.

Both players toss what is best for them by these very means, so the table is iterated until it stays: for each pair of
ranks, dealt hands of six that hold it are tossed that way against opponents who toss the best of six random other
cards, and the crib is averaged over every starter. Hands in which a good player would toss that pair weigh more, by a
soft maximum, so that what is kept with a pair is what is usually kept with it.

    python scripts/cribbage_crib_table.py --samples 300000 --rounds 4 --seed 1
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt

from cardgym.engine.generator import uniform
from cardgym.games.cribbage.means import CUTS, hand_totals
from cardgym.games.cribbage.ranks import sort_in
from cardgym.games.cribbage.scoring import score_crib
from cardgym.games.cribbage.state import TOSSES

OUT = Path(__file__).parent.parent / "src/cardgym/games/cribbage/crib_table.py"
RANKS = "A23456789TJQK"


@numba.njit
def _best_toss(cards, dealer, means, totals):
    """The best toss of six, by mean hand plus or minus mean crib; fills `totals` with the worth of each."""
    hand_totals(cards, totals, 1.0 / CUTS)
    best = 0
    for toss in range(15):
        pair = cards[TOSSES[toss, 0]] % 13 * 13 + cards[TOSSES[toss, 1]] % 13
        totals[toss] += means[dealer, pair] if dealer else -means[0, pair]
        if totals[toss] > totals[best]:
            best = toss
    return best


@numba.njit
def _average(means, samples, softness, generator):
    """Mean crib points by pair of ranks tossed, for the pone (row 0) and the dealer (row 1)."""
    out = np.zeros((2, 169))
    pack = np.arange(52)
    totals = np.empty(15, np.float32)
    mine = np.empty(6, np.int8)
    theirs = np.empty(6, np.int8)
    crib = np.empty(4, np.int8)
    for dealer in range(2):
        for low in range(13):
            for high in range(low, 13):
                points = 0.0
                weights = 0.0
                for _ in range(samples):
                    # The pair first, of random suits, then ten cards more from the front of the pack.
                    one = low + 13 * uniform(generator, 4)
                    other = high + 13 * uniform(generator, 4)
                    while other == one:
                        other = high + 13 * uniform(generator, 4)
                    for card in range(52):
                        pack[card] = card
                    pack[one], pack[51] = pack[51], pack[one]
                    at = one if other == 51 else other
                    pack[at], pack[50] = pack[50], pack[at]
                    for place in range(10):
                        at = place + uniform(generator, 50 - place)
                        pack[place], pack[at] = pack[at], pack[place]
                    for place in range(6):
                        sort_in(mine, place, pack[50 + place] if place < 2 else pack[place - 2])
                        sort_in(theirs, place, pack[4 + place])
                    best = _best_toss(mine, dealer, means, totals)
                    own = -1
                    for toss in range(15):
                        a, b = mine[TOSSES[toss, 0]], mine[TOSSES[toss, 1]]
                        if (a == one and b == other) or (a == other and b == one):
                            own = toss
                    weight = np.exp((totals[own] - totals[best]) / softness)
                    toss = _best_toss(theirs, 1 - dealer, means, totals)
                    crib[0], crib[1] = one, other
                    crib[2], crib[3] = theirs[TOSSES[toss, 0]], theirs[TOSSES[toss, 1]]
                    total = 0
                    cuts = 0
                    for card in range(52):
                        seen = False
                        for place in range(6):
                            seen = seen or mine[place] == card or theirs[place] == card
                        if not seen:
                            total += score_crib(crib, card)
                            cuts += 1
                    points += weight * total / cuts
                    weights += weight
                out[dealer, 13 * low + high] = out[dealer, 13 * high + low] = points / weights
    return out


def _listing(name: str, means: npt.NDArray[np.float64], meaning: str) -> str:
    lines = [f"{name} = ("]
    for low in range(13):
        row = "".join(f" {means[13 * low + high]:.3f}," for high in range(low, 13))
        lines.append(f"   {row}  # {RANKS[low]} with {RANKS[low]} .. K")
    return "\n".join([*lines, ")", f'"""{meaning}"""', ""])


def main() -> None:
    """Iterate from an even table and write the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=300_000, help="hands for each pair, role and round")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--softness", type=float, default=0.5, help="points of which a worse toss is e times rarer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    means = np.full((2, 169), 4.7)
    for turn in range(args.rounds):
        generator = np.array([args.seed, turn << 40], np.uint64)
        samples = args.samples if turn == args.rounds - 1 else args.samples // 4
        new = _average(means, samples, args.softness, generator)
        print(f"round {turn + 1}: changed by {np.sqrt(np.mean((new - means) ** 2)):.4f} rms")
        means = new
    text = (
        '"""Mean crib points by the two ranks tossed, against an opponent who tosses well.\n\n'
        f"Made by scripts/cribbage_crib_table.py --samples {args.samples} --rounds {args.rounds} "
        f'--softness {args.softness} --seed {args.seed}.\n"""\n\n# fmt: off\n'
        + _listing("PONE_CRIB", means[0], "Tossed to the opponent's crib; 91 pairs of ranks, the lower rank first.")
        + _listing("DEALER_CRIB", means[1], "Tossed to the own crib; in the same order.")
        + "# fmt: on\n"
    )
    temporary = args.out.with_suffix(".tmp")
    temporary.write_text(text)
    temporary.replace(args.out)
    print(f"wrote {args.out}")


if __name__ == "__main__":
    main()

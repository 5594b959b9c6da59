"""Compute `src/cardgym/games/cribbage/crib_means.toml`: mean crib points by the two ranks discarded.

Both players choose the best toss by these means, so the means are iterated until they hardly change. For each pair of
ranks, random six-card hands that include the pair toss it, against opponents who make the best toss from six other
random cards, and the crib is averaged over every starter. A softmax over the values of all tosses gives more weight to
hands from which a good player would toss the pair, so that the four cards kept are typical ones.

    python research/cribbage_crib_table.py --samples 200000 --rounds 4 --softness 1.5 --seed 1
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Generator, rule, uniform
from cardgym.games.cribbage.cards import CARDS, RANKS, sort_in
from cardgym.games.cribbage.scoring import score_crib
from cardgym.games.cribbage.state import CUTS, NUM_TOSSES, TOSSES
from cardgym.games.cribbage.tosses import hand_totals


@rule
def _best_toss(
    cards: npt.NDArray[np.int8], dealer: int, means: npt.NDArray[np.float64], worths: npt.NDArray[np.float32]
) -> int:
    """The best toss of six cards, by mean hand plus or minus mean crib; fills `worths`, (15,), with the sums."""
    hand_totals(cards, worths, 1.0 / CUTS)
    best = 0
    for toss in range(NUM_TOSSES):
        pair = cards[TOSSES[toss, 0]] % 13 * 13 + cards[TOSSES[toss, 1]] % 13
        worths[toss] += means[dealer, pair] if dealer else -means[0, pair]
        if worths[toss] > worths[best]:
            best = toss
    return best


@rule
def _deal_with_pair(
    one: int,
    other: int,
    pack: npt.NDArray[np.int64],
    mine: npt.NDArray[np.int8],
    theirs: npt.NDArray[np.int8],
    generator: Generator,
) -> None:
    """Deal `mine`, (6,), with the cards `one` and `other` and four more, and `theirs`, (6,); both sorted."""
    for card in range(CARDS):
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


@rule
def _toss_of(cards: npt.NDArray[np.int8], one: int, other: int) -> int:
    """The number of the toss with these two cards."""
    number = -1
    for toss in range(NUM_TOSSES):
        a, b = cards[TOSSES[toss, 0]], cards[TOSSES[toss, 1]]
        if (a == one and b == other) or (a == other and b == one):
            number = toss
    return number


@rule
def _mean_points(
    crib: npt.NDArray[np.int8], mine: npt.NDArray[np.int8], theirs: npt.NDArray[np.int8]
) -> tuple[int, int]:
    """The crib's points summed over all possible starters, and the number of starters."""
    total = 0
    starters = 0
    for card in range(CARDS):
        held = False
        for place in range(6):
            held = held or mine[place] == card or theirs[place] == card
        if not held:
            total += score_crib(crib, card)
            starters += 1
    return total, starters


@compiled
def _average(
    means: npt.NDArray[np.float64], samples: int, softness: float, generator: Generator
) -> npt.NDArray[np.float64]:
    """One round: mean crib points by pair of ranks, (2, 169), for the pone (row 0) and the dealer (row 1)."""
    out = np.zeros((2, 169))
    pack = np.arange(CARDS)
    worths = np.empty(NUM_TOSSES, np.float32)
    mine = np.empty(6, np.int8)
    theirs = np.empty(6, np.int8)
    crib = np.empty(4, np.int8)
    for dealer in range(2):
        for low in range(13):
            for high in range(low, 13):
                points = 0.0
                weights = 0.0
                for _ in range(samples):
                    one = low + 13 * uniform(generator, 4)
                    other = high + 13 * uniform(generator, 4)
                    while other == one:
                        other = high + 13 * uniform(generator, 4)
                    _deal_with_pair(one, other, pack, mine, theirs, generator)
                    best = _best_toss(mine, dealer, means, worths)
                    weight = np.exp((worths[_toss_of(mine, one, other)] - worths[best]) / softness)
                    toss = _best_toss(theirs, 1 - dealer, means, worths)
                    crib[0], crib[1] = one, other
                    crib[2], crib[3] = theirs[TOSSES[toss, 0]], theirs[TOSSES[toss, 1]]
                    total, starters = _mean_points(crib, mine, theirs)
                    points += weight * total / starters
                    weights += weight
                out[dealer, 13 * low + high] = out[dealer, 13 * high + low] = points / weights
    return out


def _listing(name: str, means: npt.NDArray[np.float64]) -> str:
    lines = [f"{name} = ["]
    for low in range(13):
        row = ", ".join(f"{means[13 * low + high]:.3f}" for high in range(low, 13))
        lines.append(f"    [{row}],  # {RANKS[low]} with {RANKS[low]} .. K")
    return "\n".join([*lines, "]", ""])


def main() -> None:
    """Iterate from equal means and print the two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200_000, help="hands for each pair, side and round")
    parser.add_argument("--rounds", type=int, default=4, help="how often the means are computed")
    parser.add_argument("--softness", type=float, default=1.5, help="a toss worth this many points less weighs 1 / e")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    means = np.full((2, 169), 4.7)
    for number in range(args.rounds):
        generator = np.array([args.seed, number << 40], np.uint64)
        samples = args.samples if number == args.rounds - 1 else args.samples // 4
        new = _average(means, samples, args.softness, generator)
        print(f"# round {number + 1}: changed by {np.sqrt(np.mean((new - means) ** 2)):.4f} rms")
        means = new
    print(_listing("pone", means[0]) + _listing("dealer", means[1]), end="")


if __name__ == "__main__":
    main()

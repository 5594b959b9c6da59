"""Compute the chance to win by score, dealer and phase, when both play like `equilibrium`.

Sampled deals record who scores what, in order. The chances then follow backwards from the last holes: each deal is
applied at every score, up to the point that wins, or on to the next deal with the sides exchanged. 4,000 deals take
some 20 seconds of processor time and give the chance at 0 to 0 within about 1 %.

    python research/cribbage_chances.py --deals 4000 --out chances.safetensors
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.console.arguments import whole
from cardgym.console.tables import print_results
from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Int8s, Int64s, State, rule
from cardgym.engine.rules import uniform, uniform_float
from cardgym.engine.states import new_state
from cardgym.files.tensors import SUFFIX
from cardgym.games.cribbage.chance_table import HOLES, PHASES, ChanceTable, save_table
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.observations import PLAIN_SIZE, observe_plain
from cardgym.games.cribbage.pegging.player import decide
from cardgym.games.cribbage.pegging.policy import PeggingPolicy, load_policy
from cardgym.games.cribbage.rules import apply_action, current_player, num_chance_outcomes, setup
from cardgym.games.cribbage.state import CRIB, DEALER_HAND, HEELS, NUM_TOSSES, PLAYING, PONE_HAND
from cardgym.papers.cribbage.updates import work_back

_FIRST = np.array([0, 1, 9, 10, 11])
"""First column of each phase in a deal's row: heels, eight plays, two hands, the crib."""
_COLUMNS = 12


def sample_deals(deals: int, seed: int = 1) -> tuple[Int8s, Float64s]:
    """Return the points and the discards of sampled deals.

    Returns:
        The points, (deals, 12): heels, eight plays, two hands, the crib; positive for the pone. And how often the pone
        and the dealer discard each pair of ranks, (2, 169), at 13 x the lower rank + the higher.
    """
    options = GAME.parse_options({"target": 1000, "deals": 1, "reward": "points"})
    points = np.zeros((deals, _COLUMNS), np.int8)
    generator = np.array([seed, 0], np.uint64)
    tossed = np.zeros((2, 169))
    _sample(np.array(new_state(GAME, options)), load_policy(), no_table(), generator, points, tossed)
    return points, tossed / deals


def win_chances(points: Int8s) -> Float64s:
    """Return the pone's chance to win, (5, 122, 122), by phase and by the points that the pone and the dealer need."""
    chances = np.zeros((len(PHASES), HOLES + 1, HOLES + 1))
    work_back(points, _FIRST, chances)
    return chances


def chance_table(chances: Float64s, points: Int8s, tossed: Float64s) -> ChanceTable:
    """Return the table for what `win_chances` and `sample_deals` return."""
    play = points[:, :9].astype(np.int64)
    pone, dealer = np.maximum(play, 0).sum(1), np.maximum(-play, 0).sum(1)
    before = _outcomes(pone, dealer), _outcomes(dealer, pone + points[:, 9])
    return ChanceTable(
        chances.astype(np.float32), before, float(-points[:, 11].mean()), float(play[:, 1:].sum(1).mean()), tossed
    )


def _outcomes(mine: Int64s, theirs: Int64s) -> Float64s:
    pairs, counts = np.unique(np.stack([mine, theirs], axis=1), axis=0, return_counts=True)
    return np.column_stack([pairs, counts / counts.sum()])


def no_table() -> ChanceTable:
    """Return a table by which nothing is near: points decide every toss."""
    nothing = np.zeros((0, 3))
    return ChanceTable(
        np.zeros((len(PHASES), HOLES + 1, HOLES + 1), np.float32), (nothing, nothing), 0.0, 0.0, np.zeros((2, 169)), 0
    )


@compiled
def _sample(
    states: npt.NDArray[np.void], policy: PeggingPolicy, table: ChanceTable,
    generator: npt.NDArray[np.uint64], points: Int8s, tossed: Float64s,
) -> None:  # fmt: skip
    """Play deals and write the points scored, in order: positive for the pone, negative for the dealer."""
    state = states[0]
    seen, values, worths = np.empty(PLAIN_SIZE, np.float32), np.empty(13), np.empty(NUM_TOSSES, np.float32)
    for row in range(points.shape[0]):
        setup(state)
        plays = 0
        while True:
            outcomes = num_chance_outcomes(state)
            if outcomes > 0:
                apply_action(state, uniform(generator, outcomes))
                continue
            seat = current_player(state)
            if seat < 0:
                break
            observe_plain(state, seat, seen)
            before = _pegged(state)
            playing = state.phase == PLAYING
            apply_action(state, decide(seen, policy, table, uniform_float(generator), values, worths))
            if playing:
                points[row, 1 + plays] = _pegged(state) - before
                plays += 1
        dealer = int(state.dealer)
        for seat in range(2):
            one, other = int(state.crib[2 * seat]) % 13, int(state.crib[2 * seat + 1]) % 13
            tossed[1 if seat == dealer else 0, 13 * min(one, other) + max(one, other)] += 1.0
        points[row, 0] = -state.tally[dealer, HEELS]
        points[row, 9] = state.tally[1 - dealer, PONE_HAND]
        points[row, 10] = -state.tally[dealer, DEALER_HAND]
        points[row, 11] = -state.tally[dealer, CRIB]


@rule
def _pegged(state: State) -> int:
    """Return the pone's points in the play minus the dealer's."""
    dealer = int(state.dealer)
    return int(state.tally[1 - dealer, 0]) - int(state.tally[dealer, 2])


_SHOWN = (121, 90, 60, 40, 30, 20, 15, 10, 5, 2)


def main() -> None:
    """Compute, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deals", type=whole(1), default=4000, metavar="N", help="deals to sample (4000)")
    parser.add_argument("--seed", type=whole(0), default=1, metavar="N", help="seed of the deals (1)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write what players read to this file (.safetensors)")
    arguments = parser.parse_args()
    if arguments.out is not None and arguments.out.suffix != SUFFIX:
        parser.error(f"--out {arguments.out}: the name of a table of chances ends in {SUFFIX}")
    points, tossed = sample_deals(arguments.deals, arguments.seed)
    chances = win_chances(points)
    rows = [(f"pone needs {pone}", *(f"{100 * chances[0, pone, dealer]:.0f}" for dealer in _SHOWN)) for pone in _SHOWN]
    heads = ("%", *(f"dealer {dealer}" for dealer in _SHOWN))
    first = 100 * (1 - chances[0, -1, -1])
    print_results("The pone wins, before the deal", heads, rows, f"the first dealer wins {first:.1f} %")
    if arguments.out is not None:
        save_table(arguments.out, chance_table(chances, points, tossed), deals=arguments.deals, seed=arguments.seed)


if __name__ == "__main__":
    main()

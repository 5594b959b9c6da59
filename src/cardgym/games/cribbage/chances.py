"""The chance to win by score, dealer and phase, when both play like `equilibrium`.

Sampled deals say how points are scored, play by play and show by show, whatever the score is. With them the chances
are computed backwards from the last holes: each deal is played from every score, up to the point that wins, or on to
the next deal with the sides exchanged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import State, rule
from cardgym.engine.generator import uniform, uniform_float
from cardgym.engine.numba.compilation import compiled
from cardgym.files.atomic import replacing
from cardgym.games.cribbage.chance_table import HOLES, PHASES, ChanceTable, no_table
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.pegging.player import Buffers, decide, new_buffers
from cardgym.games.cribbage.pegging.policy import PeggingPolicy, load_policy
from cardgym.games.cribbage.plain_observation import SIZE, observe_plain
from cardgym.games.cribbage.rules import apply_action, current_player, num_chance_outcomes, setup
from cardgym.games.cribbage.state import CRIB, DEALER_HAND, HEELS, PLAYING, PONE_HAND

_FIRST = np.array([0, 1, 9, 10, 11])
"""Where the points of each phase begin in a deal's row: heels, eight plays, two hands, the crib."""
_COLUMNS = 12


def sample_deals(deals: int, seed: int = 1) -> npt.NDArray[np.int8]:
    """Who scores what in sampled deals, (deals, 12): heels, eight plays, two hands, the crib; plus for the pone."""
    options = GAME.parse_options({"target": 1000, "deals": 1, "reward": "points"})
    points = np.zeros((deals, _COLUMNS), np.int8)
    generator = np.array([seed, 0], np.uint64)
    _sample(np.array(GAME.new_state(options)), load_policy(), no_table(), new_buffers(), generator, points)
    return points


def win_chances(points: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """The chance of the pone to win, (5, 122, 122): by phase, and by what the pone and the dealer lack to 121.

    Args:
        points: what `sample_deals` returns.
    """
    chances = np.zeros((len(PHASES), HOLES + 1, HOLES + 1))
    _work_back(points, chances)
    return chances


def save_chances(path: Path, chances: npt.NDArray[np.float64]) -> None:
    """Write the chances as lines of text: phase, points that the pone and the dealer lack, the chance of the pone."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write("phase,pone_to_go,dealer_to_go,pone_wins\n")
        for number, phase in enumerate(PHASES):
            for pone in range(1, HOLES + 1):
                for dealer in range(1, HOLES + 1):
                    file.write(f"{phase},{pone},{dealer},{chances[number, pone, dealer]:.4f}\n")


@compiled
def _sample(
    states: npt.NDArray[np.void], policy: PeggingPolicy, table: ChanceTable, buffers: Buffers,
    generator: npt.NDArray[np.uint64], points: npt.NDArray[np.int8],
) -> None:  # fmt: skip
    """Play deals, and write who scored what, in order: plus for the pone, minus for the dealer."""
    state = states[0]
    seen = np.empty(SIZE, np.float32)
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
            apply_action(state, decide(seen, policy, table, uniform_float(generator), buffers))
            if playing:
                points[row, 1 + plays] = _pegged(state) - before
                plays += 1
        dealer = int(state.dealer)
        points[row, 0] = -state.tally[dealer, HEELS]
        points[row, 9] = state.tally[1 - dealer, PONE_HAND]
        points[row, 10] = -state.tally[dealer, DEALER_HAND]
        points[row, 11] = -state.tally[dealer, CRIB]


@rule
def _pegged(state: State) -> int:
    """The points of the pone in the play less those of the dealer."""
    dealer = int(state.dealer)
    return int(state.tally[1 - dealer, 0]) - int(state.tally[dealer, 2])


@compiled
def _work_back(points: npt.NDArray[np.int8], chances: npt.NDArray[np.float64]) -> None:
    holes = chances.shape[1] - 1
    for together in range(2, 2 * holes + 1):
        for pone in range(max(1, together - holes), min(holes, together - 1) + 1):
            dealer = together - pone
            for phase in range(chances.shape[0]):
                wins = 0.0
                for row in range(points.shape[0]):
                    mine = pone
                    theirs = dealer
                    column = int(_FIRST[phase])
                    while column < _COLUMNS and mine > 0 and theirs > 0:
                        gain = int(points[row, column])
                        mine -= max(gain, 0)
                        theirs += min(gain, 0)
                        column += 1
                    if mine <= 0:
                        wins += 1.0
                    elif theirs > 0:
                        wins += 1.0 - chances[0, theirs, mine]
                chances[phase, pone, dealer] = wins / points.shape[0]

"""Trees by whole states: counts against combinatorics, symmetry, and games that cannot be enumerated."""

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.solvers.optimum import solver

GAME = find("OnePlayPoker-v0")


@pytest.mark.parametrize(
    ("decisions", "states", "histories"), [(3, (5_536, 432), 391_249), (4, (49_216, 2_944), 1_090_129)]
)
def test_number_of_states_agrees_with_combinatorics(decisions: int, states: tuple[int, int], histories: int) -> None:
    """Pairs of hands, times the bets made before; up to permutations of the suits by Burnside's lemma."""
    known = solver(GAME, GAME.parse_options({"decisions": decisions}))
    for tree, expected in zip((known.tree, known.small), states, strict=True):
        assert tree.num_info_sets == expected
        assert np.count_nonzero(tree.arrays.seats == 0) == expected
        assert tree.num_histories == histories


def test_a_game_of_several_seats_is_refused() -> None:
    game = find("CorellianSpike-v0")
    with pytest.raises(CardgymError, match="has 2 seats: only games of one player"):
        solver(game, game.parse_options())

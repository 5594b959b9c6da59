"""Trees by whole states: counts against combinatorics, symmetry, and games that cannot be enumerated."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.solvers.optimum import solver

GAME = find("OnePlayPoker-v0")


def orbits(own: int, house: int) -> int:
    """The number of pairs of hands up to permutations of the suits, by Burnside's lemma."""
    cards = [(rank, suit) for rank in range(4) for suit in range(4)]
    fixed = 0
    for order in itertools.permutations(range(4)):
        for mine in itertools.combinations(cards, own):
            if {(rank, order[suit]) for rank, suit in mine} != set(mine):
                continue
            left = [card for card in cards if card not in mine]
            for theirs in itertools.combinations(left, house):
                fixed += {(rank, order[suit]) for rank, suit in theirs} == set(theirs)
    assert fixed % 24 == 0
    return fixed // 24


HANDS = {1: (1, 0), 2: (1, 1), 3: (2, 1), 4: (2, 2)}  # Cards of the player and the house, by cards out.


@pytest.mark.parametrize(("decisions", "states"), [(3, (5_536, 432)), (4, (49_216, 2_944))])
def test_number_of_states_agrees_with_combinatorics(decisions: int, states: tuple[int, int]) -> None:
    known = solver(GAME, GAME.parse_options({"decisions": decisions}))
    histories, level = 1, 1
    for out in range(1, 5):
        level *= 17 - out  # A card is dealt.
        histories += level
        if out <= decisions:
            level *= 2  # A bet, or none.
            histories += level
    for tree, expected in zip((known.tree, known.small), states, strict=True):
        hands = {
            out: orbits(own, house) if tree.symmetric else comb(16, own) * comb(16 - own, house)
            for out, (own, house) in HANDS.items()
        }
        # Before decision k the player has made 0 to k - 1 bets.
        assert tree.num_info_sets == expected == sum(hands[out] * out for out in range(1, decisions + 1))
        assert np.count_nonzero(tree.arrays.seats == 0) == tree.num_info_sets
        assert tree.num_histories == histories


def test_a_game_of_several_seats_is_refused() -> None:
    game = find("CorellianSpike-v0")
    with pytest.raises(CardgymError, match="has 2 seats: only games of one player"):
        solver(game, game.parse_options())

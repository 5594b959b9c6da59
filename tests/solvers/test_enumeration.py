"""Trees by whole states: counts against combinatorics, symmetry, and games that cannot be enumerated."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.states import new_state
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


def test_edges_follow_the_rules() -> None:
    tree = solver(GAME, GAME.parse_options()).tree
    degrees = np.diff(tree.arrays.first_edge)
    decides = tree.arrays.seats == 0
    assert set(degrees[decides]) == {2}
    assert degrees[-1] == 16
    assert np.add.reduceat(tree.arrays.chances, tree.arrays.first_edge[:-1])[~decides] == pytest.approx(1.0)
    rewards = tree.rewards[:, 0]
    last = tree.set_states["dealt"][tree.arrays.info_sets] == 3  # Here the end may follow at once.
    early = np.repeat(decides & ~last, degrees)
    assert set(rewards[early][0::2]) == {0.0}
    assert set(rewards[early][1::2]) == {-1.0}
    assert set(rewards[np.repeat(~decides, degrees)]) == {0, 1, 2, 3, 4, 6, 8}
    assert np.array_equal(tree.find(tree.set_states), np.arange(tree.num_info_sets))


def test_symmetric_states_are_one() -> None:
    small = solver(GAME, GAME.parse_options()).small
    state = new_state(GAME, GAME.parse_options())
    places = set()
    for suits in itertools.permutations(range(4), 3):
        GAME.rules.setup(state[0])
        for rank, suit in zip((2, 0, 2), suits, strict=True):
            left = [card for card in range(16) if int(state[0].deck) >> card & 1]
            GAME.rules.apply_action(state[0], left.index(rank * 4 + suit))
            GAME.rules.apply_action(state[0], 1) if int(state[0].dealt) < 3 else None
        places.add(int(small.find(state)[0]))
    assert len(places) == 1
    assert places != {-1}


def test_a_game_of_several_seats_is_refused() -> None:
    game = find("CorellianSpike-v0")
    with pytest.raises(CardgymError, match="has 2 seats: only games of one player"):
        solver(game, game.parse_options())

"""Enumeration: counts against combinatorics, symmetry, limits, and games that cannot be enumerated."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.states import new_state
from cardgym.solvers.enumeration import enumerate_game
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


@pytest.mark.parametrize("decisions", [3, 4])
@pytest.mark.parametrize("symmetric", [False, True])
def test_number_of_states_agrees_with_combinatorics(decisions: int, symmetric: bool) -> None:
    def hands(out: int) -> int:
        own, house = HANDS[out]
        return orbits(own, house) if symmetric else comb(16, own) * comb(16 - own, house)

    mdp = enumerate_game(GAME, GAME.parse_options({"decisions": decisions}), symmetric=symmetric)
    # Before decision k the player has made 0 to k - 1 bets.
    assert mdp.num_states == sum(hands(out) * out for out in range(1, decisions + 1))
    # Chance comes before the first card, and after a decision with 0 to k bets.
    assert mdp.num_chance == 1 + sum(hands(out) * (out + 1) for out in range(1, 4))
    assert mdp.num_ends == hands(4) * (decisions + 1)


def test_known_counts() -> None:
    counts = {}
    for decisions in (3, 4):
        known = solver(GAME, GAME.parse_options({"decisions": decisions}))
        counts[decisions] = (known.mdp.num_states, known.small.num_states)
    assert counts == {3: (5_536, 432), 4: (49_216, 2_944)}


def test_edges_follow_the_rules() -> None:
    mdp = enumerate_game(GAME, GAME.parse_options())
    degrees = np.diff(mdp.offsets)
    assert set(degrees[: mdp.num_states]) == {2}
    assert sorted(set(degrees[mdp.num_states : mdp.end].tolist())) == [13, 14, 15, 16]
    assert degrees[mdp.start] == 16
    bets = np.repeat(np.arange(mdp.end + 1), degrees) < mdp.num_states
    assert np.array_equal(mdp.rewards[bets], -mdp.moves[bets])
    assert set(mdp.rewards[~bets].tolist()) == {0, 1, 2, 3, 4, 6, 8}
    assert np.array_equal(mdp.find(mdp.states), np.arange(mdp.num_states))


def test_symmetric_states_are_one() -> None:
    small = enumerate_game(GAME, GAME.parse_options(), symmetric=True)
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
        enumerate_game(game, game.parse_options())


def test_a_game_too_large_is_refused() -> None:
    with pytest.raises(CardgymError, match=r"more than 1,000 states: too many to enumerate"):
        enumerate_game(GAME, GAME.parse_options(), limit=1_000)

"""Kuhn poker: the contract suite, hand-played lines, and its known figures in exact fractions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import kuhn_poker
import pytest
from kuhn_poker import BET, PASS

from cardgym.testing import ContractSuite, StateDriver

JACK, QUEEN, KING = range(3)


class TestContract(ContractSuite):
    game = "kuhn_poker:KuhnPoker-v0"
    golden = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("actions", "paid"),
    [
        ((PASS, PASS), 1),
        ((PASS, BET, PASS), -1),
        ((PASS, BET, BET), 2),
        ((BET, PASS), 1),
        ((BET, BET), 2),
    ],
)
@pytest.mark.parametrize("ante", [1, 2])
def test_the_five_lines_of_play_when_seat_0_holds_the_king(actions: tuple[int, ...], paid: int, ante: int) -> None:
    table = Table(kuhn_poker.GAME, kuhn_poker.KuhnOptions(ante=("one", "two")[ante - 1]))
    table.play(KING, QUEEN)
    rewards = table.play(*actions)
    more = (ante - 1) * (1 if paid > 0 else -1)
    assert table.over
    assert rewards[:2].tolist() == [paid + more, -(paid + more)]


# A solver of its own: it knows the game only by the rules' functions, and works in fractions.

Strategy = dict[str, Fraction]
"""The probability of BET at each information set, named `card:history`."""


def information_set(table: Table, history: str) -> str:
    return f"{table.state.cards[table.seat]}:{history}"


def leaves(table: Table, history: str = "", chance: Fraction = Fraction(1)) -> Iterator[tuple[Table, str, Fraction]]:
    """Every decision of the game, with its history of actions and the probability of its cards."""
    if table.over:
        return
    if not table.num_chance_outcomes:
        yield table, history, chance
    moves = range(table.num_chance_outcomes) if table.num_chance_outcomes else table.legal_actions()
    for move in moves:
        after = table.copy()
        after.apply(move)
        told, share = (
            (history, chance / table.num_chance_outcomes)
            if table.num_chance_outcomes
            else (history + "pb"[move], chance)
        )
        yield from leaves(after, told, share)


def value(table: Table, strategy: Strategy, history: str = "") -> Fraction:
    """What seat 0 gets on average when both seats follow `strategy`."""
    if table.over:
        return Fraction(0)
    total = Fraction(0)
    moves = range(table.num_chance_outcomes) if table.num_chance_outcomes else table.legal_actions()
    for move in moves:
        if table.num_chance_outcomes:
            share, told = Fraction(1, table.num_chance_outcomes), history
        else:
            bets = strategy[information_set(table, history)]
            share, told = (bets if move == BET else 1 - bets), history + "pb"[move]
        if share:
            after = table.copy()
            paid = after.apply(move)
            total += share * (Fraction(float(paid[0])) + value(after, strategy, told))
    return total


def equilibrium(alpha: Fraction) -> Strategy:
    """Kuhn's equilibria, one for each alpha in [0, 1/3]: the first player bets the jack with probability alpha."""
    third = Fraction(1, 3)
    return {
        "0:": alpha, "1:": Fraction(0), "2:": 3 * alpha,
        "0:pb": Fraction(0), "1:pb": alpha + third, "2:pb": Fraction(1),
        "0:p": third, "1:p": Fraction(0), "2:p": Fraction(1),
        "0:b": Fraction(0), "1:b": third, "2:b": Fraction(1),
    }  # fmt: skip


def test_there_are_12_information_sets() -> None:
    sets = {information_set(table, history) for table, history, _ in leaves(Table(kuhn_poker.GAME))}
    assert len(sets) == 12
    assert sets == set(equilibrium(Fraction(0)))


def test_the_index_tells_the_information_sets_apart() -> None:
    indices = {
        (information_set(table, history), table.index(table.seat))
        for table, history, _ in leaves(Table(kuhn_poker.GAME))
    }
    assert len(indices) == len({name for name, _ in indices}) == len({index for _, index in indices}) == 12


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 5), Fraction(1, 3)])
def test_the_first_player_loses_an_eighteenth_and_nobody_can_do_better(alpha: Fraction) -> None:
    strategy = equilibrium(alpha)
    assert value(Table(kuhn_poker.GAME), strategy) == Fraction(-1, 18)
    # A best response can be pure: try all 64 of each player.
    for seat, sign in ((0, 1), (1, -1)):
        own = sorted(name for name in strategy if len(name.partition(":")[2]) % 2 == seat)
        assert len(own) == 6
        best = max(
            sign * value(Table(kuhn_poker.GAME), strategy | dict(zip(own, map(Fraction, bets), strict=True)))
            for bets in itertools.product((PASS, BET), repeat=6)
        )
        assert best == sign * Fraction(-1, 18)


def test_an_alpha_beyond_a_third_can_be_exploited() -> None:
    strategy = equilibrium(Fraction(1, 3)) | {"0:": Fraction(1, 2), "2:": Fraction(1)}
    assert value(Table(kuhn_poker.GAME), strategy | {"1:b": Fraction(1)}) < Fraction(-1, 18)

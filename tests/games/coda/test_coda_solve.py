"""The exact ceiling of Coda with one tile each: against an independent search, known values, and play."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from cardgym.engine.kernel import RESET
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.games.coda.solve import RANDOM, solve, solve_first
from cardgym.games.coda.state import CodaOptions
from cardgym.players.base import CompiledPlayer
from cardgym.players.seating import SeatedBatch, game_keys

World = tuple[int, frozenset[int]]
"""The opponent's first tile and the pool."""


@cache
def solved(**settings: Any) -> dict[str, Any]:
    return solve(CodaOptions(**settings))


def ceiling(n: int, agent_first: bool, colour_visible: bool, opponent_names_all: bool = False) -> Fraction:
    """The best win rate, by search over the sets of worlds that the agent cannot tell apart.

    Written from the rules alone: worlds are pairs of the opponent's tile and the pool, told apart by what the agent
    sees (tiles drawn and shown, their side of the hidden tile, its colour, what is named), weighted by chance.
    """

    def agent_draws(worlds: dict[World, Fraction], own: int) -> Fraction:
        if len(next(iter(worlds))[1]) == 1:
            return sum(worlds.values(), Fraction(0))
        seen: dict[int, dict[World, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        for (b, pool), weight in worlds.items():
            for tile in pool:
                seen[tile][b, pool - {tile}] += weight / len(pool)
        return sum((agent_guesses(part, own) for part in seen.values()), Fraction(0))

    def agent_guesses(worlds: dict[World, Fraction], own: int) -> Fraction:
        best = opponent_moves(worlds, own)  # A guess known to miss.
        for value in {b for b, _ in worlds}:
            hit = sum((weight for (b, _), weight in worlds.items() if b == value), Fraction(0))
            missed = {world: weight for world, weight in worlds.items() if world[0] != value}
            best = max(best, hit + (opponent_moves(missed, own) if missed else 0))
        return best

    known: dict[object, Fraction] = {}

    def opponent_moves(worlds: dict[World, Fraction], own: int) -> Fraction:
        whole = sum(worlds.values(), Fraction(0))
        key = (own, frozenset((world, weight / whole) for world, weight in worlds.items()))
        if key not in known:
            known[key] = answer({world: weight / whole for world, weight in worlds.items()}, own)
        return known[key] * whole

    def answer(worlds: dict[World, Fraction], own: int) -> Fraction:
        seen: dict[tuple[int, bool, int], dict[World, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        for (b, pool), weight in worlds.items():
            if len(pool) == 1:
                return Fraction(0)
            for tile in pool:
                left = pool - {tile}
                names = set(range(n)) if opponent_names_all else left | {own}
                for name in names - {own}:
                    seen[tile, tile < b, name][b, left] += weight / len(pool) / len(names)
        return sum((agent_draws(part, own) for part in seen.values()), Fraction(0))

    total = Fraction(0)
    for own in range(n):
        groups: dict[int, dict[World, Fraction]] = defaultdict(dict)
        for b in set(range(n)) - {own}:
            pool = frozenset(range(n)) - {own, b}
            groups[b % 2 if colour_visible else 0][b, pool] = Fraction(1, n * (n - 1))
        for worlds in groups.values():
            total += agent_draws(worlds, own) if agent_first else opponent_moves(worlds, own)
    return total


@pytest.mark.parametrize(
    ("n", "agent_first", "colour_visible"),
    [(6, True, True), (6, True, False), (6, False, True), (6, False, False), (8, True, True)],
)
def test_the_ceiling_with_few_tiles(n: int, agent_first: bool, colour_visible: bool) -> None:
    found = solved(n=n, first="0" if agent_first else "1", colour_visible=colour_visible)
    assert found["optimum"] == pytest.approx(float(ceiling(n, agent_first, colour_visible)), abs=1e-12)


def test_the_ceiling_where_any_value_may_be_named() -> None:
    assert solved(n=6, feasible="all")["optimum"] == pytest.approx(float(ceiling(6, True, True, True)), abs=1e-12)


def test_known_values() -> None:
    """The facts of the rules: computed independently of this solver, to five or six digits."""
    found = solved()
    assert found["optimum"] == pytest.approx(0.88661, abs=5e-6)
    assert found["policies"]["heuristic"] == pytest.approx(0.83546, abs=5e-6)
    assert found["policies"]["random"] == pytest.approx(0.5, abs=1e-12)
    assert found["optimum"] > found["policies"]["bayes"] > found["policies"]["random-consistent"]
    assert found["settings"]["n"] == 24
    assert (found["env"], found["opponent"]) == ("Coda-v0", "random")


def test_random_over_all_values_against_itself() -> None:
    rate = (23 / 24) ** 2
    by_hand = (1 - rate**11) / (1 - rate) / 24  # Eleven guesses of the first mover's, ten of the second's.
    assert by_hand == pytest.approx(0.310432, abs=5e-7)
    assert solve_first(24, True, True, RANDOM, 24) == pytest.approx(by_hand, abs=1e-12)


def test_a_random_first_mover_is_the_mean_of_both() -> None:
    both = [solved(n=10, first=first)["optimum"] for first in ("0", "1", "random")]
    assert both[2] == pytest.approx((both[0] + both[1]) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("player", "settings"),
    [
        ("heuristic", {}),
        ("bayes", {}),
        ("random-consistent", {"n": 16, "first": "1"}),
        ("bayes", {"n": 16, "first": "1", "colour_visible": "no"}),
        ("heuristic", {"n": 12, "colour_visible": "no"}),
        ("heuristic", {"n": 16, "feasible": "all"}),
        ("random", {"n": 12, "feasible": "all"}),
    ],
)
def test_play_agrees(player: str, settings: dict[str, Any]) -> None:
    games = 60_000
    found = solved(**settings)
    rate = won(player, "random", games, CodaOptions(**settings))
    exact = found["policies"][player]
    assert abs(rate - exact) < 4.5 * (exact * (1 - exact) / games) ** 0.5


def won(player: str, opponent: str, games: int, options: CodaOptions) -> float:
    rows = 2000
    table = SeatedBatch(find("Coda-v0"), options, rows, [CompiledPlayer(player), CompiledPlayer(opponent)])
    table.seat(table.numbers)
    table.seed(game_keys(2019, rows))
    wins = 0
    for _ in range(games // rows):
        table.step(np.zeros(rows, np.int64), np.full(rows, RESET, np.uint8))
        wins += int((table.batch.plain_states["winner"] == 0).sum())
    return wins / games


@pytest.mark.parametrize(
    "settings",
    [{"n_start": 2}, {"jokers": 2}, {"empty": "play_on"}, {"feasible": "colour"}],
)
def test_what_is_not_solved(settings: dict[str, Any]) -> None:
    with pytest.raises(CardgymError, match="solve"):
        solved(**settings)


def test_an_opponent_that_is_not_random() -> None:
    with pytest.raises(CardgymError, match="bayes"):
        solve(CodaOptions(), "bayes")

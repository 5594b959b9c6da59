"""Coda with one tile each, solved exactly: against an independent search, known values, and games played."""

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
from cardgym.games.coda.state import CodaOptions
from cardgym.papers.coda.one_tile import RANDOM, solve_first, win_rates
from cardgym.players import CompiledPlayer
from cardgym.players.seats import SeatedBatch, game_keys

World = tuple[int, frozenset[int]]
"""The opponent's first tile and the pool."""


@cache
def solved(**settings: Any) -> dict[str, Any]:
    return win_rates(CodaOptions(**settings))


def best_win_rate(n: int, agent_first: bool, color_visible: bool, opponent_names_all: bool = False) -> Fraction:
    """The best win rate, by search over the sets of worlds that the agent cannot tell apart.

    Written from the rules alone. A world is the opponent's tile and the pool, weighted by its probability. The agent
    tells worlds apart by what it sees: tiles drawn and shown, their side of the hidden tile, its color, and what is
    named.
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

    values: dict[object, Fraction] = {}

    def opponent_moves(worlds: dict[World, Fraction], own: int) -> Fraction:
        total = sum(worlds.values(), Fraction(0))
        key = (own, frozenset((world, weight / total) for world, weight in worlds.items()))
        if key not in values:
            values[key] = value_of({world: weight / total for world, weight in worlds.items()}, own)
        return values[key] * total

    def value_of(worlds: dict[World, Fraction], own: int) -> Fraction:
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
            groups[b % 2 if color_visible else 0][b, pool] = Fraction(1, n * (n - 1))
        for worlds in groups.values():
            total += agent_draws(worlds, own) if agent_first else opponent_moves(worlds, own)
    return total


@pytest.mark.parametrize(
    ("n", "agent_first", "color_visible"),
    [
        (6, True, True),
        (6, True, False),
        (6, False, True),
        (6, False, False),
        pytest.param(8, True, True, marks=pytest.mark.slow),
    ],
)
def test_optimum_with_few_tiles_agrees_with_search(n: int, agent_first: bool, color_visible: bool) -> None:
    optimum = solved(n=n, first="0" if agent_first else "1", color_visible=color_visible)["optimum"]
    assert optimum == pytest.approx(float(best_win_rate(n, agent_first, color_visible)), abs=1e-12)


def test_optimum_where_any_value_is_legal_agrees_with_search() -> None:
    assert solved(n=6, feasible="all")["optimum"] == pytest.approx(float(best_win_rate(6, True, True, True)), abs=1e-12)


def test_known_values() -> None:
    """Computed independently of this solver, to five digits."""
    rates = solved()
    policies = rates["policies"]
    assert rates["optimum"] == pytest.approx(0.88661, abs=5e-6)
    assert policies["heuristic"] == pytest.approx(0.83546, abs=5e-6)
    assert policies["random"] == pytest.approx(0.5, abs=1e-12)
    assert rates["optimum"] > policies["bayes"] > policies["random-consistent"]


def test_random_over_all_values_against_itself_by_hand() -> None:
    rate = (23 / 24) ** 2
    by_hand = (1 - rate**11) / (1 - rate) / 24  # The first mover makes eleven guesses, the second ten.
    assert by_hand == pytest.approx(0.310432, abs=5e-7)
    assert solve_first(24, True, True, RANDOM, 24) == pytest.approx(by_hand, abs=1e-12)


def test_random_first_mover_gives_the_mean_of_both() -> None:
    both = [solved(n=10, first=first)["optimum"] for first in ("0", "1", "random")]
    assert both[2] == pytest.approx((both[0] + both[1]) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("player", "settings"),
    [
        ("heuristic", {}),
        ("bayes", {}),
        ("random-consistent", {"n": 16, "first": "1"}),
        ("bayes", {"n": 16, "first": "1", "color_visible": "no"}),
        ("heuristic", {"n": 12, "color_visible": "no"}),
        ("heuristic", {"n": 16, "feasible": "all"}),
        ("random", {"n": 12, "feasible": "all"}),
    ],
)
def test_games_played_agree(player: str, settings: dict[str, Any]) -> None:
    games = 60_000
    exact = solved(**settings)["policies"][player]
    rate = win_rate(player, "random", games, CodaOptions(**settings))
    assert abs(rate - exact) < 4.5 * (exact * (1 - exact) / games) ** 0.5


def win_rate(player: str, opponent: str, games: int, options: CodaOptions) -> float:
    rows = 2000
    seated = SeatedBatch(find("Coda-v0"), options, rows, [CompiledPlayer(player), CompiledPlayer(opponent)])
    seated.seat(seated.numbers)
    seated.seed(game_keys(2019, rows))
    wins = 0
    for _ in range(games // rows):
        seated.step(np.zeros(rows, np.int64), np.full(rows, RESET, np.uint8))
        wins += int((seated.batch.plain_states["winner"] == 0).sum())
    return wins / games


@pytest.mark.parametrize(
    "settings",
    [{"n_start": 2}, {"jokers": 2}, {"empty": "play_on"}, {"feasible": "color"}],
)
def test_options_that_cannot_be_solved_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(CardgymError, match=r"n_start=1|feasible"):
        solved(**settings)


def test_opponent_that_is_not_random_is_refused() -> None:
    with pytest.raises(CardgymError, match="bayes"):
        win_rates(CodaOptions(), "bayes")

"""Coda with one tile each, solved exactly: against the tree of its rules, known values, and games played."""

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
from cardgym.solvers.best_response import best_response
from cardgym.solvers.tree import enumerate_tree


@cache
def solved(**settings: Any) -> dict[str, Any]:
    return win_rates(CodaOptions(**settings))


@pytest.mark.parametrize(
    "settings",
    [{}, {"color_visible": "no"}, {"first": "1"}, {"first": "1", "color_visible": "no"}, {"feasible": "all"}],
)
def test_the_optimum_with_few_tiles_is_a_best_response_in_the_tree(settings: dict[str, Any]) -> None:
    """The tree is played by the rules, and knows nothing of the solver's words; a win pays 1, a loss -1."""
    tree = enumerate_tree(find("Coda-v0"), CodaOptions(n=6, **{"first": "0", **settings}))
    exact = (1.0 + best_response(tree, tree.uniform(), 0).value) / 2.0
    assert solved(n=6, **{"first": "0", **settings})["optimum"] == pytest.approx(exact, abs=1e-12)


def test_known_values() -> None:
    """Computed independently of this solver, to five digits."""
    rates = solved()
    policies = rates
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
    exact = solved(**settings)[player]
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

"""Ratings of people against measured players and puzzles."""

from __future__ import annotations

import random
from typing import Any

import pytest

import cardgym
from cardgym.table.coach.advice import ActionAdvice, Advice
from cardgym.table.coach.ratings import MAX_PUZZLE, Skill, puzzle_points, ratings
from cardgym.table.presentation import presentation_of

ENV = "Cribbage-v0"


def entry(opponent: str, won: bool, **more: Any) -> dict[str, Any]:
    paid = 1.0 if won else -1.0
    players = [{"name": "human", "seat": 1, "return": paid}, {"name": opponent, "seat": 0, "return": -paid}]
    options = cardgym.find(ENV).parse_options().asdict()
    return {"env": ENV, "options": options, "finished": True, "person": 1, "about": {}, "players": players, **more}


@pytest.mark.parametrize("strength", [-150, 60, 250])
def test_the_rating_of_a_person_of_known_strength_is_found(strength: int) -> None:
    """Games won with the odds of Elo's model: 400 points are 10 to 1."""
    measured, rng = presentation_of(cardgym.find(ENV)).ratings[ENV], random.Random(strength)
    games = []
    for _ in range(400):
        name = rng.choice([name for name in measured if name != "random"])
        games.append(entry(name, rng.random() < 1.0 / (1.0 + 10.0 ** ((measured[name] - strength) / 400.0))))
    [found] = ratings(games)
    assert found["games"] == 400
    assert found["half_width"] < 120
    assert abs(found["rating"] - strength) < found["half_width"]
    assert found["curve"][-1] == (found["rating"], found["half_width"])


def test_only_whole_games_against_measured_players_count() -> None:
    assert [found["games"] for found in ratings([entry("greedy", True)] * 3)] == [3]
    for other in (
        entry("human", True),
        entry("my_network.safetensors", True),
        entry("greedy", True, finished=False),
        entry("greedy", True, person=None),
        entry("greedy", True, about={"again": "x"}),
        entry("greedy", True, about={"table": "hot"}),
        entry("greedy", True, options={**entry("greedy", True)["options"], "target": 61}),
        entry("greedy", True, env="NoSuchGame-v0"),
    ):
        assert ratings([other]) == []


def test_a_win_raises_a_loss_lowers_and_a_tie_draws_near() -> None:
    start = Skill()
    assert start.after([0.0], [0, 1]).points > start.points > start.after([0.0], [1, 0]).points
    assert 0 < start.after([300.0], [0, 0]).points < 300
    three = start.after([0.0, 100.0], [1, 0, 2])
    assert start.after([0.0, 100.0], [0, 1, 2]).points > three.points
    assert three.half_width < start.half_width


@pytest.mark.parametrize("env", cardgym.registered())
def test_levels_are_rated_in_their_order(env: str) -> None:
    presentation = presentation_of(cardgym.find(env))
    rated = presentation.ratings.get(env, {})
    order = [rated[name] for name in presentation.levels.get(env, ()) if name in rated]
    assert order == sorted(order)


def test_puzzles_with_closer_and_more_actions_are_harder() -> None:
    def advice(*values: float) -> Advice:
        actions = tuple(ActionAdvice(number, str(number), value) for number, value in enumerate(values))
        return Advice("guess", "credits", "nobody", actions, blunder=1.0)

    assert puzzle_points(advice(1.0, 1.0)) == pytest.approx(0.0)  # A coin decides.
    assert puzzle_points(advice(2.0, 0.0)) < puzzle_points(advice(1.0, 0.0)) < 0
    assert puzzle_points(advice(1.0, 0.0)) < puzzle_points(advice(1.0, 0.0, 0.0))
    assert puzzle_points(advice(99.0, 0.0)) == -MAX_PUZZLE

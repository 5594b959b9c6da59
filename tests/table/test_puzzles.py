"""Puzzles, decisions with one clearly best action, and ratings of people against measured players and puzzles."""

import itertools
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import cardgym
from cardgym import CardgymError
from cardgym.table.coach import puzzles
from cardgym.table.coach.advice import ActionAdvice, Advice
from cardgym.table.coach.coach import Coach
from cardgym.table.coach.puzzles import find_puzzle, is_clear
from cardgym.table.coach.ratings import MAX_PUZZLE, Skill, puzzle_points, ratings
from cardgym.table.presentation import presentation_of
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

GAME = cardgym.find("OnePlayPoker-v0")
OPTIONS = GAME.parse_options()


def advice(*values: float, error: float = 0.0) -> Advice:
    actions = tuple(ActionAdvice(number, "", value, error=error) for number, value in enumerate(values))
    return Advice("bet", "credits", "a test", actions, blunder=1.0)


def test_a_puzzle_has_a_margin_beyond_the_error() -> None:
    assert is_clear(advice(1.0, 0.4))
    assert not is_clear(advice(1.0, 0.6))  # Less than half a blunder.
    assert not is_clear(advice(1.0, 0.4, error=0.7))
    assert not is_clear(advice(1.0))


def test_puzzles_repeat_with_their_seed_and_differ_between_seeds() -> None:
    found = [find_puzzle(GAME, OPTIONS, seed, seconds=60.0) for seed in (1, 1, 2, 3, 4)]
    states = [puzzle.state.tobytes() for puzzle in found]
    assert states[0] == states[1]
    assert len(set(states)) > 1
    for puzzle in found:
        assert is_clear(Coach(GAME, OPTIONS).advise(puzzle.state, puzzle.seat))
        assert puzzle.origin == "from a random deal"
        assert puzzle.people == ("You",)


def test_puzzles_repeat_only_when_all_are_known() -> None:
    seen: set[bytes] = set()
    for seed in range(6):
        puzzle = find_puzzle(GAME, OPTIONS, 1 + seed // 2, seconds=60.0, seen=seen)  # Each seed twice.
        assert puzzle.identity not in seen
        seen.add(puzzle.identity)

    class Everything(set[bytes]):
        def __contains__(self, identity: object) -> bool:
            return True

    assert find_puzzle(GAME, OPTIONS, 1, seconds=60.0, seen=Everything()).identity in seen


def test_puzzles_come_from_the_record_too() -> None:
    entries = []
    rng = np.random.default_rng(1)
    for seed in range(8):
        session = Session(GameSetup(GAME, OPTIONS, [], seed))
        session.play()
        while not session.over:
            session.act(int(rng.choice(session.legal_actions())))
        entries.append({**session.entry(), "id": str(seed), "moves": session.moves, "time": "2026-01-02T00:00"})
    found = [find_puzzle(GAME, OPTIONS, seed, entries, seconds=60.0) for seed in range(8)]
    assert {puzzle.origin for puzzle in found} == {"from a random deal", "from your game of 2026-01-02"}


def test_compilation_takes_none_of_the_time_to_look_for_a_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first advice may compile, and may wait while a review in the background compiles another game."""
    now, valued = [0.0], list[Advice]()
    monkeypatch.setattr(puzzles, "time", SimpleNamespace(monotonic=lambda: now[0]))
    advise = Coach.advise

    def advise_slowly(*arguments: Any) -> Advice:
        now[0] += 1.0 if valued else 60.0
        valued.append(advise(*arguments))
        return valued[-1]

    monkeypatch.setattr(Coach, "advise", advise_slowly)
    monkeypatch.setattr(puzzles, "is_clear", lambda advice: len(valued) == 3)
    assert find_puzzle(GAME, OPTIONS, 1, seconds=5.0).advice is valued[2]


def test_no_puzzle_in_time_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "is_clear", lambda advice: False)
    with pytest.raises(CardgymError, match="try again"):
        find_puzzle(GAME, OPTIONS, 1, seconds=0.0)


# -- ratings ----------------------------------------------------------------------------------------------------------

ENV, SEEDS = "Cribbage-v0", itertools.count()


def entry(opponent: str, won: bool, **more: Any) -> dict[str, Any]:
    paid = 1.0 if won else -1.0
    players = [{"name": "human", "seat": 1, "return": paid}, {"name": opponent, "seat": 0, "return": -paid}]
    options = cardgym.find(ENV).parse_options().asdict()
    named: dict[str, Any] = {"env": ENV, "options": options, "seed": next(SEEDS), "game": 0, "players": players}
    return {**named, "finished": True, "person": 1, "about": {}, **more}


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
    games = [entry("greedy", True) for _ in range(3)]
    assert [found["games"] for found in ratings([*games, *games])] == [3]  # The cards of the others are known.
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
    assert puzzle_points(advice(1.0, 1.0)) == pytest.approx(0.0)  # A coin decides.
    assert puzzle_points(advice(2.0, 0.0)) < puzzle_points(advice(1.0, 0.0)) < 0
    assert puzzle_points(advice(1.0, 0.0)) < puzzle_points(advice(1.0, 0.0, 0.0))
    assert puzzle_points(advice(99.0, 0.0)) == -MAX_PUZZLE

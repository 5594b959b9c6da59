"""Puzzles: decisions with one clearly best action."""

from __future__ import annotations

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

"""The puzzles that pages are solving."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import Any

from starlette.exceptions import HTTPException

from cardgym.table.coach.puzzles import Puzzle
from cardgym.table.coach.ratings import Skill, puzzle_points
from cardgym.table.people import named, with_names
from cardgym.table.presentation import offered, presentation_of, view_of
from cardgym.table.views import listed

_MAX_OPEN = 500
"""Puzzles in memory; the oldest one makes room."""


class Puzzles:
    """Puzzles by their ids, which cannot be guessed. The solution is sent only in reply to an action."""

    def __init__(self) -> None:
        self._puzzles: OrderedDict[str, Puzzle] = OrderedDict()

    def add(self, puzzle: Puzzle) -> dict[str, Any]:
        """A puzzle as its solver may see it."""
        id = secrets.token_urlsafe(16)
        self._puzzles[id] = puzzle
        while len(self._puzzles) > _MAX_OPEN:
            self._puzzles.popitem(last=False)
        texts = dict(sorted((action.action, action.text) for action in puzzle.advice.actions))
        actions = offered(puzzle.game, puzzle.state, list(texts))
        view = with_names(view_of(puzzle.game, puzzle.state, puzzle.seat, actions), puzzle.people, puzzle.seat)
        tip = presentation_of(puzzle.game).tip(puzzle.state, puzzle.seat)
        return {
            "puzzle": id,
            "game": puzzle.game.id,
            "names": puzzle.people,
            "seat": puzzle.seat,
            "origin": puzzle.origin,
            "kind": puzzle.advice.kind,
            "tip": named(tip, puzzle.people, puzzle.seat),
            "rating": puzzle_points(puzzle.advice),
            "view": view,
            "actions": listed(view, {action: texts[action] for action in actions}),
        }

    def solve(self, id: str, action: int, skill: Skill) -> dict[str, Any]:
        """Whether an action is the best one, the values of all, and the solver's rating then.

        Args:
            skill: the solver's skill at the puzzles of this game so far.

        Raises:
            HTTPException: if there is no such puzzle or action.
        """
        puzzle = self._puzzles.get(id)
        if puzzle is None:
            raise HTTPException(404, "there is no such puzzle; ask for another one")
        if action not in {advised.action for advised in puzzle.advice.actions}:
            raise HTTPException(400, f"action {action} is not legal here")
        advice = with_names(puzzle.advice.asdict(), puzzle.people, puzzle.seat)
        right = action == puzzle.advice.best.action
        after = skill.after([puzzle_points(puzzle.advice)], [0, 1] if right else [1, 0])
        return {
            "right": right,
            "cost": puzzle.advice.cost(action),
            "advice": advice,
            "skill": {"mu": after.mu, "sigma": after.sigma},
            "rating": after.points,
            "half_width": after.half_width,
        }

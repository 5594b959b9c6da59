"""The first games for beginners: what they propose is legal, sound, and leads to the end they speak of."""

from __future__ import annotations

import pytest

import cardgym
from cardgym.players.base import resolve
from cardgym.table.coach import Coach
from cardgym.table.presentation import presentation_of
from cardgym.table.session import Session
from cardgym.table.setup import Setup

LESSONS = [env for env in cardgym.registered() if env in presentation_of(cardgym.find(env)).lessons]


@pytest.mark.parametrize("env", LESSONS)
def test_a_lesson_leads_to_its_end_without_a_blunder(env: str) -> None:
    game = cardgym.find(env)
    lesson = presentation_of(game).lessons[env]
    options = game.parse_options(lesson.options)
    players = [resolve(lesson.opponent, game, options)] * (options.num_players - 1)
    session, coach = Session(Setup(game, options, players, lesson.seed, 0)), Coach(game, options)
    session.play()
    for action, text in lesson.steps:
        assert action in session.legal_actions()
        assert not coach.advise(session.state, 0).is_blunder(action)
        assert len(text) <= 160  # The lines kept free on a phone.
        session.act(action)
    assert session.over
    assert session.choices == [action for action, _ in lesson.steps]
    assert game.rules.score(session.state, 0) == game.rules.max_score(session.state)

"""The first games for beginners: what they propose is legal, sound, and leads to the end they speak of."""

from __future__ import annotations

import pytest

import cardgym
from cardgym.players import resolve
from cardgym.table.coach.coach import Coach
from cardgym.table.presentation import Lesson, presentation_of
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

LESSONS = [env for env in cardgym.registered() if env in presentation_of(cardgym.find(env)).lessons]


def begun(env: str) -> tuple[Session, Lesson]:
    game = cardgym.find(env)
    lesson = presentation_of(game).lessons[env]
    options = game.parse_options(lesson.options)
    players = [resolve(lesson.opponent, game, options)] * (options.num_players - 1)
    session = Session(GameSetup(game, options, players, lesson.seed, 0))
    session.play()
    return session, lesson


@pytest.mark.parametrize("env", LESSONS)
def test_a_lesson_leads_to_a_win(env: str) -> None:
    session, lesson = begun(env)
    for action, text in lesson.steps:
        assert action in session.legal_actions()
        assert len(text) <= 160  # The lines kept free on a phone.
        session.act(action)
    assert session.over
    assert session.choices == [action for action, _ in lesson.steps]
    rules = session.game.rules
    assert rules.score(session.state, 0) == rules.max_score(session.state)


@pytest.mark.slow
@pytest.mark.parametrize("env", LESSONS)
def test_a_lesson_teaches_no_blunder(env: str) -> None:
    session, lesson = begun(env)
    coach = Coach(session.game, session.options)
    for action, _ in lesson.steps:
        assert not coach.advise(session.state, 0).is_blunder(action)
        session.act(action)

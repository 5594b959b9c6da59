"""What people get of every game: levels in the order of strength, lessons that lead to a win, drawings."""

import itertools
from xml.etree import ElementTree

import pytest

import cardgym
from cardgym.arena.match import evaluate
from cardgym.engine.jit import JIT_DISABLED
from cardgym.players import player_names, resolve
from cardgym.players.resolver import checkpoints
from cardgym.table.coach.coach import Coach
from cardgym.table.drawings.shapes import sprite, text, text_width
from cardgym.table.presentation import Lesson, Presentation, presentation_of
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

# -- levels -----------------------------------------------------------------------------------------------------------

TOO_SLOW = {("equilibrium", "champion"), ("bayes", "official_ppo"), ("official_ppo", "value-search")}
"""52.3 % [51.1, 53.5] of 2,000 games, 64.1 % [63.3, 65.0], and 55.3 % [52.6, 58.0] of 1,000, with seed 1: margins that
few games do not show, or players that take their time."""


def steps() -> list[tuple[str, str, str]]:
    """Every two levels that follow each other, with the default options."""
    found = []
    for env in cardgym.registered():
        game = cardgym.find(env)
        known = {*player_names(game), *checkpoints(game, game.parse_options())}
        levels = [name for name in presentation_of(game).levels.get(env, ()) if name in known]
        found += [(env, *pair) for pair in itertools.pairwise(levels) if pair not in TOO_SLOW]
    return found


@pytest.mark.skipif(JIT_DISABLED, reason="too slow without compilation")
@pytest.mark.parametrize(("env", "lower", "higher"), steps())
def test_each_level_wins_from_the_one_below(env: str, lower: str, higher: str) -> None:
    [first, _] = evaluate(env, None, [higher, lower], games=400, seed=1).players
    assert first.win_rate > 0.5


def test_only_names_of_players_are_levels() -> None:
    for env in cardgym.registered():
        game = cardgym.find(env)
        assert set(presentation_of(game).levels.get(env, ())) <= {*player_names(game), *checkpoints(game)}


# -- lessons ----------------------------------------------------------------------------------------------------------

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
    for action, why in lesson.steps:
        assert action in session.legal_actions()
        assert len(why) <= 160  # The lines kept free on a phone.
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


# -- drawings ---------------------------------------------------------------------------------------------------------

ALLOWED = {"svg", "symbol", "g", "path", "rect", "circle"}


@pytest.mark.parametrize("game_id", cardgym.registered())
def test_a_sprite_is_plain_svg_that_every_renderer_draws(game_id: str) -> None:
    game = cardgym.find(game_id)
    symbols = presentation_of(game).symbols()
    root = ElementTree.fromstring(sprite(symbols))
    tags = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert tags <= ALLOWED
    assert [element.get("id") for element in root] == list(symbols)
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not attributes & {"style", "class", "href", "font-family", "filter", "onload"}


def test_a_game_without_drawings_has_an_empty_sprite() -> None:
    symbols = Presentation().symbols()
    assert symbols == {}
    assert len(ElementTree.fromstring(sprite(symbols))) == 0


def test_text_is_paths_and_unknown_letters_are_question_marks() -> None:
    drawn = text("7", 0, 0, 20, "#000")
    assert drawn.count("<path") == 1
    assert text_width("\N{SNOWMAN}", 20) == text_width("?", 20)
    assert text_width("77", 20) == 2 * text_width("7", 20)


def test_all_symbols_of_a_game_differ() -> None:
    for game_id in cardgym.registered():
        symbols = presentation_of(cardgym.find(game_id)).symbols().values()
        assert len({symbol.content for symbol in symbols}) == len(symbols)

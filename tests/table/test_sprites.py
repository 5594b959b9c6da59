"""The drawings of a game: one well-formed SVG document without fonts, styles, scripts and references."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import cardgym
from cardgym.table.drawings.shapes import sprite, text, text_width
from cardgym.table.presentation import Presentation, presentation_of

ALLOWED = {"svg", "symbol", "g", "path", "rect", "circle"}


@pytest.mark.parametrize("game_id", cardgym.registered())
def test_a_sprite_is_plain_svg_that_every_renderer_draws(game_id):
    game = cardgym.find(game_id)
    symbols = presentation_of(game).symbols()
    root = ElementTree.fromstring(sprite(symbols))
    tags = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert tags <= ALLOWED
    assert [element.get("id") for element in root] == list(symbols)
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not attributes & {"style", "class", "href", "font-family", "filter", "onload"}


def test_a_game_without_drawings_has_an_empty_sprite():
    symbols = Presentation().symbols()
    assert symbols == {}
    assert len(ElementTree.fromstring(sprite(symbols))) == 0


def test_text_is_paths_and_unknown_letters_are_question_marks():
    drawn = text("7", 0, 0, 20, "#000")
    assert drawn.count("<path") == 1
    assert text_width("\N{SNOWMAN}", 20) == text_width("?", 20)
    assert text_width("77", 20) == 2 * text_width("7", 20)


def test_all_symbols_of_a_game_differ():
    for game_id in cardgym.registered():
        symbols = presentation_of(cardgym.find(game_id)).symbols().values()
        assert len({symbol.content for symbol in symbols}) == len(symbols)

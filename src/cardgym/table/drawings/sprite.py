"""The symbols of a game, and all of them as one SVG document."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.engine.registry import load, package_of
from cardgym.table.drawings.shapes import Symbol


def symbols(game: Game) -> dict[str, Symbol]:
    """The symbols of a game by name: those that its views use. None for a game without drawings."""
    package = package_of(game)
    if package is None or package.drawing is None:
        return {}
    drawn: dict[str, Symbol] = load(package.drawing)()
    return drawn


def sprite(game: Game) -> str:
    """One SVG document with a `<symbol>` for each symbol of the game, its name as the id."""
    parts = [
        f'<symbol id="{name}" viewBox="0 0 {symbol.width} {symbol.height}">{symbol.content}</symbol>\n'
        for name, symbol in symbols(game).items()
    ]
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{"".join(parts)}</svg>\n'

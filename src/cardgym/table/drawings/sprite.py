"""The symbols of a game, and all of them as one SVG document."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.table.drawings.shapes import Symbol
from cardgym.table.presentation import presentation_of


def symbols(game: Game) -> dict[str, Symbol]:
    """The symbols of a game by name: those that its views use. None for a game without drawings."""
    return presentation_of(game).symbols()


def sprite(game: Game) -> str:
    """One SVG document with a `<symbol>` for each symbol of the game, its name as the id."""
    parts = [
        f'<symbol id="{name}" viewBox="0 0 {symbol.width} {symbol.height}">{symbol.content}</symbol>\n'
        for name, symbol in symbols(game).items()
    ]
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{"".join(parts)}</svg>\n'

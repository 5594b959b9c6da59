"""Drawings of what lies on a table: symbols as SVG, made by the games from a few shapes, for pages and pictures."""

from cardgym.table.drawings.shapes import Symbol
from cardgym.table.drawings.sprite import sprite, symbols

__all__ = ["Symbol", "sprite", "symbols"]

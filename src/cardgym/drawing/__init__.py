"""Drawings of what lies on a table: symbols as SVG, made by the games from a few shapes, for pages and pictures."""

from cardgym.drawing.shapes import Symbol
from cardgym.drawing.sprite import sprite, symbols

__all__ = ["Symbol", "sprite", "symbols"]

"""Coda (Da Vinci Code)."""

from cardgym.games.coda.package import PACKAGE

__all__ = ["PACKAGE"]

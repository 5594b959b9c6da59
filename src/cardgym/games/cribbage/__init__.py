"""Cribbage."""

from cardgym.games.cribbage.package import PACKAGE

__all__ = ["PACKAGE"]

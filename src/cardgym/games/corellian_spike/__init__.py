"""Corellian Spike, the Sabacc of the films."""

from cardgym.games.corellian_spike.package import PACKAGE

__all__ = ["PACKAGE"]

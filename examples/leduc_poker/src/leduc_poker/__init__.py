"""Leduc poker for cardgym."""

from leduc_poker.package import PACKAGE

__all__ = ["PACKAGE"]

"""One Play Poker."""

from cardgym.games.one_play_poker.package import PACKAGE

__all__ = ["PACKAGE"]

"""Tournaments: every player against every other on the same deals, with ratings and the equilibrium."""

from cardgym.arena.tournament.runner import tournament
from cardgym.arena.tournament.standings import Standings

__all__ = ["Standings", "tournament"]

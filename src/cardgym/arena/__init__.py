"""The arena: matches between players on the same deals, and what they show, with intervals."""

from cardgym.arena.match import evaluate
from cardgym.arena.report import PlayerReport, Report

__all__ = ["PlayerReport", "Report", "evaluate"]

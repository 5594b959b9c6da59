"""The arena: matches between players on the same deals, reported with intervals."""

from cardgym.arena.match import evaluate
from cardgym.arena.report import PlayerReport, Report

__all__ = ["PlayerReport", "Report", "evaluate"]

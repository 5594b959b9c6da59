"""Cribbage, under both its ids, keeps the contract."""

from __future__ import annotations

from pathlib import Path

from cardgym.testing import ContractSuite

PAGE = Path(__file__).parents[3] / "docs/games/cribbage/README.md"


class TestCribbage(ContractSuite):
    game = "Cribbage-v0"
    page = PAGE


class TestCribbageDeal(ContractSuite):
    """The same rules with other defaults: they are played through under the first id."""

    game = "CribbageDeal-v0"
    cases = 3
    examples = 3

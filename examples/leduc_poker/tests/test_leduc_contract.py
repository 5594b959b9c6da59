"""Leduc poker keeps cardgym's contract."""

from __future__ import annotations

from pathlib import Path

from cardgym.testing import ContractSuite


class TestLeducPoker(ContractSuite):
    game = "LeducPoker-v0"
    page = Path(__file__).parents[1] / "README.md"

"""Kuhn poker keeps cardgym's contract."""

from __future__ import annotations

from pathlib import Path

from cardgym.testing import ContractSuite


class TestKuhnPoker(ContractSuite):
    game = "KuhnPoker-v0"
    page = Path(__file__).parents[1] / "README.md"

"""Corellian Spike keeps the contract."""

from __future__ import annotations

from pathlib import Path

from cardgym.testing import ContractSuite


class TestCorellianSpike(ContractSuite):
    game = "CorellianSpike-v0"
    page = Path(__file__).parents[3] / "docs" / "games" / "corellian_spike" / "README.md"

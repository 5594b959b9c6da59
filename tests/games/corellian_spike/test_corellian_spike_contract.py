"""Corellian Spike keeps the contract."""

from __future__ import annotations

from cardgym.testing import ContractSuite


class TestCorellianSpike(ContractSuite):
    game = "CorellianSpike-v0"

"""Leduc poker keeps cardgym's contract."""

from __future__ import annotations

from cardgym.testing import ContractSuite


class TestLeducPoker(ContractSuite):
    game = "LeducPoker-v0"

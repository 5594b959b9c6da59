"""Kuhn poker keeps cardgym's contract."""

from __future__ import annotations

from cardgym.testing import ContractSuite


class TestKuhnPoker(ContractSuite):
    game = "KuhnPoker-v0"

"""One Play Poker keeps the contract."""

from __future__ import annotations

from cardgym.testing import ContractSuite


class TestOnePlayPoker(ContractSuite):
    game = "OnePlayPoker-v0"
    hides = False  # All cards lie face up.

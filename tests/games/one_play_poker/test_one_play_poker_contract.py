"""One Play Poker keeps the contract."""

from __future__ import annotations

from pathlib import Path

from cardgym.testing import ContractSuite


class TestOnePlayPoker(ContractSuite):
    game = "OnePlayPoker-v0"
    page = Path(__file__).parents[3] / "docs" / "games" / "one_play_poker" / "README.md"
    hides = False  # All cards lie face up.

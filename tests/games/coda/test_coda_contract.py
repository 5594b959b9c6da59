"""Coda, under both its ids, keeps the contract."""

from __future__ import annotations

from cardgym.testing import ContractSuite


class TestCoda(ContractSuite):
    game = "Coda-v0"


class TestCodaOfficial(ContractSuite):
    """The same rules with other defaults: they are played through under the first id."""

    game = "CodaOfficial-v0"
    cases = 3
    examples = 3
    seated = ("random", "heuristic", "bayes")  # `TestCoda` seats the slow `search` too.

"""Cribbage, under its three ids, keeps the contract."""

from __future__ import annotations

import pytest

from cardgym.testing import ContractSuite


class TestCribbage(ContractSuite):
    game = "Cribbage-v0"
    observed = ("full",)


@pytest.mark.slow
class TestCribbageObserved(ContractSuite):
    """Envs with every observation."""

    game = "Cribbage-v0"


@pytest.mark.slow
class TestCribbageDeal(ContractSuite):
    """The same rules with other defaults: they are played through under the first id."""

    game = "CribbageDeal-v0"
    cases = 3
    examples = 3


@pytest.mark.slow
class TestCribbageMini(ContractSuite):
    """The same rules with eight cards."""

    game = "CribbageMini-v0"
    observed = ("full",)
    cases = 2
    examples = 2

"""Cribbage, under its three ids, keeps the contract."""

import pytest

from env_suite import EnvSuite


class TestCribbage(EnvSuite):
    game = "Cribbage-v0"
    observed = ("full",)
    seated = ("random", "greedy", "expert")


@pytest.mark.slow
class TestCribbageObserved(EnvSuite):
    """Envs with every observation, and with the players that are slow to start."""

    game = "Cribbage-v0"


@pytest.mark.slow
class TestCribbageDeal(EnvSuite):
    """The same rules with other defaults: they are played through under the first id."""

    game = "CribbageDeal-v0"
    cases = 3
    examples = 3


@pytest.mark.slow
class TestCribbageMini(EnvSuite):
    """The same rules with eight cards."""

    game = "CribbageMini-v0"
    observed = ("full",)
    cases = 2
    examples = 2

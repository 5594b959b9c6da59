"""Coda, under both its ids, keeps the contract."""

import pytest

from env_suite import EnvSuite


class TestCoda(EnvSuite):
    game = "Coda-v0"
    observed = ("full",)
    cases = 8
    seated = ("random", "heuristic", "bayes")


@pytest.mark.slow
class TestCodaObserved(EnvSuite):
    """More options, and envs with every observation and the slow `search`."""

    game = "Coda-v0"


@pytest.mark.slow
class TestCodaOfficial(EnvSuite):
    """The same rules with other defaults: they are played through under the first id."""

    game = "CodaOfficial-v0"
    observed = TestCoda.observed
    cases = 3
    examples = 3
    seated = TestCoda.seated


@pytest.mark.slow
class TestCodaMini(EnvSuite):
    """The same rules with six tiles."""

    game = "CodaMini-v0"
    observed = ("full",)
    cases = 2
    examples = 2
    seated = ("random",)


@pytest.mark.slow
class TestCodaMiniOfficial(TestCodaMini):
    """Six tiles, two of them jokers."""

    game = "CodaMiniOfficial-v0"

"""Corellian Spike keeps the contract."""

import pytest

from env_suite import EnvSuite


class TestCorellianSpike(EnvSuite):
    game = "CorellianSpike-v0"
    observed = ("full",)
    cases = 8
    seated = ("random", "initial", "heuristic", "random-table")


@pytest.mark.slow
class TestCorellianSpikeObserved(EnvSuite):
    """More options, and envs with every observation."""

    game = "CorellianSpike-v0"


@pytest.mark.slow
class TestSpikeMini(EnvSuite):
    """The same rules with a small deck."""

    game = "SpikeMini-v0"
    observed = ("full",)
    cases = 2
    examples = 2
    seated = ("random",)

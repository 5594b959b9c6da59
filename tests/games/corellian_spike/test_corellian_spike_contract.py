"""Corellian Spike keeps the contract."""

from __future__ import annotations

import pytest

from cardgym.testing import ContractSuite


class TestCorellianSpike(ContractSuite):
    game = "CorellianSpike-v0"
    observed = ("full", "paper")
    cases = 8


@pytest.mark.slow
class TestCorellianSpikeObserved(ContractSuite):
    """More options, and envs with every observation."""

    game = "CorellianSpike-v0"


@pytest.mark.slow
class TestSpikeMini(ContractSuite):
    """The same rules with a small deck."""

    game = "SpikeMini-v0"
    observed = ("full",)
    cases = 2
    examples = 2
    seated = ("random",)

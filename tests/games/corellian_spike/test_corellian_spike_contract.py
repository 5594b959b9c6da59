"""Corellian Spike keeps the contract."""

from __future__ import annotations

import pytest

from cardgym.testing import ContractSuite


class TestCorellianSpike(ContractSuite):
    game = "CorellianSpike-v0"
    observed = ("full", "paper")


@pytest.mark.slow
class TestCorellianSpikeObserved(ContractSuite):
    """Envs with every observation."""

    game = "CorellianSpike-v0"
    cases = 6

"""The contract suite: the tests that every game must pass.

To test a game of your own, write in a test file:

    from cardgym.testing import ContractSuite

    class TestKuhnPoker(ContractSuite):
        game = "KuhnPoker-v0"

`StateDriver` plays a game move by move, with chance outcomes chosen by the caller, for tests and small solvers.

The suite needs the extra `testing` (pytest and hypothesis).
"""

from cardgym.engine.contract import CHANCE, END
from cardgym.testing.cases import option_cases
from cardgym.testing.driver import ContractError, Move, StateDriver, generator
from cardgym.testing.suite import ContractSuite

__all__ = ["CHANCE", "END", "ContractError", "ContractSuite", "Move", "StateDriver", "generator", "option_cases"]

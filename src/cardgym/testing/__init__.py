"""The contract suite: what every game of cardgym is tested for, for games added anywhere.

In a test file of your own:

    from cardgym.testing import ContractSuite

    class TestKuhnPoker(ContractSuite):
        game = "KuhnPoker-v0"

`StateDriver` plays a game one chosen move at a time, chance's too, for hand-played lines and small solvers.

The suite needs the extra `testing` (pytest and hypothesis); PettingZoo's tests are run where PettingZoo is installed.
"""

from cardgym.engine.states import CHANCE, END
from cardgym.testing.cases import option_cases
from cardgym.testing.driver import ContractError, Move, StateDriver, generator
from cardgym.testing.suite import ContractSuite

__all__ = ["CHANCE", "END", "ContractError", "ContractSuite", "Move", "StateDriver", "generator", "option_cases"]

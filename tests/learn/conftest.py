import sys
from pathlib import Path

import pytest

from cardgym import register
from cardgym.engine.contract import Game
from cardgym.experiments.trainers import Trainer

sys.path.insert(0, str(Path(__file__).parent))
from learning_game import TINY, trainer


@pytest.fixture(scope="session")
def tiny() -> Game:
    """The tiny game, registered."""
    return register(TINY)


@pytest.fixture(scope="session")
def dqn() -> Trainer:
    """The training of train/dqn.py."""
    return trainer("dqn")


@pytest.fixture(scope="session")
def tabular() -> Trainer:
    """The training of train/tabular.py."""
    return trainer("tabular")

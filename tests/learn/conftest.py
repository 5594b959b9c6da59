import pytest

from cardgym.experiments.trainers import Trainer
from learning_game import trainer


@pytest.fixture(scope="session")
def dqn() -> Trainer:
    """The training of train/dqn.py."""
    return trainer("dqn")


@pytest.fixture(scope="session")
def tabular() -> Trainer:
    """The training of train/tabular.py."""
    return trainer("tabular")

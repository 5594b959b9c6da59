"""The registry of trainings: every name that `cardgym train`, sweeps, leagues and benchmarks take.

An entry is a function, so that its import happens when the training is used; the first line of its docstring is the
help. docs/algorithms/README.md and CONTRIBUTING.md explain how a training joins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cardgym.errors import require

if TYPE_CHECKING:
    from cardgym.learn.config import TrainingConfig
    from cardgym.learn.run import TrainingResult


class Trainer(NamedTuple):
    """A training that the command line can run.

    Attributes:
        config: the class of its hyper-parameters.
        train: trains with such a config in a folder; see `cardgym.learn.run.run_script`.
    """

    config: type[TrainingConfig]
    train: Callable[[Any, Path, bool], TrainingResult]

    def run(self, name: str, words: Sequence[str]) -> int:
        """Train with the words of a command line; its exit code.

        `name` is that of the script or command, for messages.
        """
        from cardgym.learn.run import run_script

        return run_script(name, self.config, self.train, words)


def dqn() -> Trainer:
    """DQN and double DQN."""
    from cardgym.learn.dqn import DQNConfig, train
    from cardgym.learn.network_training import NetworkTraining

    return Trainer(DQNConfig, NetworkTraining.running(train))


def ppo() -> Trainer:
    """Masked PPO in self-play, with a magnet."""
    from cardgym.learn import ppo, ppo_device
    from cardgym.learn.network_training import NetworkTraining

    def train(config: ppo.PPOConfig, training: NetworkTraining) -> None:
        (ppo_device if config.device_games else ppo).train(config, training)

    return Trainer(ppo.PPOConfig, NetworkTraining.running(train))


def nfsp() -> Trainer:
    """Neural fictitious self-play."""
    from cardgym.learn.network_training import NetworkTraining
    from cardgym.learn.nfsp import NFSPConfig, train

    return Trainer(NFSPConfig, NetworkTraining.running(train))


def tabular() -> Trainer:
    """Q-learning and Sarsa over a table."""
    from cardgym.learn.tabular import TabularConfig, train
    from cardgym.learn.training import Training

    return Trainer(TabularConfig, Training.running(train))


def distill() -> Trainer:
    """Imitate any player with a policy network."""
    from cardgym.learn.distill import DistillConfig, train
    from cardgym.learn.network_training import NetworkTraining

    return Trainer(DistillConfig, NetworkTraining.running(train))


def sb3() -> Trainer:
    """Stable-Baselines3 and sb3-contrib: PPO and DQN, with action masks and without."""
    require("cardgym train sb3", "stable_baselines3", "sb3_contrib")  # First: its extra brings all of `learn`.
    from cardgym.interop.sb3_config import SB3Config

    def train(config: SB3Config, folder: Path, restart: bool) -> TrainingResult:
        from cardgym.interop.sb3_training import train  # Only here: `--help` does not wait for PyTorch.

        return train(config, folder, restart)

    return Trainer(SB3Config, train)


TRAINERS: dict[str, Callable[[], Trainer]] = {
    "dqn": dqn, "ppo": ppo, "nfsp": nfsp, "tabular": tabular, "distill": distill, "sb3": sb3,
}  # fmt: skip

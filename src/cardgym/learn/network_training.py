"""The set-up of a training of networks in self-play, and what such a training adds to `Training`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import torch

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.learn.config import NetworkConfig
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.schedules import crossed
from cardgym.learn.training import Training
from cardgym.players import Player
from cardgym.players.checkpoints import CheckpointPlayer, load_checkpoint, save_checkpoint
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import QNetwork
from cardgym.players.policy_networks import Network, PolicyNetwork

N = TypeVar("N", QNetwork, PolicyNetwork)


class NetworkTraining(Training):
    """The training of networks in self-play; `resume` continues the run in its folder.

    It uses one thread. Inside the context manager denormal numbers are rounded to 0: Adam's moments fade to numbers so
    small that a CPU is slow with them.

    Attributes:
        observation: the name of the observation that the networks read.
        observation_size: its length.
        num_actions: the number of actions.
        device: where the networks learn.
    """

    def __init__(self, config: NetworkConfig, folder: Path, resume: bool = False) -> None:
        torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
        torch.manual_seed(config.seed)
        super().__init__(config, folder, resume)
        for player in self._eval_players:
            if isinstance(player, CheckpointPlayer):
                player.metadata.network_of(player.arrays)  # Draws, so that a seed gives the same weights as ever.
        self.observation = config.observation or self.game.default_observation
        self.observation_size = self.game.observation(self.observation).size(self.options)
        self.num_actions = self.game.actions(self.options)
        self.device = choose_device(config.device)
        self._seed, self._init_from = config.seed, config.init_from
        self._num_envs, self._pool = config.num_envs, OpponentPool.parse(config.opponents, config.total_steps)
        self._team = config.team
        self._num_snapshots, self._snapshot_every = config.num_snapshots, config.snapshot_every
        self._log_every = config.log_every

    def __enter__(self) -> Self:
        torch.set_flush_denormal(True)
        self._stack.callback(torch.set_flush_denormal, False)  # Other code of this process may need them.
        return self

    # -- parts --------------------------------------------------------------------------------------------------------

    def q_network(self, hidden_sizes: tuple[int, ...], *, dueling: bool = False, wide: bool = False) -> QNetwork:
        """Return a Q-network with new weights; `dueling` and `wide` add parts to it."""
        return QNetwork(network_shape(self.game, self.options, self.observation, hidden_sizes, dueling, wide))

    def policy_network(
        self, hidden_sizes: tuple[int, ...], *, wide: bool = False, action_features: tuple[str, ...] = ()
    ) -> PolicyNetwork:
        """Return a policy network with new weights; `wide` and `action_features` add parts to it."""
        shape = network_shape(self.game, self.options, self.observation, hidden_sizes, False, wide, action_features)
        return PolicyNetwork(shape)

    def warm_start(self, network: N) -> N:
        """Return the network, with the weights of the checkpoint that `init_from` names, if it names one."""
        if self._init_from:
            load_weights(network, Path(self._init_from), self.game, self.options, self.observation)
        return network

    def generator(self, stream: int, *key: int) -> np.random.Generator:
        """Return a generator for one purpose, from the run's seed; `key` numbers those with the same stream."""
        return np.random.default_rng(np.random.SeedSequence([self._seed, stream], spawn_key=key))

    def rollout(self, player: Player) -> SelfPlayRollout:
        """Return the games that the player learns from, against the run's opponents."""
        return SelfPlayRollout(
            self.game, self.options, self._num_envs, self._pool, player,
            seed=self._seed, snapshots=self._num_snapshots, seat=self._seat, team=self._team,
        )  # fmt: skip

    # -- the loop -----------------------------------------------------------------------------------------------------

    def start(self, rollout: Any, player: Player, network: Callable[[], Network], /, **parts: Any) -> None:
        """Restore the state saved in the folder if the run resumes and there is one; open the log.

        A step is one of the `decisions` of the rollout, a `SelfPlayRollout` or the like. The player is evaluated, and
        copied as a snapshot; `network` returns the network that checkpoints save; `parts` are saved to resume from,
        together with the rollout.
        """
        self._rollout, self._learner = rollout, player

        def save(path: Path) -> None:
            save_checkpoint(path, network(), self.game, self.options, self.observation, self._config.model_dump())

        self.begin(
            lambda: rollout.decisions, lambda: player, save, {"rollout": rollout, **parts},
            checkpoint="model.safetensors", log_every=self._log_every,
        )  # fmt: skip

    def report(self, *statistics: Callable[[], Mapping[str, float]], **schedules: float) -> None:
        """As `Training.report`; also copies the learner as a snapshot when one is due."""
        if crossed(self._snapshot_every, self._last_step, self.step):
            self._rollout.snapshots.take(self._learner)
        super().report(self._rollout.episodes.statistics, *statistics, **schedules)


def choose_device(name: str) -> torch.device:
    """Return the device of that name; `auto` is a GPU if there is one."""
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise CardgymError("device 'cuda': this machine has no GPU that PyTorch can use; choose cpu or auto")
    return torch.device("cuda" if available and name in ("cuda", "auto") else "cpu")


def load_weights(network: Network, path: Path, game: Game, options: Options, observation: str) -> None:
    """Give a network the weights of a checkpoint.

    The checkpoint's observation may be a shorter one that `observation` extends, and its hidden layers may be narrower:
    what the checkpoint has not weighs 0 for the units that it has, so the network computes what the checkpoint does
    (as in Chen et al., "Net2Net", ICLR 2016). Added units keep their own weights, and learn.

    Raises:
        CardgymError: as `load_checkpoint`, and for another kind of network, other layers, wider ones, or another
            observation.
    """
    other, metadata = load_checkpoint(path, game, options)
    if type(other) is not type(network):
        raise CardgymError(f"init_from {path}: has a {type(other).__name__}, not a {type(network).__name__}")
    if observation not in extensions(game, options, metadata.observation):
        raise CardgymError(
            f"init_from {path}: reads the observation {metadata.observation!r}, not {observation!r}; set `observation`"
        )
    sizes, own = network.shape.hidden_sizes, network.shape
    like = replace(other.shape, inputs=own.inputs, hidden_sizes=sizes, threshold=own.threshold) == own
    narrow = len(other.shape.hidden_sizes) == len(sizes) and all(map(int.__le__, other.shape.hidden_sizes, sizes))
    if not like or not narrow:
        raise CardgymError(f"init_from {path}: its layers are {_layers(other)}, not {_layers(network)} or narrower")
    with torch.no_grad():
        for name, weights in network.state_dict().items():
            trained = other.state_dict()[name]
            weights[: len(trained)] = 0.0
            weights[tuple(map(slice, trained.shape))] = trained


def extensions(game: Game, options: Options, observation: str) -> list[str]:
    """Return the observations of a game that begin with all features of this one, including itself."""
    features = game.observations[observation].features(options)
    return [name for name, other in game.observations.items() if other.features(options)[: len(features)] == features]


def _layers(network: Network) -> str:
    shape = network.shape
    extra = "".join(f", {name}" for name in ("dueling", "wide") if getattr(shape, name))
    return f"{' x '.join(map(str, shape.hidden_sizes))}{extra}"

"""What the training scripts share: the set-up, and progress, logging, evaluation and checkpoints of a training loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import numpy as np
import torch

from cardgym.console.progress import Progress
from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.learn import tags
from cardgym.learn.action_shares import ActionPictures, Watched
from cardgym.learn.config import NetworkConfig
from cardgym.learn.evaluation import Metrics, evaluate_learner, log_evaluation, summary, write_results
from cardgym.learn.opponents import LearningPlayer
from cardgym.learn.resume import STATE_FILE, load_parts, save_parts
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.run import TrainingResult
from cardgym.learn.schedules import Stopwatch, crossed, linear
from cardgym.learn.signals import Saving
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players.base import Player, resolve
from cardgym.players.checkpoints import Network, load_checkpoint, save_checkpoint
from cardgym.players.networks import NetworkPlayer, QNetwork, network_shape
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer

if TYPE_CHECKING:
    from cardgym.learn.tabular.config import TabularConfig

N = TypeVar("N", QNetwork, PolicyNetwork)


class Training:
    """One training: its game, and progress, logging, evaluation and checkpoints. A context manager around all of it.

    A script makes the parts that learn, calls `start`, and calls `report` at the end of each round of its loop.

    Attributes:
        game: the game.
        options: its options.
        checkpoint: the file of the learner.
    """

    def __init__(self, config: NetworkConfig | TabularConfig, folder: Path) -> None:
        """Find the game and the opponents of the evaluations.

        Raises:
            CardgymError: for a game, an option or an opponent that does not exist.
        """
        self.game = find(config.env_id)
        self.options = self.game.parse_options(config.env_options)
        for name in config.eval_opponents:
            resolve(name, self.game, self.options)  # A wrong name fails now, not after minutes of training.
        self._config = config
        self._folder = folder
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def begin(
        self,
        steps: Callable[[], int],
        player: Callable[[], Player],
        save: Callable[[Path], None],
        parts: Mapping[str, Any],
        *,
        checkpoint: str,
        log_every: int,
        resume: bool,
    ) -> None:
        """Restore the state saved in the folder if `resume` asks for it and there is one; open the log.

        Args:
            steps: returns the steps so far; a step is a decision of the learner.
            player: returns the learner as a player, for evaluations.
            save: writes the checkpoint.
            parts: what is saved to resume from, by name; see `cardgym.learn.resume`.
            checkpoint: the name of the checkpoint's file.
            log_every: steps from one entry of the log to the next; 0 for none.
            resume: whether to continue a saved run.
        """
        self.checkpoint = self._folder / checkpoint
        self._steps, self._player, self._save, self._parts = steps, player, save, parts
        self._log_every = log_every
        if resume and (self._folder / STATE_FILE).exists():
            load_parts(self._folder / STATE_FILE, self._config, parts)
        self._last_step = self.step
        self._stopwatch, self._saving = Stopwatch(self.step), Saving(self._config.save_every_minutes)
        self.board = self._stack.enter_context(TensorBoard(self._folder, self.step))
        self.progress = self._stack.enter_context(
            Progress("training", "steps", total=self._config.total_steps, done=self.step, lines=True)
        )
        self.board.hyper_parameters(self._config.model_dump())

    @property
    def step(self) -> int:
        """The learner's decisions so far."""
        return self._steps()

    def linear(self, start: float, end: float, fraction: float = 1.0) -> float:
        """The value at this step of a schedule: a line from `start` to `end` over this fraction of the training."""
        return linear(self.step, start, end, int(fraction * self._config.total_steps))

    def report(self, *statistics: Callable[[], Mapping[str, float]], **schedules: float) -> None:
        """Show progress, log, evaluate and save, whatever is due since the last call.

        Args:
            statistics: return figures of the learners by tag; called only when they are logged.
            schedules: values of this step, logged as `train/<name>`.

        Raises:
            Stopped: once the state is saved, if the run was asked to end.
        """
        config, last_step, step = self._config, self._last_step, self.step
        self._last_step = step
        self.progress(min(step, config.total_steps))
        if crossed(self._log_every, last_step, step):
            self.board.scalars(step, {f"{tags.TRAIN}{name}": value for name, value in schedules.items()})
            self.board.scalars(step, {tags.SPS: self._stopwatch.lap_rate(step)})
            for figures in statistics:
                self.board.scalars(step, figures())
        if config.eval_opponents and crossed(config.eval_every, last_step, step):
            with self._stopwatch.paused():
                self._evaluate_and_log(self._player())
        if crossed(config.save_every, last_step, step) or step >= config.total_steps or self._saving.due():
            self.board.flush()
            self._save(self.checkpoint)
            # Last: if there is a state to resume from, there is a checkpoint.
            save_parts(self._folder / STATE_FILE, config, self._parts)
            self._saving.done()  # The run ends here if it was asked to.

    def finish(self) -> TrainingResult:
        """Run the final evaluation, if the config has one, and write its figures to `results.json`."""
        config, step = self._config, self.step
        speed = {"seconds": self._stopwatch.seconds, "decisions_per_second": self._stopwatch.rate(step)}
        results: dict[str, Metrics] = {}
        if config.final_games and config.eval_opponents:
            self.progress.note(f"final evaluation, {config.final_games:,} games against each opponent")
            results = self._evaluate(self._player(), config.final_games)
        write_results(self._folder, self.board, config.model_dump(), step, results, **speed)
        return TrainingResult(f"{step:,} steps", results, ("Checkpoint", self.checkpoint))

    def _evaluate_and_log(self, player: Player) -> None:
        results = self._evaluate(player, self._config.eval_games)
        self.progress.note(summary(log_evaluation(self.board, self.step, results)))

    def _evaluate(self, player: Player, games: int) -> dict[str, Metrics]:
        """Match the player with each opponent of the config."""
        config = self._config
        return evaluate_learner(self.game, self.options, player, config.eval_opponents, games=games, seat=config.seat)


class NetworkTraining(Training):
    """The training of networks in self-play.

    It uses one thread, and inside the context manager it rounds denormal numbers to 0: moments that fade out become so
    small that a CPU computes with them slowly.

    Attributes:
        observation: the name of the observation that the networks read.
        device: where they learn.
    """

    _config: NetworkConfig

    def __init__(self, config: NetworkConfig, folder: Path) -> None:
        torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
        torch.manual_seed(config.seed)
        super().__init__(config, folder)
        self.observation = config.observation or self.game.default_observation
        self.device = choose_device(config.device)

    def __enter__(self) -> Self:
        torch.set_flush_denormal(True)
        self._stack.callback(torch.set_flush_denormal, False)  # Other code of this process may need them.
        return self

    # -- parts --------------------------------------------------------------------------------------------------------

    def q_network(self, *, dueling: bool, wide: bool) -> QNetwork:
        """A Q-network with the config's hidden layers and new weights."""
        sizes = self._config.hidden_sizes
        return QNetwork(network_shape(self.game, self.options, self.observation, sizes, dueling, wide))

    def policy_network(self, *, wide: bool = False, action_features: tuple[str, ...] = ()) -> PolicyNetwork:
        """A policy network with the config's hidden layers and new weights."""
        sizes = self._config.hidden_sizes
        shape = network_shape(self.game, self.options, self.observation, sizes, False, wide, action_features)
        return PolicyNetwork(shape)

    def warm_start(self, network: N) -> N:
        """The network, with the weights of the checkpoint that `init_from` names, if it names one.

        Raises:
            CardgymError: as `load_checkpoint`, and for a network of another kind or shape.
        """
        if self._config.init_from:
            load_weights(network, Path(self._config.init_from), self.game, self.options, self.observation)
        return network

    @overload
    def player(self, network: QNetwork, name: str = "learner") -> NetworkPlayer: ...
    @overload
    def player(self, network: PolicyNetwork, name: str = "learner", *, samples: bool = True) -> PolicyPlayer: ...
    def player(self, network: Network, name: str = "learner", *, samples: bool = True) -> NetworkPlayer | PolicyPlayer:
        """A network as a player: a Q-network is greedy, a policy network samples its actions if `samples` says so."""
        if isinstance(network, QNetwork):
            return NetworkPlayer(name, network, self.observation)
        return PolicyPlayer(name, network, self.observation, samples=samples)

    def generator(self, stream: int, *key: int) -> np.random.Generator:
        """A generator for one purpose, from the config's seed; `key` numbers those with the same stream."""
        return np.random.default_rng(np.random.SeedSequence([self._config.seed, stream], spawn_key=key))

    def rollout(self, player: LearningPlayer) -> SelfPlayRollout:
        """The games that the player learns from."""
        return SelfPlayRollout.configured(self._config, self.game, self.options, player)

    # -- the loop -----------------------------------------------------------------------------------------------------

    def start(
        self,
        rollout: SelfPlayRollout,
        player: LearningPlayer,
        network: Callable[[], Network],
        *,
        log_every: int,
        resume: bool,
        **parts: Any,
    ) -> None:
        """Restore the state saved in the folder if `resume` asks for it and there is one; open the log.

        Args:
            rollout: the games; steps are its decisions.
            player: is evaluated, and copied as a snapshot.
            network: returns the network to save.
            log_every: steps from one entry of the log to the next; 0 for none.
            resume: whether to continue a saved run.
            parts: what is saved to resume from, besides the rollout.
        """
        self._rollout, self._learner = rollout, player

        def save(path: Path) -> None:
            save_checkpoint(path, network(), self.game, self.options, self.observation, self._config.model_dump())

        self.begin(
            lambda: rollout.decisions, lambda: player, save, {"rollout": rollout, **parts},
            checkpoint="model.safetensors", log_every=log_every, resume=resume,
        )  # fmt: skip
        self._pictures = ActionPictures(self.board, rollout)

    def report(self, *statistics: Callable[[], Mapping[str, float]], **schedules: float) -> None:
        """As `Training.report`; it also copies the learner as a snapshot when one is due."""
        if crossed(self._config.snapshot_every, self._last_step, self.step):
            self._rollout.snapshots.take(self._learner)
        super().report(self._rollout.episodes.statistics, *statistics, **schedules)

    def _evaluate_and_log(self, player: Player) -> None:
        watched = Watched(self._learner)
        super()._evaluate_and_log(watched)
        self._pictures.draw(self.step, watched)


def choose_device(name: str) -> torch.device:
    """The device of that name; `auto` is a GPU if there is one.

    Raises:
        CardgymError: for `cuda` on a machine without a GPU.
    """
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise CardgymError("device 'cuda': this machine has no GPU that PyTorch can use; choose cpu or auto")
    return torch.device("cuda" if available and name in ("cuda", "auto") else "cpu")


def load_weights(network: Network, path: Path, game: Game, options: Options, observation: str) -> None:
    """Give a network the weights of a checkpoint.

    Raises:
        CardgymError: as `load_checkpoint`, and for another kind of network, other layers, or another observation.
    """
    other, metadata = load_checkpoint(path, game, options)
    if type(other) is not type(network):
        raise CardgymError(f"init_from {path}: holds a {type(other).__name__}, not a {type(network).__name__}")
    if metadata.observation != observation:
        raise CardgymError(
            f"init_from {path}: reads the observation {metadata.observation!r}, not {observation!r}; set `observation`"
        )
    if other.shape != network.shape:
        raise CardgymError(f"init_from {path}: its layers are {_layers(other)}, not {_layers(network)}")
    network.load_state_dict(other.state_dict())


def _layers(network: Network) -> str:
    shape = network.shape
    extra = "".join(f", {name}" for name in ("dueling", "wide") if getattr(shape, name))
    return f"{' x '.join(map(str, shape.hidden_sizes))}{extra}"

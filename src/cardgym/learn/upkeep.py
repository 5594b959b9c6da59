"""What a training of a network does beside learning: it shows its progress, logs, evaluates and saves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from cardgym.console.progress import Progress
from cardgym.learn import tags
from cardgym.learn.action_shares import ActionPictures, Watched
from cardgym.learn.config import NetworkConfig
from cardgym.learn.evaluation import Metrics, evaluate_learner, log_evaluation, summary, write_results
from cardgym.learn.opponents import LearningPlayer
from cardgym.learn.resume import STATE_FILE, Stateful, load_parts, save_parts
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.schedules import crossed
from cardgym.learn.signals import Saving
from cardgym.learn.stopwatch import Stopwatch
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players.base import Player
from cardgym.players.checkpoints import Network, save_checkpoint


class Upkeep:
    """The upkeep of one training; a context manager around its loop, which calls it once a step.

    Attributes:
        checkpoint: where the player's network is saved.
        progress: how far the training is.
    """

    def __init__(
        self,
        config: NetworkConfig,
        folder: Path,
        rollout: SelfPlayRollout,
        player: LearningPlayer,
        network: Callable[[], Network],
        observation: str,
        parts: Mapping[str, Stateful],
        *,
        log_every: int,
        resume: bool,
    ) -> None:
        """Go on from the state saved in the folder, if `resume` asks for that and there is one.

        Args:
            config: the hyper-parameters.
            folder: the run's folder.
            rollout: the games; steps are its decisions.
            player: who is evaluated and copied as a snapshot.
            network: gives its network, for the checkpoint.
            observation: the name of the observation that it reads.
            parts: by name, all that has a state to save.
            log_every: every so many steps figures are logged; 0 for never.
            resume: whether to go on from a saved state.
        """
        self._config = config
        self._folder = folder
        self._rollout = rollout
        self._player = player
        self._network = network
        self._observation = observation
        self._log_every = log_every
        self._parts = parts
        self._state_file = folder / STATE_FILE
        self.checkpoint = folder / "model.safetensors"
        if resume and self._state_file.exists():
            load_parts(self._state_file, config, parts)
        self._step = rollout.decisions
        self._stopwatch, self._saving = Stopwatch(self._step), Saving(config.save_every_minutes)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        config = self._config
        self._board = self._stack.enter_context(TensorBoard(self._folder, self._step))
        self.progress = self._stack.enter_context(
            Progress("training", "steps", total=config.total_steps, done=self._step, lines=True)
        )
        self._board.hyper_parameters(config.model_dump())
        self._pictures = ActionPictures(self._board, self._rollout)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def __call__(
        self, step: int, schedules: Mapping[str, float], *statistics: Callable[[], Mapping[str, float]]
    ) -> None:
        """Take a snapshot, log, evaluate and save, whatever came due since the last call.

        Args:
            step: the decisions made so far.
            schedules: what changes by a schedule, by tag.
            statistics: what learners say of their last updates, by tag; asked only when it is logged.

        Raises:
            Stopped: once the state is saved, if the run was asked to end.
        """
        config, last_step, self._step = self._config, self._step, step
        if crossed(config.snapshot_every, last_step, step):
            self._rollout.snapshots.take(self._player)
        if crossed(self._log_every, last_step, step):
            self._board.scalars(step, schedules)
            self._board.scalars(step, {tags.SPS: self._stopwatch.lap_rate(step), **self._rollout.episodes.statistics()})
            for learned in statistics:
                self._board.scalars(step, learned())
        if config.eval_opponents and crossed(config.eval_every, last_step, step):
            with self._stopwatch.paused():
                watched = Watched(self._player)
                evaluation = self._evaluate(watched, config.eval_games)
                self.progress.note(summary(log_evaluation(self._board, step, evaluation)))
                self._pictures.draw(step, watched)
        if crossed(config.save_every, last_step, step) or step >= config.total_steps or self._saving.due():
            self._board.flush()
            save_checkpoint(
                self.checkpoint, self._network(), self._rollout.game, self._rollout.options, self._observation,
                config.model_dump(),
            )  # fmt: skip
            save_parts(self._state_file, config, self._parts)  # Last: if it is there, so is the checkpoint.
            self._saving.done()  # The run ends here if it was asked to.

    def finish(self) -> dict[str, Metrics]:
        """The figures of the final evaluation against each opponent, written down; empty if the config has none."""
        config = self._config
        speed = {
            "seconds": self._stopwatch.seconds,
            "decisions_per_second": self._stopwatch.rate(self._step),
        }
        results: dict[str, Metrics] = {}
        if config.final_games and config.eval_opponents:
            self.progress.note(f"final evaluation, {config.final_games:,} games against each opponent")
            results = self._evaluate(self._player, config.final_games)
        write_results(self._folder, self._board, config.model_dump(), self._step, results, **speed)
        return results

    def _evaluate(self, player: Player, games: int) -> dict[str, Metrics]:
        """Match the player with each opponent of the config."""
        game, options, config = self._rollout.game, self._rollout.options, self._config
        return evaluate_learner(game, options, player, config.eval_opponents, games=games, seat=config.seat)

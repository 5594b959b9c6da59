"""What all training scripts share: progress, logging, evaluation and checkpoints of a training loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

from cardgym.console.progress import Progress
from cardgym.engine.kernel import ANY_SEAT
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.files.tensors import NotFiniteError
from cardgym.learn import tags
from cardgym.learn.config import EvaluationConfig, GameConfig
from cardgym.learn.evaluation import evaluate_learner, log_evaluation, summary, write_results
from cardgym.learn.played import played
from cardgym.learn.run import TrainingResult
from cardgym.learn.saved_state import STATE_FILE, has_state, load_parts, save_parts
from cardgym.learn.schedules import Stopwatch, crossed, linear
from cardgym.learn.signals import Saving
from cardgym.learn.tags import Metrics
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players import Player, resolve
from cardgym.statistics import rough

_EXACT_NODES = 1_500_000
"""The largest game tree, in nodes, for which every evaluation computes the exploitability."""


_ELSEWHERE = {"eval_opponents", "init_from"}
"""Players that a resumed run does not learn from."""

C = TypeVar("C", bound=EvaluationConfig)


class Training:
    """A training, as a context manager: its game, progress, logging, evaluation and checkpoints.

    An algorithm makes the parts that learn, calls `begin`, and calls `report` at the end of each round of its loop.
    """

    def __init__(self, config: EvaluationConfig, folder: Path, resume: bool = False) -> None:
        """Find the game and the opponents of the evaluations; the training is in this folder.

        Raises:
            CardgymError: for a game, an option or an opponent that does not exist.
        """
        self.game = find(config.env_id)
        self.options = self.game.parse_options(config.env_options)
        self._opponents = config.eval_opponents
        self._seat = config.seat if isinstance(config, GameConfig) else ANY_SEAT
        # A wrong name fails now, not after minutes of training.
        self._eval_players = self._resolved(self._opponents)
        self._total_steps, self._unit = int(getattr(config, config.length)), config.length.partition("_")[2]
        self._eval_every, self._eval_games, self._final_games = config.eval_every, config.eval_games, config.final_games
        self._save_every, self._save_minutes = config.save_every, config.save_every_minutes
        self._config = config  # For the files, which say what they were made with.
        self._folder, self._resume = folder, resume
        self._played = played(config.model_dump(exclude=_ELSEWHERE))
        self._stack = ExitStack()

    @classmethod
    def running(cls, loop: Callable[[C, Self], None]) -> Callable[[C, Path, bool], TrainingResult]:
        """Return the function that trains in a folder, anew or from its saved state, by this loop; see `run_script`."""

        def train(config: C, folder: Path, resume: bool) -> TrainingResult:
            with cls(config, folder, resume) as training:
                loop(config, training)
                return training.finish()

        return train

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Close everything.

        Raises:
            CardgymError: if the training diverged, with the step.
        """
        self._stack.close()
        if isinstance(error, NotFiniteError):
            kept = has_state(self._folder) if self._parts else self.checkpoint.exists()
            saved = f"the last good state is kept in {self._folder}" if kept else "nothing was saved"
            lower = "learning_rate or reward_scale" if hasattr(self._config, "reward_scale") else "learning_rate"
            raise CardgymError(
                f"diverged at step {self.step:,} ({error}): {saved}; train with a lower {lower}"
            ) from None

    def begin(
        self,
        steps: Callable[[], int],
        player: Callable[[], Player],
        save: Callable[[Path], None],
        parts: Mapping[str, Any],
        *,
        checkpoint: str,
        log_every: int,
    ) -> None:
        """Restore the state saved in the folder if the run resumes and there is one; open the log.

        Args:
            steps: returns the steps so far; a step is a decision of the learner.
            player: returns the learner as a player, for evaluations.
            save: writes the checkpoint, the file `checkpoint`; or checkpoints to the folder, if that is empty.
            parts: what is saved to resume from, by name; see `cardgym.learn.saved_state`. A run without parts cannot
                resume.
            log_every: steps from one entry of the log to the next; 0 for none.
        """
        self.checkpoint = self._folder / checkpoint
        self._steps, self._player, self._save, self._parts = steps, player, save, parts
        self._log_every = log_every
        if self._resume and has_state(self._folder):
            load_parts(self._folder / STATE_FILE, self._config, parts, rules_or_opponents=self._played)
        self._last_step = self.step
        self._stopwatch, self._saving = Stopwatch(self.step), Saving(self._save_minutes)
        self.board = self._stack.enter_context(TensorBoard(self._folder, self.step))
        progress = Progress("training", self._unit, total=self._total_steps, done=self.step, lines=True)
        self.progress = self._stack.enter_context(progress)
        self.board.hyper_parameters(self._config.model_dump())

    @property
    def step(self) -> int:
        """The learner's decisions so far."""
        return self._steps()

    def linear(self, start: float, end: float, fraction: float = 1.0) -> float:
        """Get the value at this step of a schedule: a line from `start` to `end` over this fraction of the training."""
        return linear(self.step, start, end, int(fraction * self._total_steps))

    def report(self, *statistics: Callable[[], Mapping[str, float]], **schedules: float) -> None:
        """Show progress, log, evaluate and save, whatever is due since the last call.

        `statistics` return figures of the learners by tag, when they are logged; `schedules` are logged as
        `train/<name>`.

        Raises:
            Stopped: once the state is saved, if the run was asked to end.
        """
        last_step, step = self._last_step, self.step
        self._last_step = step
        self.progress(min(step, self._total_steps))
        if crossed(self._log_every, last_step, step) or (self._log_every and step >= self._total_steps):
            self.board.scalars(step, {f"{tags.TRAIN}{name}": value for name, value in schedules.items()})
            self.board.scalars(step, {tags.SPS: self._stopwatch.lap_rate(step)})
            for figures in statistics:
                self.board.scalars(step, figures())
        if crossed(self._eval_every, last_step, step) and (self._opponents or self._is_exact):
            self.evaluate()
        if crossed(self._save_every, last_step, step) or step >= self._total_steps or self._saving.due():
            self.save()

    def evaluate(self) -> None:
        """Evaluate the learner and log the results; the time does not count as training."""
        with self._stopwatch.paused():
            exact = self._exploitability()
            results = self._play(self._eval_games)
            log_evaluation(self.board, self.step, results, exact)
            self.progress.note(summary(self.game, results, exact))

    def save(self) -> None:
        """Save the checkpoint and the state to resume from.

        Raises:
            Stopped: if the run was asked to end.
        """
        self.board.flush()
        self._save(self.checkpoint)
        if self._parts:  # Last: if there is a state to resume from, there is a checkpoint.
            save_parts(self._folder / STATE_FILE, self._config, self._parts, rules_or_opponents=self._played)
        self._saving.done(last=self.step >= self._total_steps)

    def finish(self) -> TrainingResult:
        """Run the final evaluation, if the config has one, and write its figures to `results.json`."""
        watch, step = self._stopwatch, self.step
        figures = {
            "seconds": watch.seconds, "cpu_seconds": watch.cpu_seconds, "decisions_per_second": watch.rate(step),
        }  # fmt: skip
        results: dict[str, Metrics] = {}
        if (exact := self._exploitability()) is not None:
            figures["exploitability"] = exact
        if self._final_games and self._opponents:
            remark = rough(self._final_games // self.options.num_players)
            about = f"final evaluation, {self._final_games:,} games against each opponent"
            self.progress.note(f"{about}; {remark}" if remark else about)
            results = self._play(self._final_games)
        write_results(self._folder, self.board, self._config.model_dump(), step, results, **figures)
        return TrainingResult(f"{step:,} {self._unit}", results, ("Checkpoint", self.checkpoint))

    def note_if_untrained(self, updates: int, learning_starts: int) -> None:
        """Say, in a line that stays, that the training ended before its first update.

        Args:
            updates: how many updates there were.
            learning_starts: the steps before the first.
        """
        if not updates:
            cause = f"learning_starts={learning_starts:,} of {self._total_steps:,} steps"
            advice = "train for longer, or lower learning_starts"
            self.progress.line(f"cardgym: the network was never updated ({cause}): {advice}")

    def _resolved(self, names: Sequence[str]) -> list[Player]:
        """Return the opponents of evaluations.

        Raises:
            CardgymError: for an unknown one.
        """
        return [resolve(name, self.game, self.options) for name in names]

    @cached_property
    def _is_exact(self) -> bool:
        """Whether the game is small enough to compute the learner's exploitability in every evaluation."""
        if not self._eval_every or self.options.num_players == 1:
            return False
        from cardgym.solvers.exact import small_tree

        return small_tree(self.game, self.options, _EXACT_NODES) is not None

    def _exact_player(self) -> Player:
        """Return the player whose exploitability is computed: the learner."""
        return self._player()

    def _exploitability(self) -> float | None:
        """Return the learner's exact exploitability; None if the game is too large or evaluations are off."""
        if not self._is_exact:
            return None
        from cardgym.solvers.exact import tree_exploitability

        exact = tree_exploitability(self.game, self.options, self._exact_player(), limit=_EXACT_NODES)
        return exact[0] if exact is not None and exact[1] is None else None

    def _play(self, games: int) -> dict[str, Metrics]:
        """Play the learner against each opponent."""
        player = self._player()
        return evaluate_learner(self.game, self.options, player, self._opponents, games=games, seat=self._seat)

"""Evaluations in the arena, as a callback of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ANY_SEAT
from cardgym.interop.sb3_player import ModelPlayer
from cardgym.learn import tags
from cardgym.learn.evaluation import Metrics, evaluate_learner, log_evaluation, summary
from cardgym.players import resolve

STDOUT_KEY_LENGTH = 36
"""Stable-Baselines3 cuts longer keys for its table on stdout, and stops where two are then the same."""


class ArenaCallback(BaseCallback):
    """Matches the greedy model with each opponent now and then, in cardgym's arena.

    It logs `eval/win_rate/<opponent>`, `eval/mean_return/<opponent>` and the game's own metrics, and the ends of their
    95 % intervals as `eval_ci95/<metric>/<opponent>/lower` and `/upper`. Every deal is played from every seat, and all
    runs are evaluated on the same deals, so their figures compare. The game, its options and the observation are those
    of the model's env. In a game of one player the one match is called `alone`.

    Args:
        opponents: players by name or path; each takes every other seat in its match.
        eval_freq: calls from one evaluation to the next; a call is a step of all envs, as for `EvalCallback`. 0 for
            none.
        n_eval_games: games against each opponent.
        seat: the model's seat; by default every seat.
        verbose: 1 prints the win rates.

    Raises:
        CardgymError: as the training starts, for a model that cannot be a player or an opponent that cannot be found.

    Attributes:
        results: the last evaluation: metrics against each opponent.
    """

    def __init__(
        self,
        opponents: Sequence[str] = ("random",),
        eval_freq: int = 10_000,
        n_eval_games: int = 1_000,
        *,
        seat: int = ANY_SEAT,
        verbose: int = 1,
    ) -> None:
        super().__init__(verbose)
        self.opponents = tuple(opponents)
        self.eval_freq = eval_freq
        self.n_eval_games = n_eval_games
        self.seat = seat
        self.results: dict[str, Metrics] = {}

    def _init_callback(self) -> None:
        # What cannot be a player fails now, not after an hour of training.
        self.player = ModelPlayer(self.model)
        self._game: Game = self.training_env.get_attr("game", 0)[0]
        self._options: Options = self.training_env.get_attr("options", 0)[0]
        for name in self.opponents if self._options.num_players > 1 else ():
            resolve(name, self._game, self._options)

    def _on_step(self) -> bool:
        if self.eval_freq > 0 and self.n_calls % self.eval_freq == 0:
            self.evaluate()
        return True

    def evaluate(self) -> None:
        """Evaluate and log now."""
        self.results = evaluate_learner(
            self._game,
            self._options,
            self.player,
            self.opponents,
            games=self.n_eval_games,
            seat=self.seat,
        )
        log_evaluation(_LoggerBoard(self.logger), self.num_timesteps, self.results)
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)
        if self.verbose > 0 and self.results:
            print(f"num_timesteps={self.num_timesteps}: {summary(self.results)}")


class _LoggerBoard:
    """Stable-Baselines3's logger, as evaluations log."""

    def __init__(self, logger: Logger) -> None:
        self._logger = logger

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Log numbers; the printed table has those that fit, without intervals."""
        for tag, value in values.items():
            group, _, name = tag.partition("/")
            hidden = tag.startswith(tags.EVAL_CI95) or len(name) + len("   ") > STDOUT_KEY_LENGTH
            self._logger.record(f"{group}/{name}", value, exclude=("stdout", "log") if hidden else None)

    def flush(self) -> None:
        """Do nothing: the callback dumps the logger."""

"""Training with Stable-Baselines3: evaluations in the arena as a callback, and what train/sb3.py adds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback, EventCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize

from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ANY_SEAT
from cardgym.errors import CardgymError
from cardgym.files.atomic import replacing
from cardgym.files.limits import check_memory
from cardgym.interop.sb3_config import SB3Config
from cardgym.interop.sb3_dqn import MaskableDQN
from cardgym.interop.sb3_player import ModelPlayer
from cardgym.interop.sb3_self_play import SelfPlayCallback
from cardgym.interop.sb3_vec_env import CardVecEnv
from cardgym.learn import tags
from cardgym.learn.evaluation import Board, Metrics, evaluate_learner, log_evaluation, summary
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.schedules import crossed
from cardgym.learn.training import Training
from cardgym.players.base import resolve

STDOUT_KEY_LENGTH = 36
"""Stable-Baselines3 cuts longer keys for its table on stdout, and stops where two are then the same."""


class ArenaCallback(EventCallback):
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
        best_model_save_path: the folder for `best_model.zip`, the model of the highest win rate, averaged over the
            opponents.
        callback_on_new_best: called after an evaluation with a new highest win rate.
        verbose: 1 prints the win rates.

    Raises:
        CardgymError: as the training starts, for a model that cannot be a player or an opponent that cannot be found.

    Attributes:
        results: the last evaluation: metrics against each opponent.
        best_win_rate: the highest win rate so far, averaged over the opponents.
    """

    def __init__(
        self,
        opponents: Sequence[str] = ("random",),
        eval_freq: int = 10_000,
        n_eval_games: int = 1_000,
        *,
        seat: int = ANY_SEAT,
        best_model_save_path: str | Path | None = None,
        callback_on_new_best: BaseCallback | None = None,
        verbose: int = 1,
    ) -> None:
        super().__init__(callback_on_new_best, verbose)
        self.opponents = tuple(opponents)
        self.eval_freq = eval_freq
        self.n_eval_games = n_eval_games
        self.seat = seat
        self.best_model_save_path = None if best_model_save_path is None else Path(best_model_save_path)
        self.results: dict[str, Metrics] = {}
        self.best_win_rate = -1.0

    def _init_callback(self) -> None:
        # What cannot be a player fails now, not after an hour of training.
        self.player = ModelPlayer(self.model)
        self._game: Game = self.training_env.get_attr("game", 0)[0]
        self._options: Options = self.training_env.get_attr("options", 0)[0]
        for name in self.opponents if self._options.num_players > 1 else ():
            resolve(name, self._game, self._options)
        if self.best_model_save_path is not None:
            self.best_model_save_path.mkdir(parents=True, exist_ok=True)

    def _on_step(self) -> bool:
        if self.eval_freq <= 0 or self.n_calls % self.eval_freq:
            return True
        return self.evaluate()

    def evaluate(self) -> bool:
        """Evaluate and log now; whether training is to go on."""
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
        rates = [metrics["win_rate"][0] for metrics in self.results.values()]
        if not rates or sum(rates) / len(rates) <= self.best_win_rate:
            return True
        self.best_win_rate = sum(rates) / len(rates)
        if self.best_model_save_path is not None:
            self.model.save(self.best_model_save_path / "best_model")
        return self._on_event()


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


# -- for train/sb3.py -------------------------------------------------------------------------------------------------

ALGORITHMS: dict[str, type[BaseAlgorithm]] = {
    "maskable_ppo": MaskablePPO,
    "ppo": PPO,
    "maskable_dqn": MaskableDQN,
    "dqn": DQN,
}


TAGS = {
    "rollout/ep_rew_mean": tags.EPISODIC_RETURN,
    "rollout/ep_len_mean": tags.EPISODIC_LENGTH,
    "rollout/exploration_rate": tags.EPSILON,
    "time/fps": tags.SPS,
    "train/approx_kl": tags.APPROX_KL,
    "train/clip_fraction": tags.CLIP_FRACTION,
    "train/explained_variance": tags.EXPLAINED_VARIANCE,
    "train/policy_gradient_loss": tags.POLICY_LOSS,
    "train/value_loss": tags.VALUE_LOSS,
    "train/entropy_loss": "losses/entropy_loss",
    "train/loss": "losses/loss",
}
"""Our tags by Stable-Baselines3's keys; other keys stay as they are. Its entropy loss is the negative entropy."""


MODEL_FILE = "model.zip"
"""The file of a run's model, in its folder."""

_NEVER = 2**63
"""Turns off Stable-Baselines3's own logging, which counts episodes or rollouts; our callback logs by steps."""


class SB3Training(Training):
    """The training of a model of Stable-Baselines3, always from the start. It uses one thread."""

    def __init__(self, config: SB3Config, folder: Path, *, restart: bool) -> None:
        """Find the game and the opponents of the evaluations.

        Raises:
            CardgymError: if the folder has a model and `restart` is false; see `Training` for the others.
        """
        if not restart and (folder / MODEL_FILE).exists():
            raise CardgymError(f"{folder}: holds a run already; name another folder, or start over with --restart")
        torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
        super().__init__(cast(Any, config), folder)  # It has every key that `Training` reads.
        self._sb3_config = config

    def make_games(self) -> CardVecEnv:
        """The games of the learner's seat, side by side."""
        config, options = self._sb3_config, self.options
        pool = OpponentPool.parse(config.opponents)
        env_options: dict[str, Any] = options.asdict()
        return CardVecEnv(
            self.game, config.num_envs,
            num_snapshots=config.num_snapshots,
            opponent="random" if options.num_players == 1 else dict(zip(pool.specs, pool.weights, strict=True)),
            seat="random" if config.seat < 0 else config.seat,
            obs=config.observation or None,
            illegal_action="random",
            **env_options,
        )  # fmt: skip

    def make_model(self, games: CardVecEnv) -> BaseAlgorithm:
        """The config's model; its returns are logged and, if the config says so, its rewards are normalized.

        Raises:
            CardgymError: if there is not enough memory for its buffer.
        """
        config = self._sb3_config
        env: VecEnv = VecMonitor(games)
        if config.normalize_reward:
            env = VecNormalize(env, norm_obs=False, gamma=config.gamma)
        model = make_model(config, env)
        games.seed(config.seed * config.num_envs)  # Rows are seeded one apart: the runs of two seeds share no games.
        return model

    def learn(self, model: BaseAlgorithm) -> None:
        """Train the model to the end, and log, evaluate and save it on the way.

        Raises:
            CardgymError: for a model that cannot be a player.
            Stopped: once the model is saved, if the run was asked to end.
        """
        config, player = self._sb3_config, ModelPlayer(model)
        self._model = model

        def save(path: Path) -> None:
            with replacing(path) as temporary:
                model.save(temporary)

        self.begin(
            lambda: model.num_timesteps, lambda: player, save, {},
            checkpoint=MODEL_FILE, log_every=config.log_every, resume=False,
        )  # fmt: skip
        model.set_logger(board_logger(self.board))
        callbacks: list[BaseCallback] = [
            Every(1, self.progress),
            Every(config.log_every, lambda step: model.dump_logs()),
            Every(config.eval_every if config.eval_opponents or self._is_exact else 0, lambda step: self.evaluate()),
            Every(config.save_every, lambda step: self.save(), between_rollouts=True),
            Every(1, lambda step: self._save_if_due(), between_rollouts=True),
        ]
        env = model.get_env()
        if env is not None and cast(CardVecEnv, env.unwrapped).self_play.used:
            callbacks.append(SelfPlayCallback(config.snapshot_every))
        model.learn(config.total_steps, callbacks, log_interval=_NEVER)
        self.save()

    def _exact_player(self) -> ModelPlayer:
        """The model as it learns: a policy with its probabilities, the values' greedy player without exploration."""
        return ModelPlayer(self._model, samples=isinstance(self._model, PPO | MaskablePPO))

    def _save_if_due(self) -> None:
        if self._saving.due():
            self.save()


def make_model(config: SB3Config, env: VecEnv) -> BaseAlgorithm:
    """The model of a config, with Stable-Baselines3's arguments from our keys.

    Stable-Baselines3's DQN counts updates and their intervals in steps of all envs at once; they are rounded to these.

    Raises:
        CardgymError: if there is not enough memory for its buffer.
    """
    _check_buffer(config, env)
    final, span = config.learning_rate_final, config.learning_rate - config.learning_rate_final
    arguments: dict[str, Any] = {
        "learning_rate": lambda progress_remaining: final + span * progress_remaining,
        "batch_size": config.batch_size,
        "gamma": config.gamma,
        "max_grad_norm": config.max_grad_norm,
        "policy_kwargs": {"net_arch": list(config.hidden_sizes), "activation_fn": torch.nn.ReLU},
        "seed": config.seed % 2**32,  # NumPy's global generator takes no more.
        "device": config.device,
    }
    if config.algorithm in ("maskable_ppo", "ppo"):
        names = ["gae_lambda", "ent_coef", "vf_coef"]
        arguments |= {"n_steps": config.num_steps, "n_epochs": config.update_epochs, "clip_range": config.clip_coef}
    else:
        names = ["buffer_size", "learning_starts", "tau"]
        names += ["exploration_initial_eps", "exploration_final_eps", "exploration_fraction"]
        arguments["train_freq"] = max(round(config.train_frequency / config.num_envs), 1)
        arguments["gradient_steps"] = max(round(config.num_envs / config.train_frequency), 1)
        arguments["target_update_interval"] = config.target_update_interval * config.train_frequency
    if config.algorithm == "maskable_dqn":
        names.append("double")
    arguments |= {name: getattr(config, name) for name in names}
    return ALGORITHMS[config.algorithm]("MlpPolicy", env, **arguments)


def _check_buffer(config: SB3Config, env: VecEnv) -> None:
    """Refuse a buffer that does not fit in memory: Stable-Baselines3 warns of it at most, and allocates it."""
    observation, action = env.observation_space, env.action_space
    assert isinstance(action, spaces.Discrete)
    observation_bytes = 4 * math.prod(observation.shape or (1,))
    if config.algorithm in ("maskable_ppo", "ppo"):
        rows, keys = config.num_steps * config.num_envs, "num_steps or num_envs"
        row_bytes = observation_bytes + 4 * int(action.n) + 28  # Its masks are float32, like all the rest.
    else:
        rows, keys = max(config.buffer_size, config.num_envs), "buffer_size"
        row_bytes = 2 * observation_bytes + int(action.n) + 17
    check_memory(f"a buffer of {rows:,} transitions of {row_bytes:,} bytes each", rows * row_bytes, f"lower {keys}")


class Every(BaseCallback):
    """Calls `action(step)` once for each multiple of `interval` steps that the training has passed.

    Args:
        interval: in steps; 0 for never.
        action: what is done.
        between_rollouts: wait for the next rollout to start: then nothing is half done, and the state can be saved.
    """

    def __init__(self, interval: int, action: Callable[[int], object], *, between_rollouts: bool = False) -> None:
        super().__init__()
        self._interval = interval
        self._action = action
        self._between_rollouts = between_rollouts
        self._last_step = 0

    def _on_training_start(self) -> None:
        self._last_step = self.model.num_timesteps

    def _on_step(self) -> bool:
        if not self._between_rollouts:
            self._call_if_due()
        return True

    def _on_rollout_start(self) -> None:
        if self._between_rollouts:
            self._call_if_due()

    def _call_if_due(self) -> None:
        last_step, self._last_step = self._last_step, self.model.num_timesteps
        if crossed(self._interval, last_step, self._last_step):
            self._action(self._last_step)


def board_logger(board: Board) -> Logger:
    """A logger of Stable-Baselines3 that writes its numbers to a board."""
    return Logger(None, [_BoardWriter(board)])


class _BoardWriter(KVWriter):
    """Writes a logger's numbers to a board, under the tags that our other scripts give them."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write the numbers that are not excluded from TensorBoard."""
        numbers = {
            TAGS.get(key, key): float(value)
            for key, value in key_values.items()
            if isinstance(value, int | float | np.number) and "tensorboard" not in (key_excluded[key] or ())
        }
        self._board.scalars(step, numbers)

    def close(self) -> None:
        """Do nothing: the board is closed by its owner."""

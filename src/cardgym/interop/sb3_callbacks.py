"""Callbacks of Stable-Baselines3: evaluations in the arena, and self-play.

In self-play the model that learns, and snapshots of it, sit in the opponents' seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from cardgym.engine.contract import Float64s, Game, Options
from cardgym.engine.kernel import ANY_SEAT
from cardgym.errors import CardgymError, of_kind, whole_number
from cardgym.interop.sb3_player import ModelPlayer
from cardgym.learn import tags
from cardgym.learn.evaluation import evaluate_learner, scalars_of, summary
from cardgym.learn.opponents import SELF, SNAPSHOT
from cardgym.learn.schedules import crossed
from cardgym.learn.tags import Metrics
from cardgym.players import Actions, Masks, Observations, Player, resolve, sample_actions
from cardgym.players.mixtures import mixture

STDOUT_KEY_LENGTH = 36
"""Stable-Baselines3 truncates longer keys in its table on stdout, and fails if two then become equal."""


class ArenaCallback(BaseCallback):
    """Evaluates the greedy model against each opponent at intervals, in cardgym's arena.

    It logs `eval/win_rate/<opponent>`, `eval/mean_return/<opponent>` and the game's own metrics, and the ends of their
    95 % intervals as `eval_ci95/<metric>/<opponent>/lower` and `/upper`. Every deal is played from every seat, and all
    runs are evaluated on the same deals, so their figures compare. The game, its options and the observation are those
    of the model's env. In a game of one player the one match is called `alone`.

    Args:
        opponents: players by name or path; each takes every other seat in its match.
        eval_freq: calls between evaluations, each a step of all envs, as for `EvalCallback`; 0 for none.
        n_eval_games: games against each opponent.
        seat: the model's seat; by default every seat.
        verbose: 1 prints the win rates.

    Raises:
        CardgymError: when the training starts, for a model that cannot be a player or an opponent that cannot be found.

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
        of_kind("opponents", opponents, (list, tuple), "lists of players' names")
        for name in opponents:
            of_kind("opponents", name, str, "players' names")
        self.opponents = tuple(opponents)
        self.eval_freq = whole_number("eval_freq", eval_freq, 0)
        self.n_eval_games = whole_number("n_eval_games", n_eval_games, 1)
        self.seat = whole_number("seat", seat, ANY_SEAT)
        self.results: dict[str, Metrics] = {}

    def _init_callback(self) -> None:
        # Fail now, not after an hour of training.
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
            self._game, self._options, self.player, self.opponents, games=self.n_eval_games, seat=self.seat
        )
        for tag, value in scalars_of(self.results).items():
            # The printed table shows the names that fit, without intervals.
            name = tag.partition("/")[2]
            hidden = tag.startswith(tags.EVAL_CI95) or len(name) + len("   ") > STDOUT_KEY_LENGTH
            self.logger.record(tag, value, exclude=("stdout", "log") if hidden else None)
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)
        if self.verbose > 0 and self.results:
            print(f"num_timesteps={self.num_timesteps}: {summary(self._game, self.results)}")


# -- self-play ---------------------------------------------------------------------------------------------------------


class LearnerPlayer(Player):
    """A seat for the model that learns, or for a snapshot of it. It draws its actions as the model does in training.

    Without a model it plays uniformly at random: Stable-Baselines3 deals the first games before a callback can say
    which model learns.

    Attributes:
        model: the model that plays; None until `SelfPlay.connect`.
    """

    samples = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.model: ModelPlayer | None = None

    def __repr__(self) -> str:
        return repr(self.name)

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """See `Player.act`."""
        if self.model is not None:
            return self.model.act(observations, masks, draws)
        assert draws is not None
        return sample_actions(masks / masks.sum(axis=1, keepdims=True), draws)


class SelfPlay:
    """The opponents `self` and `snapshot` of a `CardVecEnv`.

    Attributes:
        learner: the seat of the model that learns.
        snapshots: the seats of its snapshots; each plays a share of the games of `snapshot`.
        used: whether the env has any of them as an opponent.
    """

    def __init__(self, num_snapshots: int) -> None:
        self.learner = LearnerPlayer(SELF)
        self.snapshots = [LearnerPlayer(f"{SNAPSHOT} {number + 1}") for number in range(num_snapshots)]
        self.used = False
        self._num_taken = 0

    def seated(self, opponent: Any) -> Any:
        """Return an env's `opponent`, with the names `self` and `snapshot` replaced by players."""
        if isinstance(opponent, Mapping):
            return {self.seated(spec): weight for spec, weight in opponent.items()}
        if isinstance(opponent, list | tuple):
            return [self.seated(spec) for spec in opponent]
        if not isinstance(opponent, str) or opponent not in (SELF, SNAPSHOT):
            return opponent
        self.used = True
        return self.learner if opponent == SELF else mixture(SNAPSHOT, self.snapshots, [1.0] * len(self.snapshots))

    def connect(self, model: BaseAlgorithm) -> None:
        """Let `model` play from now on. Snapshots that have no model yet start as copies of this one."""
        self.learner.model = ModelPlayer(model, SELF, samples=True)
        for seat in self.snapshots:
            seat.model = seat.model or self.learner.model.snapshot()

    def disconnect(self) -> None:
        """Forget the model; its snapshots stay."""
        self.learner.model = None

    def take_snapshot(self) -> None:
        """Replace the oldest snapshot by the model as it is now."""
        assert self.learner.model is not None
        self.snapshots[self._num_taken % len(self.snapshots)].model = self.learner.model.snapshot()
        self._num_taken += 1

    def check(self) -> None:
        """Raise `CardgymError` if the opponents have no model."""
        if self.used and self.learner.model is None:
            raise CardgymError(
                f"opponent {SELF!r} or {SNAPSHOT!r}: the env does not know the model that learns; pass "
                "cardgym.interop.sb3.SelfPlayCallback() to learn(), or call env.unwrapped.self_play.connect(model)"
            )


class SelfPlayCallback(BaseCallback):
    """Lets the model that learns play the opponents `self` and `snapshot` of its `CardVecEnv`, while it learns.

    Args:
        snapshot_every: steps (decisions of the learner) from one snapshot to the next. A snapshot replaces the oldest;
            `CardVecEnv(num_snapshots=...)` says how many there are.

    Raises:
        CardgymError: when the training starts, for another env, for a wrapper that changes what the model observes
            (other than `VecNormalize`), and for a model that cannot be a player.
    """

    def __init__(self, snapshot_every: int = 50_000) -> None:
        super().__init__()
        self.snapshot_every = whole_number("snapshot_every", snapshot_every, 1)

    def _init_callback(self) -> None:
        games = self.training_env.unwrapped
        self_play = getattr(games, "self_play", None)
        if not isinstance(self_play, SelfPlay) or not self_play.used:
            raise CardgymError(
                f"SelfPlayCallback needs a CardVecEnv with opponent={SELF!r}, {SNAPSHOT!r} or a mapping with these"
            )
        if self.model.observation_space != games.observation_space:
            raise CardgymError(
                f"opponent {SELF!r}: a wrapper changes the observations, which works in the learner's seat only; of "
                "those wrappers use none but VecNormalize"
            )
        self_play.connect(self.model)
        self._self_play = self_play
        self._last_step = self.model.num_timesteps

    def _on_step(self) -> bool:
        if crossed(self.snapshot_every, self._last_step, self.num_timesteps):
            self._self_play.take_snapshot()
        self._last_step = self.num_timesteps
        return True

    def _on_training_end(self) -> None:
        self._self_play.disconnect()

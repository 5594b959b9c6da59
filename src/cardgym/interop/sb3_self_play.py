"""Self-play with Stable-Baselines3: the model that learns, and snapshots of it, in the opponents' seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from cardgym.errors import CardgymError
from cardgym.interop.sb3_player import ModelPlayer
from cardgym.learn.opponents import SELF, SNAPSHOT
from cardgym.learn.schedules import crossed
from cardgym.players import Actions, Masks, Observations, Player, sample_actions
from cardgym.players.seats import mixture


class LearnerPlayer(Player):
    """A seat for the model that learns, or for a snapshot of it. It draws its actions as the model does in training.

    Without a model it plays uniformly at random: Stable-Baselines3 deals the first games before a callback can say
    which model learns.

    Attributes:
        model: who plays; None for nobody yet.
    """

    samples = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.model: ModelPlayer | None = None

    def __repr__(self) -> str:
        return repr(self.name)

    def act(self, observations: Observations, masks: Masks, draws: npt.NDArray[np.float64] | None = None) -> Actions:
        """See `Player.act`."""
        if self.model is not None:
            return self.model.act(observations, masks, draws)
        assert draws is not None
        return sample_actions(masks / masks.sum(axis=1, keepdims=True), draws)


class SelfPlay:
    """The opponents `self` and `snapshot` of a `CardVecEnv`.

    Attributes:
        learner: the seat of the model that learns.
        snapshots: the seats of its snapshots; each is used by a part of the games that `snapshot` plays.
        used: whether the env has any of them as an opponent.
    """

    def __init__(self, num_snapshots: int) -> None:
        self.learner = LearnerPlayer(SELF)
        self.snapshots = [LearnerPlayer(f"{SNAPSHOT} {number + 1}") for number in range(num_snapshots)]
        self.used = False
        self._num_taken = 0

    def seated(self, opponent: Any) -> Any:
        """An env's `opponent`, with players in place of the names `self` and `snapshot`."""
        if isinstance(opponent, Mapping):
            return {self.seated(spec): weight for spec, weight in opponent.items()}
        if isinstance(opponent, list | tuple):
            return [self.seated(spec) for spec in opponent]
        if not isinstance(opponent, str) or opponent not in (SELF, SNAPSHOT):
            return opponent
        self.used = True
        return self.learner if opponent == SELF else mixture(SNAPSHOT, self.snapshots, [1.0] * len(self.snapshots))

    def connect(self, model: BaseAlgorithm) -> None:
        """Let `model` play from now on. Seats of snapshots that nobody has yet taken begin with the model as it is.

        Raises:
            CardgymError: for a model that cannot be a player.
        """
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
        """Check that the opponents have a model.

        Raises:
            CardgymError: if they have none.
        """
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
        CardgymError: as the training starts, for another env, for a wrapper that changes what the model observes (other
            than `VecNormalize`), and for a model that cannot be a player.
    """

    def __init__(self, snapshot_every: int = 50_000) -> None:
        super().__init__()
        if snapshot_every < 1:
            raise CardgymError(f"snapshot_every={snapshot_every}: allowed are whole numbers from 1")
        self.snapshot_every = snapshot_every

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

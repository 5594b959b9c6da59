"""A game as a vec env of Stable-Baselines3, natively batched: one compiled call steps every row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from cardgym.engine.contract import Game
from cardgym.engine.kernel import NOBODY, NOOP, RESET, STEP
from cardgym.envs.core import EnvCore, Opponents, check_reset_options
from cardgym.envs.vector import RowView
from cardgym.errors import CardgymError, IllegalActionError
from cardgym.learn.opponents import SELF, SNAPSHOT, OpponentPool
from cardgym.players.actions import check_legal
from cardgym.players.base import PlayerSpec
from cardgym.players.seats import SeatedBatch


class CardVecEnv(VecEnv):
    """Many games of one kind as a `VecEnv`; a row is a game.

    Row i plays exactly the same games as a single env that is reset with `seed=s + i`, where s was given to
    `seed`. It may be wrapped like any vec env: `VecMonitor(CardVecEnv(...))` logs the mean return.

    A row that is done starts its next game at once; `infos[i]["terminal_observation"]` is the last observation of the
    game that ended, and `infos[i]["TimeLimit.truncated"]` is always False. Infos contain nothing else: filling them
    takes longer than playing. Action masks are a method, `action_masks()`, which MaskablePPO and MaskableDQN call.

    An illegal action is replaced by a random legal one unless `illegal_action` says otherwise. For algorithms without
    masks (PPO, DQN, A2C) leave it so. With "penalize", the default of the Gymnasium envs, the game ends and is lost at
    the first illegal action, and such an algorithm learns the few actions that are always legal instead of the game.
    Algorithms with masks never play an illegal action, so for them it makes no difference.

    Args:
        game: the game's id, or a game.
        num_envs: how many games are played side by side.
        opponent: who takes the other seats: a player's name, a path, a callable (observation, action_mask) -> action,
            or a list of those, one for each seat in the order of play. A mapping such as {"heuristic": 3, "random": 1},
            or an `OpponentPool`, draws a player by weight for each seat of each game.
        seat: the learner's seat, from 0; "random" for a new one each game.
        obs: the name of an observation; the game's first by default.
        obs_mode: "flat", or "dict" for `Dict(observation, action_mask)`, which takes the policy `MultiInputPolicy`.
        illegal_action: "random" (default), "penalize" or "raise".
        render_mode: "ansi" or "rgb_array".
        num_threads: how many threads share the games of a step; they play the same games whatever their number.
        options: the game's options.

    Attributes:
        game: the game.
        options: its options.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
        IllegalActionError: for an illegal action with `illegal_action="raise"`; all games are left as they were.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponent: Opponents | Mapping[PlayerSpec, float] | OpponentPool = "random",
        seat: int | str = 0,
        obs: str | None = None,
        obs_mode: str = "flat",
        illegal_action: str = "random",
        render_mode: str | None = None,
        num_threads: int = 1,
        **options: Any,
    ) -> None:
        if not isinstance(num_envs, int) or num_envs < 1:
            raise CardgymError(f"num_envs={num_envs}: allowed are whole numbers from 1")
        if obs_mode not in ("flat", "dict"):
            raise CardgymError(f"obs_mode={obs_mode!r}: allowed are 'flat' and 'dict' for Stable-Baselines3")
        if seat == "all":
            raise CardgymError("seat='all': Stable-Baselines3 learns one seat; name it, or 'random'")
        pool = OpponentPool.of(opponent) if isinstance(opponent, Mapping) else opponent
        self._core = EnvCore(
            game,
            options,
            num_rows=num_envs,
            opponent="random" if isinstance(pool, OpponentPool) else pool,
            seat=seat,
            obs=obs,
            obs_mode=obs_mode,
            illegal_action=illegal_action,
            render_mode=render_mode,
            num_threads=num_threads,
        )
        self.game = self._core.game
        self.options = self._core.options
        self.spec = gymnasium.registry.get(self.game.id)
        self._draw = _OpponentDraw(self._core, pool) if isinstance(pool, OpponentPool) else None
        self._seeded = np.zeros(num_envs, np.bool_)
        self._actions = np.zeros(num_envs, np.int64)
        spaces = self._core.observation_space(), self._core.action_space()
        self._views = [RowView(self._core, row, self.spec, *spaces) for row in range(num_envs)]  # VecEnv asks them.
        super().__init__(num_envs, *spaces)

    # -- playing ------------------------------------------------------------------------------------------------------

    def reset(self) -> VecEnvObs:
        """Start the next game in every row; after `seed(s)`, the first game of seed s + i in row i.

        `set_options({"deck": [...]})` deals chosen cards in games that support it.

        Returns:
            The observations as in the observation space, (num_envs, ...).

        Raises:
            CardgymError: for an unknown option, or a deck that cannot be dealt.
        """
        batch = self._core.seated.batch
        rows = batch.plain_rows
        for i, seed in enumerate(self._seeds):
            if seed is not None or not self._seeded[i]:
                rows["key"][i] = self._core.draw_key(seeding.np_random(seed)[0])
                rows["games"][i] = 0
        if self._draw is not None and (self._seeds[0] is not None or not self._seeded[0]):
            self._draw.seed(self._seeds[0])
        self._seeded[:] = True
        for i, options in enumerate(self._options):
            check_reset_options(options, ("deck",))
            if options and "deck" in options:
                self.game.rules.stack_deck(batch.states[i], options["deck"])
        self._reset_seeds()
        self._reset_options()
        self._start(np.ones(self.num_envs, np.bool_))
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self._observations()

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the actions, whole numbers of (num_envs,), of the step that `step_wait` plays.

        Raises:
            CardgymError: for other actions.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or not np.issubdtype(chosen.dtype, np.integer):
            raise CardgymError(f"actions: give whole numbers of ({self.num_envs},), not {chosen.dtype} {chosen.shape}")
        self._actions = chosen.astype(np.int64)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions; rows whose game is over start the next one.

        Returns:
            Observations (num_envs, ...), rewards (num_envs,) float32, dones (num_envs,) bool, and a list of infos.

        Raises:
            CardgymError: before the first `reset`.
            IllegalActionError: for an illegal action with `illegal_action="raise"`; all games are left as they were.
        """
        core, seated = self._core, self._core.seated
        if not self._seeded.all():
            raise CardgymError("step() before reset(): call reset()")
        if core.raises:
            check_legal(self._actions, seated.masks, lambda row: f"env {row}: ", IllegalActionError)
        seated.step(self._actions, STEP, illegal=core.illegal, skip=True)
        rewards = seated.batch.answers["reward"].astype(np.float32)
        dones: npt.NDArray[np.bool_] = seated.batch.answers["pending_policy"] == NOBODY
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        if dones.any():
            last = self._observations()
            for i in np.flatnonzero(dones).tolist():
                infos[i]["terminal_observation"] = (
                    {name: part[i] for name, part in last.items()} if isinstance(last, dict) else last[i]
                )
            self._start(dones)
        return self._observations(), rewards, dones, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, (num_envs, actions) bool."""
        legal: npt.NDArray[np.bool_] = self._core.seated.masks != 0
        return legal

    def close(self) -> None:
        """Do nothing."""

    def _start(self, starting: npt.NDArray[np.bool_]) -> None:
        """Start the next game in the rows `starting`, (num_envs,) bool."""
        if self._draw is not None:
            self._draw(np.flatnonzero(starting))
        self._core.seated.step(0, np.where(starting, RESET, NOOP), skip=True)

    def _observations(self) -> npt.NDArray[Any] | dict[str, npt.NDArray[Any]]:
        core, seated = self._core, self._core.seated
        observations: npt.NDArray[Any] = seated.observations
        if core.observation.discrete is not None:
            observations = observations[:, 0].astype(np.int64)
        shown: npt.NDArray[Any] | dict[str, npt.NDArray[Any]] = core.shown(observations, seated.masks)
        return shown

    # -- rows, as vec envs of separate envs show them -----------------------------------------------------------------

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of each row: one of `RowView`, or one that `set_attr` has set.

        Raises:
            AttributeError: where there is none of that name.
        """
        return [getattr(self._views[i], attr_name) for i in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of rows. Rows are views: nothing that is set changes how games are played."""
        for i in self._get_indices(indices):
            setattr(self._views[i], attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of each row: `action_masks()` or `render()`.

        Raises:
            AttributeError: where there is none of that name.
        """
        if method_name == "action_masks" and indices is None:
            return list(self.action_masks())
        return [getattr(self._views[i], method_name)(*method_args, **method_kwargs) for i in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """False for each row: rows cannot be wrapped, only the whole vec env can."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """A picture of each row, (height, width, 3), uint8, all of one size; None without `render_mode="rgb_array"`."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        pictures: list[npt.NDArray[np.uint8]] = [view.render() for view in self._views]
        height, width = (max(picture.shape[axis] for picture in pictures) for axis in (0, 1))
        return [
            np.pad(picture, ((0, height - picture.shape[0]), (0, width - picture.shape[1]), (0, 0)), mode="edge")
            for picture in pictures
        ]

    def _get_indices(self, indices: VecEnvIndices) -> Iterable[int]:
        """As `VecEnv`'s; NumPy's whole numbers are indices too."""
        return super()._get_indices(int(indices) if isinstance(indices, np.integer) else indices)


class _OpponentDraw:
    """Draws opponents by weight for each seat of each game."""

    def __init__(self, core: EnvCore, pool: OpponentPool) -> None:
        """Seat the players of `pool` in the games of `core`.

        Raises:
            CardgymError: for `self` and `snapshot`, a bad weight, an unknown player, or a game of one player.
        """
        self._num_seats = core.options.num_players
        for name in (SELF, SNAPSHOT):
            if name in pool.specs:
                raise CardgymError(f"opponent {name!r}: a vec env does not know the learner; name other players")
        if self._num_seats == 1:
            raise CardgymError(f"opponent={pool.specs}: {core.game.id} has no other seats; leave it out")
        if not all(0 <= weight < math.inf for weight in pool.weights) or not sum(pool.weights) > 0:
            raise CardgymError(f"opponent weights {pool.weights}: give numbers of at least 0, and one above 0")
        requested_seat = core.seated.batch.plain_rows["requested_seat"].copy()
        roster = pool.players(core.game, core.options)
        core.seated = SeatedBatch(
            core.game, core.options, len(requested_seat), roster, core.observation_name, core.num_threads
        )
        core.seated.batch.plain_rows["requested_seat"] = requested_seat
        self._rows = core.seated.batch.plain_rows
        self._numbers, shares = pool.choices(core.seated.numbers)
        self._probabilities = np.array(shares) / sum(shares)
        self.generator = np.random.default_rng()

    def seed(self, seed: int | None) -> None:
        """Let `seed` decide what is drawn from now on."""
        self.generator = np.random.default_rng(None if seed is None else [seed, 1])

    def __call__(self, rows: npt.NDArray[np.intp]) -> None:
        """Draw the opponents of the next games of `rows`."""
        drawn = self.generator.choice(len(self._numbers), (len(rows), self._num_seats - 1), p=self._probabilities)
        self._rows["lineup"][rows, 1 : self._num_seats] = self._numbers[drawn]

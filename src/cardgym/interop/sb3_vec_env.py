"""A game as a vec env of Stable-Baselines3, natively batched: one compiled call steps every row."""

from __future__ import annotations

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
from cardgym.envs.core import EnvCore
from cardgym.errors import CardgymError, IllegalActionError, brief, whole_number
from cardgym.interop.sb3_callbacks import SelfPlay
from cardgym.players import are_legal, check_legal, resolve
from cardgym.players.checks import action_of_each
from cardgym.players.mixtures import MixturePlayer

SHARED = ("action_masks", "action_space", "game", "observation_space", "options", "render_mode", "spec", "unwrapped")
"""The attributes of the vec env that `get_attr` returns for each row."""
_STEPS_CHECKED = 100
"""The number of steps in which an illegal action causes a warning; an algorithm without masks soon plays one."""


class CardVecEnv(VecEnv):
    """Parallel games as a `VecEnv`; each row is a game.

    It may be wrapped like any vec env: `VecMonitor(CardVecEnv(...))` logs the mean return.

    A row that is done starts its next game at once; `infos[i]["terminal_observation"]` is the last observation of the
    game that ended, and `infos[i]["TimeLimit.truncated"]` is always False. `winner` and `illegal_action` are those of
    `CardEnv`, as plain values; `VecMonitor(CardVecEnv(...), info_keywords=("winner",))` logs them. Infos contain
    nothing else: filling them takes longer than playing. Action masks are a method, `action_masks()`, which
    MaskablePPO and MaskableDQN call.

    An illegal action is replaced by a random legal one; the first warns, unless `illegal_action="random"` is given. For
    algorithms without masks (PPO, DQN, A2C) keep this default. With "penalize", the default of the Gymnasium envs, the
    game ends and is lost at the first illegal action, so such an algorithm learns the few actions that are always legal
    instead of the game. Algorithms with masks never play an illegal action, so for them it makes no difference.

    Args:
        num_snapshots: how many snapshots of the learner the opponent "snapshot" is drawn from.
        num_threads: how many threads share a step; the games do not depend on it.
        arguments: `cardgym.envs.EnvArguments`, and the game's options. Here `illegal_action` is "random" by
            default, and an opponent may also be "self" (the model that learns) or "snapshot" (an earlier copy of it),
            alone or in a mapping such as {"self": 0.8, "heuristic": 0.2}. Both need a `SelfPlayCallback` in `learn`.

    Attributes:
        self_play: what "self" and "snapshot" play.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
        IllegalActionError: for an illegal action with `illegal_action="raise"`; no game changes.
    """

    def __init__(
        self, game: str | Game, num_envs: int = 1, *, num_threads: int = 1, num_snapshots: int = 4, **arguments: Any
    ) -> None:
        num_envs = whole_number("num_envs", num_envs, 1)
        num_snapshots = whole_number("num_snapshots", num_snapshots, 1, 1_000)
        given = {"illegal_action": "random", "obs_mode": "flat", "seat": 0, "opponent": "random", **arguments}
        if not isinstance(given["obs_mode"], str) or given["obs_mode"] not in ("flat", "dict"):
            shown = brief(given["obs_mode"])
            raise CardgymError(f"obs_mode={shown}: allowed are 'flat' and 'dict' for Stable-Baselines3")
        if isinstance(given["seat"], str) and given["seat"] == "all":
            raise CardgymError("seat='all': Stable-Baselines3 learns one seat; name it, or 'random'")
        self.self_play = SelfPlay(num_snapshots)
        given["opponent"] = self.self_play.seated(given["opponent"])
        self._core = EnvCore(game, given, num_rows=num_envs, num_threads=num_threads, text=False)
        self.game = self._core.game
        self.options = self._core.options
        self.spec = gymnasium.registry.get(self.game.id)
        self._steps_checked = 0 if "illegal_action" in arguments else _STEPS_CHECKED
        self._seeded = np.zeros(num_envs, np.bool_)
        self._actions = np.zeros(num_envs, np.int64)
        self._row_attributes: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self.render_mode = self._core.render_mode  # `VecEnv` reads it from the rows.
        super().__init__(num_envs, self._core.observation_space(), self._core.action_space())

    # -- playing ------------------------------------------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int]:
        """Seed the rows for the next `reset`, and return the seed of each.

        Row i then plays exactly the same games as a single env that is reset with seed number i. The seeds are hashed
        from `seed`, not counted from it as in SB3's own vec envs, so that runs of neighboring seeds share no games.

        Raises:
            CardgymError: if `seed` is not a whole number of at least 0.
        """
        if seed is not None:
            whole_number("seed", seed, 0)
        drawn = np.random.randint(0, 2**32) if seed is None else seed  # As SB3 does.
        seeds: list[int] = np.random.SeedSequence(int(drawn)).generate_state(self.num_envs, np.uint64).tolist()
        self._seeds = list(seeds)
        return seeds

    def reset(self) -> VecEnvObs:
        """Start the next game in every row, after `seed` the first game of its seed.

        `set_options({"deck": [...]})` deals chosen cards in games that support it.

        Raises:
            CardgymError: for an unknown option, or a deck that cannot be dealt.
        """
        batch = self._core.seated.batch
        rows = batch.plain_rows
        for i, seed in enumerate(self._seeds):
            if seed is not None or not self._seeded[i]:
                rows["key"][i] = self._core.draw_key(seeding.np_random(seed)[0])
                rows["games"][i] = 0
        self._seeded[:] = True
        for i, options in enumerate(self._options):
            self._core.stack(options, i)
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
        self._actions = action_of_each(actions, self.num_envs)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions; rows whose game is over start the next one.

        Returns:
            Observations (num_envs, ...), rewards (num_envs,) float32, dones (num_envs,) bool, and a list of infos.

        Raises:
            CardgymError: before the first `reset`, and for opponents `self` and `snapshot` without a model.
            IllegalActionError: for an illegal action with `illegal_action="raise"`; no game changes.
        """
        core, seated = self._core, self._core.seated
        if not self._seeded.all():
            raise CardgymError("step() before reset(): call reset()")
        self.self_play.check()
        if core.raises:
            check_legal(self._actions, seated.masks, lambda row: f"env {row}: ", IllegalActionError)
        if self._steps_checked:
            self._steps_checked -= 1
            if not are_legal(self._actions, seated.masks).all():
                core.warn_of_illegal_action("was replaced by a random legal one")
        seated.step(self._actions, STEP, illegal=core.illegal, skip=True)
        rewards = seated.batch.answers["reward"].astype(np.float32)
        dones: npt.NDArray[np.bool_] = seated.batch.answers["pending_policy"] == NOBODY
        blank = {"TimeLimit.truncated": False, "winner": -1, "illegal_action": False}
        infos: list[dict[str, Any]] = [blank.copy() for _ in range(self.num_envs)]
        if dones.any():
            ends = core.ends(dones)
            if ends["illegal_action"].any():
                core.warn_of_illegal_action()
            last = self._observations()
            for i in np.flatnonzero(dones).tolist():
                infos[i] |= {name: values[i].item() for name, values in ends.items()}
                infos[i]["terminal_observation"] = (
                    {name: part[i] for name, part in last.items()} if isinstance(last, dict) else last[i]
                )
            self._start(dones)
        return self._observations(), rewards, dones, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, (num_envs, actions) bool."""
        legal: npt.NDArray[np.bool_] = self._core.seated.masks != 0
        return legal

    def weigh_opponents(self, weights: Mapping[Any, float]) -> None:
        """Draw the opponents by these weights from each row's next game on, for a curriculum.

        Args:
            weights: the players of the mapping that was the env's `opponent`, in the same order; 0 for those who rest.

        Raises:
            CardgymError: for other players.
        """
        mixed = resolve(self.self_play.seated(weights), self.game, self.options)
        for seated in self._core.seated.roster:
            names = [[part.name for part in getattr(player, "players", ())] for player in (seated, mixed)]
            if not (isinstance(seated, MixturePlayer) and isinstance(mixed, MixturePlayer) and names[0] == names[1]):
                raise CardgymError("weigh_opponents: give the mapping that was the env's opponent, with other weights")
            seated.weights = mixed.weights

    def close(self) -> None:
        """Do nothing."""

    def _start(self, starting: npt.NDArray[np.bool_]) -> None:
        """Start the next game in the rows `starting`, (num_envs,) bool."""
        self._core.seated.step(0, np.where(starting, RESET, NOOP), skip=True)

    def _observations(self) -> npt.NDArray[Any] | dict[str, npt.NDArray[Any]]:
        seated = self._core.seated
        shown: npt.NDArray[Any] | dict[str, npt.NDArray[Any]] = self._core.shown(seated.observations, seated.masks)
        return shown

    # -- rows, as if they were separate envs --------------------------------------------------------------------------

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of each row: one that `set_attr` has set, or one that all rows share (`SHARED`).

        Raises:
            AttributeError: if there is none of that name.
        """
        rows = [self._row_attributes[i] for i in self._get_indices(indices)]
        if attr_name not in SHARED and not all(attr_name in row for row in rows):
            raise AttributeError(f"the rows of a CardVecEnv have no attribute {attr_name!r}")
        return [row[attr_name] if attr_name in row else getattr(self, attr_name) for row in rows]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of rows, which changes nothing in how their games are played."""
        for i in self._get_indices(indices):
            self._row_attributes[i][attr_name] = value

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of each row: `action_masks()`, or `render()` for its text or picture.

        Raises:
            AttributeError: if there is none of that name.
        """
        rows = list(self._get_indices(indices))
        if method_name == "action_masks":
            return list(self.action_masks()[rows])
        if method_name == "render":
            seats = self._core.viewers().tolist()
            return [self._core.render(row, seats[row]) for row in rows]
        raise AttributeError(f"the rows of a CardVecEnv have no method {method_name!r}")

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return false for each row: rows cannot be wrapped, only the whole vec env can."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return a picture of each row, (720, 960, 3), uint8; None without `render_mode="rgb_array"`."""
        return self.env_method("render") if self.render_mode == "rgb_array" else [None] * self.num_envs

    def _get_indices(self, indices: VecEnvIndices) -> Iterable[int]:
        """As `VecEnv`'s; NumPy's whole numbers are indices too."""
        return super()._get_indices(int(indices) if isinstance(indices, np.integer) else indices)

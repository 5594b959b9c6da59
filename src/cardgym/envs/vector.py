"""A game as a Gymnasium vector env, natively batched: one compiled call steps every table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardgym.engine.contract import Game
from cardgym.engine.kernel import NOOP, RESET, STEP
from cardgym.envs.core import Opponents, Setting, check_reset_options, picture
from cardgym.errors import CardgymError, unknown


class CardVectorEnv(VectorEnv[Any, Any, Any]):
    """Many tables of a registered game. `gymnasium.make_vec("CorellianSpike-v0", num_envs=4096)` makes one.

    Row i plays the same games, bit for bit, as a single env seeded with `seed + i`. `info["action_mask"]` is int8 of
    (num_envs, actions). The arguments are those of `CardEnv`, and:

    Args:
        num_envs: how many tables.
        autoreset_mode: NEXT_STEP (default: the step after the end starts the next game; it is no transition),
            SAME_STEP (with `final_obs` and `final_info`) or DISABLED (with `options={"reset_mask": ...}` in `reset`).

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
        IllegalActionError: for an illegal action with `illegal_action="raise"`; nothing has happened then.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponent: Opponents = "random",
        seat: int | str = 0,
        obs: str | None = None,
        obs_mode: str = "flat",
        illegal_action: str = "penalize",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if not isinstance(num_envs, int) or num_envs < 1:
            raise CardgymError(f"num_envs={num_envs}: allowed are whole numbers from 1")
        self._setting = Setting(game, opponent, seat, obs, obs_mode, illegal_action, num_envs, options)
        modes = [mode.value for mode in AutoresetMode]
        if not isinstance(autoreset_mode, AutoresetMode) and autoreset_mode not in modes:
            raise unknown("autoreset_mode", autoreset_mode, modes)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.game = self._setting.game
        self.options = self._setting.options
        self.num_envs = num_envs
        self.metadata = {"render_modes": ["ansi", "rgb_array"], "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        if render_mode not in (None, "ansi", "rgb_array"):
            raise CardgymError(f"render_mode={render_mode!r}: allowed are 'ansi' and 'rgb_array'")
        self.single_observation_space = self._setting.observation_space()
        self.single_action_space = spaces.Discrete(self.game.actions(self.options))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeded = np.zeros(num_envs, np.bool_)
        self._over = np.ones(num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the next game in every row; with a seed, the first game of `seed + i` in row i.

        `options={"reset_mask": mask}`, bool of (num_envs,), resets those rows only.

        Returns:
            Observations as in the observation space (num_envs rows), and the infos.

        Raises:
            CardgymError: for another mask, an option of another name, or as many seeds as there are no envs.
        """
        check_reset_options(options, ("reset_mask",))
        chosen = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            chosen = np.asarray(options["reset_mask"])
            if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
                raise CardgymError(f"reset_mask: give a bool array of ({self.num_envs},) with at least one True")
        seeds: list[int | None] = [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            seeds = [int(seed) + i for i in range(self.num_envs)]
        elif seed is not None:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise CardgymError(f"{len(seeds)} seeds for {self.num_envs} envs: give one for each")
        rows = self._setting.tables.batch.plain_rows
        for i in np.flatnonzero(chosen & (~self._seeded | np.array([one is not None for one in seeds]))):
            rows["key"][i] = self._setting.draw_key(seeding.np_random(seeds[i])[0])
            rows["games"][i] = 0
        self._seeded |= chosen
        if not chosen.all():  # The others show what they did, whatever became of the arrays handed out.
            self._setting.tables.observations, self._setting.tables.masks = self._setting.seen_now()
        self._start(chosen)
        return self._observations(), self._infos(chosen)

    def step(
        self, actions: Any
    ) -> tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Play an action in every row; see the class for what happens to rows whose game is over.

        Args:
            actions: whole numbers of (num_envs,).

        Returns:
            Observations, rewards (num_envs,) float64, which games are over (num_envs,) bool, all False, and the infos.

        Raises:
            CardgymError: for other actions, or where a row awaits a reset.
            IllegalActionError: for an illegal action with `illegal_action="raise"`; nothing has happened then.
        """
        setting, tables = self._setting, self._setting.tables
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or not np.issubdtype(chosen.dtype, np.integer):
            raise CardgymError(f"actions: give whole numbers of ({self.num_envs},), not {chosen.dtype} {chosen.shape}")
        starting = self._over
        if starting.any() and (self.autoreset_mode != AutoresetMode.NEXT_STEP or not self._seeded.all()):
            raise CardgymError(f"step() where env {int(starting.argmax())} awaits a reset: call reset()")
        if setting.raises:
            setting.refuse_illegal(chosen, ~starting)
        tables.step(chosen, np.where(starting, RESET, STEP), illegal=setting.illegal, skip=setting.skips)
        rewards = tables.batch.answers["reward"].copy()
        over = tables.batch.answers["pending_policy"] == 0
        self._over = over
        infos: dict[str, Any] = {}
        everyone = np.ones(self.num_envs, np.bool_)
        if setting.plays_all:
            infos["rewards"] = tables.paid[:, : self.options.num_players].copy()
            infos["_rewards"] = ~starting
        if self.autoreset_mode == AutoresetMode.SAME_STEP and over.any():
            infos |= self._final(over)
            self._start(over)
        infos |= self._infos(everyone)
        return self._observations(), rewards, over.copy(), np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """What is legal now, (num_envs, actions) bool."""
        legal: npt.NDArray[np.bool_] = self._setting.seen_now()[1] != 0
        return legal

    def render(self) -> Any:
        """Every table as its seat sees it: a tuple of texts, or of pictures (height, width, 3) uint8."""
        states = self._setting.tables.batch.states
        seats = self._setting.viewers()
        if self.render_mode == "ansi":
            return tuple(self.game.words.describe(state, seat) for state, seat in zip(states, seats, strict=True))
        if self.render_mode == "rgb_array":
            return tuple(picture(self.game, state, seat) for state, seat in zip(states, seats, strict=True))
        raise CardgymError("render() needs an env made with render_mode='ansi' or 'rgb_array'")

    def _start(self, chosen: npt.NDArray[np.bool_]) -> None:
        tables = self._setting.tables
        tables.step(0, np.where(chosen, RESET, NOOP), skip=self._setting.skips)
        self._over = tables.batch.answers["pending_policy"] == 0

    def _final(self, over: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """The last observations and infos of the games that are over, as Gymnasium's vector envs give them."""
        observations = self._observations()
        final: npt.NDArray[Any] = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(over):
            if self._setting.as_dict:
                final[i] = {name: part[i] for name, part in observations.items()}
            else:
                final[i] = observations[i]
        infos = self._infos(over)
        return {"final_obs": final, "_final_obs": over.copy(), "final_info": infos, "_final_info": over.copy()}

    def _observations(self) -> Any:
        tables, setting = self._setting.tables, self._setting
        observations: Any = tables.observations
        if setting.observation.discrete is not None:
            observations = observations[:, 0].astype(np.int64)
        if setting.as_dict:
            return {"observation": observations, "action_mask": tables.masks.copy()}
        return observations

    def _infos(self, present: npt.NDArray[np.bool_]) -> dict[str, Any]:
        setting, answers = self._setting, self._setting.tables.batch.answers
        infos: dict[str, Any] = {"action_mask": setting.tables.masks, "_action_mask": present}
        if setting.has_code:
            infos |= {"state_code": answers["code"].copy(), "_state_code": present.copy()}
        if setting.plays_all:
            infos |= {"seat": answers["current_player"].copy(), "_seat": present.copy()}
        return infos

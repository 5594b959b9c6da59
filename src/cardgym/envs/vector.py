"""A game as a Gymnasium vector env, natively batched: one compiled call steps every row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardgym.engine.contract import Float64s, Game
from cardgym.engine.kernel import NOBODY, NOOP, RESET, STEP
from cardgym.envs.core import RENDER_FPS, RENDER_MODES, EnvCore, check_reset_options, winners
from cardgym.errors import CardgymError, IllegalActionError, unknown, whole_number
from cardgym.players import check_legal

_STEP = np.uint8(STEP)
assert RESET == STEP + 1  # For `step`.


class CardVectorEnv(VectorEnv[Any, Any, Any]):
    """Parallel games, as created by `gymnasium.make_vec("Name-v0", num_envs=4096)`; each row is a game.

    Row i plays exactly the games of a single env seeded with `seed + i`. `info["action_mask"]` is (num_envs, actions)
    int8. When a game ends, `info["winner"]` and `info["illegal_action"]` are those of `CardEnv`; `_winner` and
    `_illegal_action` mark these rows. The arguments are those of `CardEnv`, and:

    Args:
        autoreset_mode: NEXT_STEP (default: the step after the end starts the next game and is not a transition),
            SAME_STEP (with `final_obs` and `final_info`) or DISABLED (with `options={"reset_mask": ...}` in `reset`).
        max_episode_steps: the number of steps after which a game is truncated; never by default.
        num_threads: the maximum number of threads that share a step; each gets at least 512 games. The games do not
            depend on it.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
        IllegalActionError: for an illegal action with `illegal_action="raise"`; no game changes.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        num_threads: int = 1,
        **arguments: Any,
    ) -> None:
        whole_number("num_envs", num_envs, 1)
        if max_episode_steps is not None:
            whole_number("max_episode_steps", max_episode_steps, 1)
        self._core = EnvCore(game, arguments, num_rows=num_envs, num_threads=num_threads)
        modes = [mode.value for mode in AutoresetMode]
        if not isinstance(autoreset_mode, AutoresetMode) and autoreset_mode not in modes:
            raise unknown("autoreset_mode", autoreset_mode, modes)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.game = self._core.game
        self.__doc__ = self.game.documentation
        self.options = self._core.options
        self.num_envs = num_envs
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.render_mode = self._core.render_mode
        self.single_observation_space = self._core.observation_space()
        self.single_action_space = self._core.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeded = np.zeros(num_envs, np.bool_)
        self._over = np.ones(num_envs, np.bool_)
        self._max_episode_steps = max_episode_steps
        self._elapsed = np.zeros(num_envs, np.int64)  # Steps of the current game, counted if they are limited.

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the next game in every row; with a seed, the first game of `seed + i` in row i.

        `options={"reset_mask": mask}`, bool of (num_envs,), resets those rows only.

        Raises:
            CardgymError: for a wrong mask, an unknown option, or a list of seeds whose length is not num_envs.
        """
        check_reset_options(options, ("reset_mask",))
        resetting = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            resetting = np.asarray(options["reset_mask"])
            if resetting.shape != (self.num_envs,) or resetting.dtype != np.bool_ or not resetting.any():
                raise CardgymError(f"reset_mask: give a bool array of ({self.num_envs},) with at least one True")
        seeds: list[int | None] = [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            seeds = [int(seed) + i for i in range(self.num_envs)]
        elif seed is not None:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise CardgymError(f"{len(seeds)} seeds for {self.num_envs} envs: give one for each")
        core = self._core
        rows = core.seated.batch.plain_rows
        given = np.array([number is not None for number in seeds])
        for i in np.flatnonzero(resetting & (~self._seeded | given)):
            rows["key"][i] = core.draw_key(seeding.np_random(seeds[i])[0])
            rows["games"][i] = 0
        self._seeded |= resetting
        if not resetting.all():  # Rewrite the other rows, too: the caller may have changed the arrays.
            core.seated.observations, core.seated.masks = core.observe_now()
        self._start(resetting)
        return self._observations(), self._infos(resetting)

    def step(self, actions: Any) -> tuple[Any, Float64s, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Play an action in every row; `autoreset_mode` determines what happens in rows whose game is over.

        Args:
            actions: (num_envs,) integers.

        Returns:
            Observations, rewards (num_envs,) float64, terminated (num_envs,) bool, truncated (num_envs,) bool, infos.

        Raises:
            CardgymError: for actions of a wrong shape or dtype, or if a row awaits a reset.
            IllegalActionError: for an illegal action with `illegal_action="raise"`; no game changes.
        """
        core, seated = self._core, self._core.seated
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or not np.issubdtype(chosen.dtype, np.integer):
            raise CardgymError(f"actions: give whole numbers of ({self.num_envs},), not {chosen.dtype} {chosen.shape}")
        starting = self._over
        if starting.any() and (self.autoreset_mode != AutoresetMode.NEXT_STEP or not self._seeded.all()):
            raise CardgymError(f"step() where env {int(starting.argmax())} awaits a reset: call reset()")
        if core.raises:
            playing = np.flatnonzero(~starting)
            masks = core.observe_now()[1][playing]
            check_legal(chosen[playing], masks, lambda place: f"env {playing[place]}: ", IllegalActionError)
        commands = starting + _STEP  # RESET where a game is over; ten times as fast as `np.where`.
        seated.step(chosen, commands, illegal=core.illegal, skip=not core.plays_all)
        rewards = seated.batch.answers["reward"].copy()
        terminated = seated.batch.answers["pending_policy"] == NOBODY
        truncated = np.zeros(self.num_envs, np.bool_)
        over = terminated
        if self._max_episode_steps is not None:
            self._elapsed = np.where(starting, 0, self._elapsed + 1)
            truncated = self._elapsed >= self._max_episode_steps
            over = terminated | truncated
        self._over = over
        infos: dict[str, Any] = {}
        if core.plays_all:
            infos["rewards"] = seated.batch.paid.copy()
            infos["_rewards"] = ~starting
        if over.any():
            ends = self._ends(terminated, truncated)
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                infos |= self._final(over, ends)
                self._start(over)
            else:
                infos |= ends
        infos |= self._infos(np.ones(self.num_envs, np.bool_))
        return self._observations(), rewards, terminated.copy(), truncated, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, (num_envs, actions) bool."""
        legal: npt.NDArray[np.bool_] = self._core.observe_now()[1] != 0
        return legal

    def render(self) -> Any:
        """Every game as its seat sees it: a tuple of texts or of pictures (720, 960, 3) uint8."""
        return tuple(self._core.render(row, seat) for row, seat in enumerate(self._core.viewers().tolist()))

    # -- parts of a step ----------------------------------------------------------------------------------------------

    def _start(self, starting: npt.NDArray[np.bool_]) -> None:
        seated = self._core.seated
        self._elapsed[starting] = 0
        seated.step(0, np.where(starting, RESET, NOOP), skip=not self._core.plays_all)
        self._over = seated.batch.answers["pending_policy"] == NOBODY

    def _ends(self, terminated: npt.NDArray[np.bool_], truncated: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """The infos `winner` and `illegal_action`."""
        batch, over = self._core.seated.batch, terminated | truncated
        illegal = terminated & (batch.plain_rows["forfeited"] >= 0)
        if illegal.any():
            self._core.warn_of_illegal_action()
        found = {"winner": winners(self.game, batch, terminated), "illegal_action": illegal}
        return found | {f"_{name}": over.copy() for name in found}

    def _final(self, over: npt.NDArray[np.bool_], ends: dict[str, Any]) -> dict[str, Any]:
        """The last observations and infos of finished games, in the form of Gymnasium's vector envs."""
        observations = self._observations()
        final: npt.NDArray[Any] = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(over):
            if self._core.masked is not None:
                final[i] = {name: part[i] for name, part in observations.items()}
            else:
                final[i] = observations[i]
        infos = self._infos(over) | ends
        return {"final_obs": final, "_final_obs": over.copy(), "final_info": infos, "_final_info": over.copy()}

    def _observations(self) -> Any:
        return self._core.shown(self._core.seated.observations, self._core.seated.masks)

    def _infos(self, present: npt.NDArray[np.bool_]) -> dict[str, Any]:
        core, answers = self._core, self._core.seated.batch.answers
        infos: dict[str, Any] = {"action_mask": core.seated.masks, "_action_mask": present}
        if core.shows_keys:
            infos |= {"info_state_key": answers["info_state_key"].copy(), "_info_state_key": present.copy()}
        if core.plays_all:
            infos |= {"seat": answers["current_player"].copy(), "_seat": present.copy()}
        return infos

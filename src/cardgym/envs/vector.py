"""A game as a Gymnasium vector env, natively batched: one compiled call steps every row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardgym.engine.contract import Float64s, Game, Int64s
from cardgym.engine.kernel import NOBODY, NOOP, RESET, STEP
from cardgym.engine.text import TextView
from cardgym.envs.core import MAX_SEED, RENDER_FPS, RENDER_MODES, EnvCore, check_reset_options
from cardgym.errors import CardgymError, IllegalActionError, of_kind, one_of, whole_number
from cardgym.players import PlayerSpec, check_legal
from cardgym.players.checks import action_of_each

_STEP = np.uint8(STEP)
assert RESET == STEP + 1  # For `step`.


class CardVectorEnv(VectorEnv[Any, Any, Any]):
    """Parallel games, as created by `gymnasium.make_vec("Name-v0", num_envs=4096)`; each row is a game.

    Row i plays exactly the games of a single env seeded with `seed + i`. `info["action_mask"]` is (num_envs, actions)
    int8. The infos are those of `CardEnv`, as arrays of (num_envs, ...), with the same keys in every step; under
    SAME_STEP `final_info` has the last infos of games that ended. The other `arguments` are those of `CardEnv`.

    Args:
        game: the id of a registered game, or the game.
        num_envs: number of games, one in each row.
        autoreset_mode: NEXT_STEP (the step after the end starts the next game and is not a transition),
            SAME_STEP (with `final_obs` and `final_info`) or DISABLED (with `options={"reset_mask": ...}` in `reset`).
        max_episode_steps: the number of steps after which a game is truncated; None for no limit.
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
        num_envs = whole_number("num_envs", num_envs, 1)
        if max_episode_steps is not None:
            whole_number("max_episode_steps", max_episode_steps, 1)
        self._core = EnvCore(game, arguments, num_rows=num_envs, num_threads=num_threads)
        if not isinstance(autoreset_mode, AutoresetMode):
            one_of("autoreset_mode", autoreset_mode, [mode.value for mode in AutoresetMode])
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
        self._row_seeds = [-1] * num_envs
        self._over = np.ones(num_envs, np.bool_)
        self._max_episode_steps = max_episode_steps
        self._elapsed = np.zeros(num_envs, np.int64)  # Steps of the current game, counted if they are limited.

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the next game in each row; with a seed, the first game of `seed + i` in row i.

        Returns the observations, (num_envs, size), in the form of `obs_mode`, and the infos.
        `options={"reset_mask": mask}`, bool of (num_envs,), resets those rows only. Afterwards `np_random_seed` is the
        seed, or for a list of seeds the seed of each row; without any seed the first reset draws one.

        Raises:
            CardgymError: for a wrong mask, an unknown option, or a list of seeds whose length is not num_envs.
        """
        check_reset_options(options, ("reset_mask",))
        resetting = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            resetting = np.asarray(options["reset_mask"])
            if resetting.shape != (self.num_envs,) or resetting.dtype != np.bool_ or not resetting.any():
                raise CardgymError(f"reset_mask: give a bool array of ({self.num_envs},) with at least one True")
        core = self._core
        self._seed_rows(seed, resetting)
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
        chosen = action_of_each(actions, self.num_envs)
        starting = self._over
        if starting.any() and (self.autoreset_mode != AutoresetMode.NEXT_STEP or not self._seeded.all()):
            raise CardgymError(f"step() where env {int(starting.argmax())} awaits a reset: call reset()")
        if core.raises:
            playing = np.flatnonzero(~starting)
            masks = core.observe_now()[1][playing]
            check_legal(chosen[playing], masks, lambda place: f"env {playing[place]}: ", IllegalActionError)
        commands = starting + _STEP  # RESET where a game is over; ten times as fast as `np.where`.
        self._over = np.zeros(self.num_envs, np.bool_)  # If this is cut short, no step starts a game.
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
        terminated = terminated.copy()
        infos: dict[str, Any] = {}
        if over.any():
            if (terminated & (seated.batch.plain_rows["forfeited"] >= 0)).any():
                core.warn_of_illegal_action()
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                infos = self._final(over)
                self._start(over)
        infos |= self._infos(np.ones(self.num_envs, np.bool_))
        return self._observations(), rewards, terminated, truncated, infos

    @property
    def games(self) -> tuple[Any, ...]:
        """The states of the games and which of them are over: arrays, to save and to restore in place."""
        batch = self._core.seated.batch
        return batch.plain_states, batch.plain_rows, self._over

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, (num_envs, actions) bool."""
        legal: npt.NDArray[np.bool_] = self._core.observe_now()[1] != 0
        return legal

    def render(self) -> Any:
        """Return each game as its seat sees it: texts, or pictures (720, 960, 3) uint8; None without a mode."""
        if self.render_mode is None:
            return self._core.render(0, 0)
        return tuple(self._core.render(row, seat) for row, seat in enumerate(self._core.viewers().tolist()))

    def text(self) -> tuple[TextView, ...]:
        """Return each game in words, as its seat knows it; see `CardEnv.text`."""
        return tuple(self._core.text(row, seat) for row, seat in enumerate(self._core.viewers().tolist()))

    def player(self, spec: PlayerSpec) -> Callable[[], Int64s]:
        """Return a function that returns a player's actions, (num_envs,) int64; see `EnvCore.player`."""
        return self._core.player(spec)

    # -- parts of a step ----------------------------------------------------------------------------------------------

    def _seed_rows(self, seed: Any, resetting: npt.NDArray[np.bool_]) -> Int64s:
        """Seed the rows that `reset` starts anew with a seed, or for the first time; returns their numbers."""
        rows = self._core.seated.batch.plain_rows
        if isinstance(seed, np.ndarray):
            seed = seed.tolist()
        seeds = self._seeds_of(seed)
        given = np.array([number is not None for number in seeds])
        changed = np.flatnonzero(resetting & (~self._seeded | given))
        for i in changed:
            generator, self._row_seeds[i] = seeding.np_random(seeds[i])
            rows["key"][i] = self._core.draw_key(generator)
            rows["games"][i] = 0
        self._seeded |= resetting
        if isinstance(seed, list | tuple):
            vars(self)["_np_random_seed"] = tuple(self._row_seeds)  # As of Gymnasium's `SyncVectorEnv`.
        return changed

    def _seeds_of(self, seed: Any) -> list[int | None]:
        """Return the seed that `reset` gives each row; None where it goes on."""
        if isinstance(seed, list | tuple):
            if len(seed) != self.num_envs:
                raise CardgymError(f"{len(seed)} seeds for {self.num_envs} envs: give one for each")
            return [None if number is None else whole_number("seed", number, 0, MAX_SEED) for number in seed]
        if seed is not None:
            super().reset(seed=whole_number("seed", seed, 0, MAX_SEED))
        first: Any = self.np_random_seed  # Drawn now, if there was none before.
        going_on = self._seeded if seed is None else np.zeros(self.num_envs, np.bool_)
        return [None if goes_on or isinstance(first, tuple) else first + i for i, goes_on in enumerate(going_on)]

    def _start(self, starting: npt.NDArray[np.bool_]) -> None:
        seated = self._core.seated
        self._elapsed[starting] = 0
        self._over = np.zeros(self.num_envs, np.bool_)  # As in `step`.
        seated.step(0, np.where(starting, RESET, NOOP), skip=not self._core.plays_all)
        self._over = seated.batch.answers["pending_policy"] == NOBODY

    def _final(self, over: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return the last observations and infos of finished games, in the form of Gymnasium's vector envs."""
        observations = self._observations()
        final: npt.NDArray[Any] = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(over):
            if self._core.masked is not None:
                final[i] = {name: part[i] for name, part in observations.items()}
            else:
                final[i] = observations[i]
        infos = self._infos(over)
        return {"final_obs": final, "_final_obs": over.copy(), "final_info": infos, "_final_info": over.copy()}

    def _observations(self) -> Any:
        return self._core.shown(self._core.seated.observations, self._core.seated.masks)

    def _infos(self, present: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return the infos of every row, and for each of them an array `_name`: whether the row is `present`."""
        core, batch = self._core, self._core.seated.batch
        infos = {"action_mask": core.seated.masks, **core.ends(batch.answers["pending_policy"] == NOBODY)}
        if core.shows_keys:
            infos["info_state_key"] = batch.answers["info_state_key"].copy()
        if core.plays_all:
            infos |= {"seat": batch.answers["current_player"].astype(np.int64), "rewards": batch.paid.copy()}
        if core.shows_text:
            infos["text"] = np.array([*self.text(), None], object)[:-1]  # Views are no sequences to NumPy.
        return infos | {f"_{name}": present.copy() for name in infos}


def make_vector_env(game: str | Game, num_envs: int = 1, *, device: str = "cpu", **arguments: Any) -> CardVectorEnv:
    """Make parallel games on the CPU, or with `device="cuda"` on a GPU; what `gymnasium.make_vec` calls.

    Raises:
        CardgymError: as `CardVectorEnv` and `GpuVectorEnv`.
    """
    of_kind("device", device, str, "'cpu' and 'cuda'")
    if device == "cpu":
        return CardVectorEnv(game, num_envs, **arguments)
    from cardgym.envs.gpu import GpuVectorEnv

    return GpuVectorEnv(game, num_envs, device=device, **arguments)

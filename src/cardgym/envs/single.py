"""A game as a Gymnasium env: the caller plays one seat, players take the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float32s, Game, Int8s
from cardgym.engine.kernel import MAX_PLAYERS, RESET
from cardgym.engine.text import TextView
from cardgym.envs.core import MAX_SEED, RENDER_FPS, RENDER_MODES, EnvCore
from cardgym.errors import CardgymError, whole_number
from cardgym.players import PlayerSpec

_OVER = np.ones(1, np.bool_)
_SEATS = (*np.arange(MAX_PLAYERS), np.int64(-1))
"""Each seat, and -1 for the end, as np.int64: creating one takes a tenth of the time of a step."""


class CardEnv(gymnasium.Env[Any, Any]):
    """A registered game, as created by `gymnasium.make("Name-v0")`; its `__doc__` is the game's documentation.

    `info["action_mask"]`, (actions,) int8, marks the legal actions; it is all ones at the end. The reward of a step is
    what the seat was paid since its previous decision; the first reward includes all payments before it.
    `info["info_state_key"]` identifies what the seat knows, in games whose keys have indices. With `seat="all"` the
    caller plays every seat: `info["seat"]` is the seat to decide, `info["rewards"]` what the step paid each seat, and
    the reward is that of the seat that acted. `info["winner"]`, int64, is the seat with the highest score at the end of
    the game, and -1 before it; `info["illegal_action"]`, a bool array of shape (), is whether an illegal action ended
    the game. With `text=True`, `info["text"]` is `text()`. Every info has the same keys.

    Args:
        game: the id of a registered game, or the game.
        arguments: those of `cardgym.envs.EnvArguments`, and the game's options.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
        IllegalActionError: for an illegal action with `illegal_action="raise"`; the game does not change.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(self, game: str | Game, **arguments: Any) -> None:
        self._core = EnvCore(game, arguments)
        self.game = self._core.game
        self.__doc__ = self.game.documentation
        self.options = self._core.options
        self.observation_space = self._core.observation_space()
        self.action_space = self._core.action_space()
        self.render_mode = self._core.render_mode
        self._seeded = False
        self._current_player = -1

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the next game; with a seed, the first game of that seed. Returns the observation and the info.

        `options={"deck": [...]}` deals chosen cards in games that support it; see the game's page.

        Raises:
            CardgymError: for an unknown option or an impossible deck.
        """
        core, seated = self._core, self._core.seated
        if seed is not None:
            seed = whole_number("seed", seed, 0, MAX_SEED)
        stacked = core.stack(options)
        super().reset(seed=seed)  # Last: a refused call changes nothing.
        if seed is not None or not self._seeded:
            seated.seed(np.array([core.draw_key(self.np_random)], np.uint64))
            self._seeded = True
        # A stacked game is played even if the caller decides nothing in it.
        observation, mask, answer = seated.act(0, core.illegal, RESET, not core.plays_all and not stacked)
        self._current_player = answer[1]
        return self._outputs(observation, mask)

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play an action for the seat to decide; the others play on until it decides again or the game ends.

        Returns:
            The observation, the reward (float), whether the game is over, False, and the info.

        Raises:
            CardgymError: before `reset`, after the end, or if the action is not an integer.
            IllegalActionError: for an illegal action with `illegal_action="raise"`.
        """
        if self._current_player < 0:
            raise CardgymError("step() before reset(), or after the end of the game: call reset()")
        core = self._core
        observation, mask, (reward, self._current_player) = core.seated.act(core.one_action(action), core.illegal)
        shown, info = self._outputs(observation, mask)
        over = self._current_player < 0
        if over:
            ends = core.ends(_OVER)
            info["winner"], info["illegal_action"] = ends["winner"][0], ends["illegal_action"].reshape(())
            if info["illegal_action"]:
                core.warn_of_illegal_action()
        return shown, reward, over, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, (actions,) bool, for sb3-contrib's MaskablePPO."""
        legal: npt.NDArray[np.bool_] = self._core.observe_now()[1][0] != 0
        return legal

    def render(self) -> Any:
        """Return the game as the seat sees it: `str(text())`, or a picture (720, 960, 3), uint8."""
        return self._core.render(0, int(self._core.viewers()[0]))

    def text(self, seat: int | None = None) -> TextView:
        """Return the game in words as `seat` knows it, by default the caller's; the seat to decide if it plays all.

        Raises:
            CardgymError: if the env was made with neither `text=True` nor `render_mode="ansi"`.
        """
        return self._core.text(0, int(self._core.viewers()[0]) if seat is None else self._core.one_seat(seat))

    def player(self, spec: PlayerSpec) -> Callable[[], int]:
        """Return a function that returns the action of a player for the seat to decide; see `EnvCore.player`."""
        choose = self._core.player(spec)
        return lambda: int(choose()[0])

    def _outputs(self, observation: Float32s, mask: Int8s) -> tuple[Any, dict[str, Any]]:
        """Return the observation as the env shows it, and the info after a step."""
        core = self._core
        # NumPy values: wrappers read their dtype. Gymnasium batches a bool of () as bool, np.bool_ as object.
        info: dict[str, Any] = {"action_mask": mask, "winner": _SEATS[-1], "illegal_action": np.array(False)}
        if core.shows_keys:
            info["info_state_key"] = core.seated.batch.answers["info_state_key"][0]
        if core.plays_all:
            info["seat"] = _SEATS[self._current_player]
            info["rewards"] = core.seated.batch.paid.flatten()
        if core.shows_text:
            info["text"] = self.text()
        if core.shows_as_is:
            return observation, info
        return core.shown(observation, mask), info

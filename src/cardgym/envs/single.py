"""A game as a single Gymnasium env: one seat decides, the others are played."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from cardgym.engine.contract import Game
from cardgym.engine.kernel import RESET
from cardgym.envs.core import Opponents, Setting, check_reset_options, picture
from cardgym.errors import CardgymError


class CardEnv(gymnasium.Env[Any, Any]):
    """One table of a registered game. `gymnasium.make("CorellianSpike-v0")` makes one; see the game's own page.

    `info["action_mask"]`, int8 of (actions,), says what is legal, from `reset` on; it is all ones at the end.
    A step's reward is what the seat was paid since its last decision; the first one's holds what came before it.
    `info["state_code"]` is the game's code of the state, if it has one. With `seat="all"` the caller plays every
    seat: `info["seat"]` is the seat to decide, `info["rewards"]` what the step paid each, and the reward is that of
    the seat that acted.

    Args:
        game: the game's id.
        opponent: a player's name, a path, a callable (observation, action_mask) -> action, or a list of those.
        seat: the seat to play, from 0; "random" for a new one each game; "all" for every seat.
        obs: the name of an observation; the game's first by default.
        obs_mode: "flat", or "dict" for `Dict(observation, action_mask)`.
        illegal_action: "penalize" (default: the game ends and is lost), "raise" or "random".
        render_mode: "ansi" or "rgb_array".
        options: the game's options.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
        IllegalActionError: for an illegal action with `illegal_action="raise"`; nothing has happened then.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self,
        game: str | Game,
        *,
        opponent: Opponents = "random",
        seat: int | str = 0,
        obs: str | None = None,
        obs_mode: str = "flat",
        illegal_action: str = "penalize",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self._setting = Setting(game, opponent, seat, obs, obs_mode, illegal_action, 1, options)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise CardgymError(f"render_mode={render_mode!r}: allowed are 'ansi' and 'rgb_array'")
        self.game = self._setting.game
        self.options = self._setting.options
        self.observation_space = self._setting.observation_space()
        self.action_space = spaces.Discrete(self.game.actions(self.options))
        self.render_mode = render_mode
        self._seeded = False
        self._current_player = -1

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the next game; with a seed, the first of that seed.

        `options={"deck": [...]}` deals chosen cards where the game knows how; see its page.

        Returns:
            The observation, as in the observation space, and the info.

        Raises:
            CardgymError: for an option of another name, or a deck that cannot be dealt.
        """
        check_reset_options(options, ("deck",))
        super().reset(seed=seed)
        setting, tables = self._setting, self._setting.tables
        if seed is not None or not self._seeded:
            tables.seed(np.array([setting.draw_key(self.np_random)], np.uint64))
            self._seeded = True
        if options and "deck" in options:
            setting.game.rules.stack_deck(tables.batch.states[0], options["deck"])
            tables.step(0, RESET)
        else:
            tables.step(0, RESET, skip=setting.skips)
        answer = tables.batch.answers[0]
        self._current_player = int(answer["current_player"])
        return self._seen(int(answer["code"]))

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play an action for the seat to decide, and on until it is to decide again or the game ends.

        Returns:
            The observation, the reward (float), whether the game is over, False, and the info.

        Raises:
            CardgymError: before `reset`, after the end, or for what is no whole number.
            IllegalActionError: for an illegal action with `illegal_action="raise"`.
        """
        if self._current_player < 0:
            raise CardgymError("step() before reset(), or after the end of the game: call reset()")
        setting = self._setting
        reward, self._current_player, code = setting.tables.act(setting.one_action(action), setting.illegal)
        observation, info = self._seen(code)
        if setting.plays_all:
            info["rewards"] = setting.tables.paid[0, : self.options.num_players].copy()
        return observation, reward, self._current_player < 0, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """What is legal now, (actions,) bool, as sb3-contrib's MaskablePPO asks for it."""
        legal: npt.NDArray[np.bool_] = self._setting.seen_now()[1][0] != 0
        return legal

    def render(self) -> Any:
        """The table as the seat sees it: text, or a picture (height, width, 3) uint8."""
        state = self._setting.tables.batch.states[0]
        seat = int(self._setting.viewers()[0])
        if self.render_mode == "ansi":
            return self.game.words.describe(state, seat)
        if self.render_mode == "rgb_array":
            return picture(self.game, state, seat)
        raise CardgymError("render() needs an env made with render_mode='ansi' or 'rgb_array'")

    def _seen(self, code: int) -> tuple[Any, dict[str, Any]]:
        setting = self._setting
        mask = setting.tables.masks[0]
        info: dict[str, Any] = {"action_mask": mask}
        if setting.has_code:
            info["state_code"] = code
        if setting.plays_all:
            info["seat"] = self._current_player
        observation: Any = setting.tables.observations[0]
        if setting.observation.discrete is not None:
            observation = np.int64(observation[0])
        if setting.as_dict:
            observation = {"observation": observation, "action_mask": mask.copy()}
        return observation, info

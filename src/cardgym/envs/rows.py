"""One row of a vector env, as other vector envs show their separate envs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from cardgym.envs.core import EnvCore

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec


class RowView:
    """One row of a vector env, with what `call`, `get_attr` and `env_method` ask of an env.

    A row cannot be stepped or reset by itself. Attributes that are set on it are kept, and change no game.

    Attributes:
        game: the game.
        options: its options.
        render_mode: "ansi", "rgb_array" or None.
        spec: Gymnasium's registration of the game, or None.
        observation_space: the space of one observation.
        action_space: the space of one action.
    """

    def __init__(
        self,
        core: EnvCore,
        row: int,
        spec: EnvSpec | None,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
    ) -> None:
        self._core = core
        self._row = row
        self.game = core.game
        self.options = core.options
        self.render_mode = core.render_mode
        self.spec = spec
        self.observation_space = observation_space
        self.action_space = action_space

    @property
    def unwrapped(self) -> RowView:
        """Itself."""
        return self

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, (actions,) bool; all of them where the game is over."""
        core, rows = self._core, np.array([self._row])
        if core.seated.batch.plain_rows["current_player"][self._row] < 0:
            return np.ones(core.seated.batch.num_actions, np.bool_)
        legal: npt.NDArray[np.bool_] = core.seated.look(rows, core.viewers()[rows])[1][0] != 0
        return legal

    def render(self) -> Any:
        """The game as the row's seat sees it: text, or a picture (720, 960, 3), uint8."""
        return self._core.render(self._row, int(self._core.viewers()[self._row]))

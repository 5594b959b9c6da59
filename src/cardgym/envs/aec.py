"""A game as a PettingZoo AEC env: every seat is an agent, stepped one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from cardgym.engine.contract import Float64s, Game
from cardgym.engine.kernel import RESET
from cardgym.envs.core import RENDER_FPS, RENDER_MODES, EnvCore, winners
from cardgym.errors import CardgymError, missing

try:
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    raise missing("cardgym.envs.aec", error) from None


class CardAECEnv(AECEnv[str, Any, int]):  # type: ignore[misc]  # PettingZoo is an extra and untyped here.
    """A registered game with an agent in each seat: `player_0`, `player_1`, ...

    An observation is `{"observation": ..., "action_mask": ...}`; the mask is all zeros unless it is the agent's turn.
    An illegal action ends the game, and the agent loses it, as in `CardEnv`. The last infos have `winner` and
    `illegal_action`, as there.

    Args:
        options: `obs`, `illegal_action` and `render_mode` of `cardgym.envs.EnvArguments`, and the game's options.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
    """

    def __init__(self, game: str | Game, **options: Any) -> None:
        super().__init__()
        self._core = EnvCore(game, options, seat="all", obs_mode="dict", opponent="random")
        self.game = self._core.game
        self.__doc__ = self.game.documentation
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": self.game.id,
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self.render_mode = self._core.render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self._core.options.num_players)]
        self.agents: list[str] = []
        observation_space, action_space = self._core.observation_space(), self._core.action_space()
        self.observation_spaces = {agent: observation_space for agent in self.possible_agents}
        self.action_spaces = {agent: action_space for agent in self.possible_agents}
        self._seeded = False
        self._generator, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the next game; with a seed, the first game of that seed."""
        seated = self._core.seated
        if seed is not None or not self._seeded:
            self._generator, _ = seeding.np_random(seed)
            seated.seed(np.array([self._core.draw_key(self._generator)], np.uint64))
            self._seeded = True
        seated.step(0, RESET)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._pay()
        self._select()

    def step(self, action: int | None) -> None:
        """Play an action for the selected agent; None for one whose game is over."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise CardgymError(f"action None for {self.agent_selection}, which is still playing")
        chosen = self._core.one_action(action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._core.seated.act(chosen, self._core.illegal)
        if self._core.seated.batch.plain_rows["forfeited"][0] >= 0:
            self._core.warn_of_illegal_action()
        self._pay()
        self._select()

    def observe(self, agent: str) -> dict[str, Any]:
        """The agent's observation, and its legal actions if it is its turn."""
        seats = np.array([self.possible_agents.index(agent)], np.int64)
        observations, masks, _ = self._core.seated.look(None, seats)
        shown: dict[str, Any] = self._core.shown(observations[0], masks[0])
        return shown

    def render(self) -> Any:
        """The game as the selected agent sees it: text, or a picture (720, 960, 3), uint8."""
        return self._core.render(0, self.possible_agents.index(self.agent_selection))

    def close(self) -> None:
        """Do nothing; there is nothing to close."""

    def _pay(self) -> None:
        paid: Float64s = self._core.seated.paid[0]
        for seat, agent in enumerate(self.possible_agents):
            self.rewards[agent] = float(paid[seat])
        self._accumulate_rewards()

    def _select(self) -> None:
        """Select the agent to decide; at the end of the game, each agent in turn for its last step."""
        batch = self._core.seated.batch
        current_player = int(batch.plain_rows["current_player"][0])
        self.infos = {agent: {} for agent in self.agents}
        if current_player >= 0:
            self.agent_selection = self.possible_agents[current_player]
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            end = {
                "winner": winners(self.game, batch, np.ones(1, np.bool_))[0],
                "illegal_action": batch.plain_rows["forfeited"][0] >= 0,
            }
            self.infos = {agent: dict(end) for agent in self.agents}
        if self._core.shows_keys:
            self.infos[self.agent_selection]["info_state_key"] = batch.answers["info_state_key"][0]


def aec_env(game: str | Game, **arguments: Any) -> CardAECEnv:
    """A game as a PettingZoo AEC env; see `CardAECEnv` for the arguments."""
    return CardAECEnv(game, **arguments)

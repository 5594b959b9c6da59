"""A game as a PettingZoo AEC env: every seat is an agent, stepped one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from cardgym.engine.contract import Float64s, Game, Int8s
from cardgym.engine.kernel import RESET
from cardgym.engine.text import TextView
from cardgym.envs.core import MAX_SEED, RENDER_FPS, RENDER_MODES, EnvCore
from cardgym.errors import CardgymError, missing, one_of, whole_number
from cardgym.players import PlayerSpec

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils import OrderEnforcingWrapper
except ModuleNotFoundError as error:
    raise missing("cardgym.envs.aec", error) from None


class AgentInfo(dict[str, Any]):
    """An info that does not list `action_mask` among its `items()`, and is a plain dict otherwise.

    TorchRL 0.14 copies the items of an info into its specs, and fails if the observation has the mask, too.
    """

    def items(self) -> Any:
        """Return the keys with their values, without the mask."""
        return {name: value for name, value in super().items() if name != "action_mask"}.items()

    def __reduce__(self) -> tuple[Any, ...]:
        return AgentInfo, (dict(self),)


class CardAECEnv(AECEnv[str, Any, int]):  # type: ignore[misc]  # PettingZoo is an extra and untyped here.
    """A registered game with an agent in each seat: `player_0`, `player_1`, ...

    An observation is `{"observation": ..., "action_mask": ...}`; the mask is all zeros unless it is the agent's turn,
    and all ones at the end.
    An illegal action ends the game, and the agent loses it. Every info has that mask as `action_mask`, `winner` and
    `illegal_action` as in `CardEnv`, and `info_state_key`, 0 unless it is the agent's turn.

    Args:
        options: `obs`, `illegal_action`, `render_mode` and `text` of `cardgym.envs.EnvArguments`, and the game's
            options.

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
        """Return the agent's observation space, always the same object."""
        return self.observation_spaces[one_of("agent", agent, self.possible_agents)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space, always the same object."""
        return self.action_spaces[one_of("agent", agent, self.possible_agents)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the next game; with a seed, the first game of that seed.

        `options={"deck": [...]}` deals chosen cards in games that support it, as in `CardEnv`.

        Raises:
            CardgymError: for an unknown option or an impossible deck.
        """
        core, seated = self._core, self._core.seated
        if seed is not None:
            seed = whole_number("seed", seed, 0, MAX_SEED)
        if isinstance(options, dict) and options == {"options": 1}:  # What PettingZoo's `api_test` passes to every env.
            options = None
        core.stack(options)
        if seed is not None or not self._seeded:
            self._generator, _ = seeding.np_random(seed)
            seated.seed(np.array([core.draw_key(self._generator)], np.uint64))
            self._seeded = True
        _, mask, _ = seated.act(0, core.illegal, RESET)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._pay()
        self._select(mask)

    def step(self, action: int | None) -> None:
        """Play an action for the selected agent; None for one whose game is over."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise CardgymError(f"action None for {self.agent_selection}, which is still playing")
        chosen = self._core.one_action(action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        _, mask, _ = self._core.seated.act(chosen, self._core.illegal)
        if self._core.seated.batch.plain_rows["forfeited"][0] >= 0:
            self._core.warn_of_illegal_action()
        self._pay()
        self._select(mask)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the agent's observation, and its legal actions if it is its turn; all ones at the end."""
        seats = np.array([self.possible_agents.index(one_of("agent", agent, self.possible_agents))], np.int64)
        observations, masks, _ = self._core.seated.look(None, seats)
        masks[self._core.seated.batch.plain_rows["current_player"] < 0] = 1
        shown: dict[str, Any] = self._core.shown(observations[0], masks[0])
        return shown

    def text(self, agent: str) -> TextView:
        """Return the game in words, as the agent knows it; see `CardEnv.text`."""
        return self._core.text(0, self.possible_agents.index(one_of("agent", agent, self.possible_agents)))

    def render(self) -> Any:
        """Return the game as the selected agent sees it: text, or a picture (720, 960, 3), uint8."""
        return self._core.render(0, self.possible_agents.index(self.agent_selection))

    def player(self, spec: PlayerSpec) -> Callable[[], int]:
        """Return a function that returns the action of a player for the selected agent; see `EnvCore.player`."""
        choose = self._core.player(spec)
        return lambda: int(choose()[0])

    def close(self) -> None:
        """Do nothing; there is nothing to close."""

    def _pay(self) -> None:
        paid: Float64s = self._core.seated.paid[0]
        for seat, agent in enumerate(self.possible_agents):
            self.rewards[agent] = float(paid[seat])
        self._accumulate_rewards()

    def _select(self, mask: Int8s) -> None:
        """Select the agent to decide, whose mask is `mask`; at the end, each agent in turn for its last step."""
        core, batch = self._core, self._core.seated.batch
        current_player = int(batch.plain_rows["current_player"][0])
        over = current_player < 0
        self.agent_selection = self.agents[0] if over else self.possible_agents[current_player]
        self.terminations = dict.fromkeys(self.agents, over)
        ends = core.ends(np.array([over]))
        self.infos: dict[str, AgentInfo] = {}
        for agent in self.agents:
            info = AgentInfo(winner=ends["winner"][0], illegal_action=ends["illegal_action"].reshape(()).copy())
            decides = agent == self.agent_selection and not over
            info["action_mask"] = mask.copy() if decides or over else np.zeros_like(mask)
            if core.shows_keys:
                info["info_state_key"] = batch.answers["info_state_key"][0] if decides else np.int64(0)
            if core.shows_text:
                info["text"] = self.text(agent)
            self.infos[agent] = info


def aec_env(game: str | Game, **arguments: Any) -> OrderEnforcingWrapper[str, Any, int]:
    """Make a game a PettingZoo AEC env.

    Args:
        game: the id of a registered game, or the game.
        arguments: `obs`, `render_mode` and `text` of `cardgym.envs.EnvArguments`, and the game's options.

    Returns:
        A `CardAECEnv` in PettingZoo's `OrderEnforcingWrapper`, as PettingZoo's own games are: calls before `reset` or
        after the end are errors or warnings.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
    """
    return OrderEnforcingWrapper(CardAECEnv(game, **arguments))

"""Checks of a game's envs against the APIs of Gymnasium and PettingZoo.

Each raises `ContractError` if the game breaks the contract.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from cardgym.engine.contract import Game, Options
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.testing.driver import ContractError, expect
from env_checks import ActionChooser, call_text, plain, row_of

# -- vector envs -------------------------------------------------------------------------------------------------------


def check_rows(game: Game, arguments: dict[str, Any], num_envs: int, seed: int = 0, steps: int = 40) -> None:
    """Row i of a vector env plays exactly like a single env seeded with `seed + i`."""
    what = f"{call_text(game, arguments)}, {num_envs} envs, seed {seed}"
    vector = CardVectorEnv(game, num_envs, **arguments)
    singles = [CardEnv(game, **arguments) for _ in range(num_envs)]
    chooser = ActionChooser(seed, num_envs)
    observations, infos = vector.reset(seed=seed)
    over = np.zeros(num_envs, np.bool_)
    for row, single in enumerate(singles):
        observation, info = single.reset(seed=seed + row)
        _expect_same(observations, infos, observation, info, row, f"{what}: reset, row {row}")
    for step in range(steps):
        actions = chooser.many(infos["action_mask"], ~over)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        expect(not truncated.any(), f"{what}: step {step} truncates")
        for row, single in enumerate(singles):
            where = f"{what}: step {step}, row {row}, action {actions[row]}"
            if over[row]:
                observation, info = single.reset()
                reward, end = 0.0, False
            else:
                observation, paid, end, _, info = single.step(actions[row])
                reward = float(paid)
            expect(rewards[row] == reward, f"{where}: pays {rewards[row]} in the vector env and {reward} in the single")
            expect(terminated[row] == end, f"{where}: ends in only one of the vector env and the single env")
            _expect_same(observations, infos, observation, info, row, where)
        over = terminated
    vector.close()


def _expect_same(observations: Any, infos: Any, observation: Any, info: dict[str, Any], row: int, where: str) -> None:
    same_row = row_of(observations, row)
    if plain(same_row) != plain(observation):
        raise ContractError(f"{where}: the vector env observes {same_row}, the single env {observation}")
    for name, value in info.items():
        expect(name in infos, f"{where}: the vector env's infos have no {name!r}")
        if plain(infos[name][row]) != plain(value):
            raise ContractError(
                f"{where}: info {name!r} is {infos[name][row]} in the vector env and {value} in the single env"
            )


def check_autoreset(game: Game, arguments: dict[str, Any], num_envs: int = 4, seed: int = 0, steps: int = 80) -> None:
    """The three autoreset modes play the same games and report the same ends."""
    recorded = {
        mode: _RecordedGames(game, arguments, num_envs, seed, steps, mode).rows
        for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
    }
    reference = recorded.pop(AutoresetMode.NEXT_STEP)
    for mode, rows in recorded.items():
        for row, (expected, events) in enumerate(zip(reference, rows, strict=True)):
            for place, (first, second) in enumerate(zip(expected, events, strict=False)):
                if first != second:
                    raise ContractError(
                        f"{call_text(game, arguments)}, {num_envs} envs, seed {seed}, row {row}: event {place} is "
                        f"{first} under NEXT_STEP and {second} under {mode.name}"
                    )


class _RecordedGames:
    """The events in every row, in a form that does not depend on the autoreset mode."""

    def __init__(
        self, game: Game, arguments: dict[str, Any], num_envs: int, seed: int, steps: int, mode: AutoresetMode
    ) -> None:
        self.rows: list[list[Any]] = [[] for _ in range(num_envs)]
        self.where = f"{game.id}, seed {seed}"
        env = CardVectorEnv(game, num_envs, autoreset_mode=mode, **arguments)
        expect(env.metadata["autoreset_mode"] is mode, f"{game.id}: the metadata say {env.metadata['autoreset_mode']}")
        chooser = ActionChooser(seed, num_envs)
        observations, infos = env.reset(seed=seed)
        over = np.zeros(num_envs, np.bool_)
        for row in range(num_envs):
            self._started(row, observations, infos)
        for _ in range(steps):
            if mode is AutoresetMode.DISABLED and over.any():
                observations, infos = self._reset(env, over, observations, infos)
                over = np.zeros(num_envs, np.bool_)
            actions = chooser.many(infos["action_mask"], ~over)
            observations, rewards, terminated, _, infos = env.step(actions)
            for row in range(num_envs):
                if over[row]:
                    expect(rewards[row] == 0.0, f"{game.id}: the step that resets row {row} pays {rewards[row]}")
                    self._started(row, observations, infos)
                elif terminated[row] and mode is AutoresetMode.SAME_STEP:
                    expect(infos["_final_obs"][row], f"{game.id}: no final_obs at the end of row {row}")
                    final = infos["final_info"]["action_mask"][row]
                    self.rows[row].append(("end", plain(infos["final_obs"][row]), rewards[row], final.all()))
                    self._started(row, observations, infos)
                else:
                    mask, observation = infos["action_mask"][row], plain(row_of(observations, row))
                    ends = bool(terminated[row])
                    event = ("end", observation, rewards[row], mask.all()) if ends else (
                        "step", observation, rewards[row], plain(mask))  # fmt: skip
                    self.rows[row].append(event)
            over = terminated if mode is not AutoresetMode.SAME_STEP else np.zeros(num_envs, np.bool_)

    def _started(self, row: int, observations: Any, infos: dict[str, Any]) -> None:
        self.rows[row].append(("start", plain(row_of(observations, row)), plain(infos["action_mask"][row])))

    def _reset(self, env: CardVectorEnv, over: npt.NDArray[np.bool_], observations: Any, infos: dict[str, Any]) -> Any:
        """Reset finished rows after overwriting the env's outputs; the other rows must return the same as before."""
        shown = [plain(row_of(observations, row)) for row in range(len(over))]
        masks = infos["action_mask"].copy()
        parts = observations.values() if isinstance(observations, dict) else [observations]
        for array in [*parts, infos["action_mask"]]:
            array[...] = 0
        observations, infos = env.reset(options={"reset_mask": over})
        for row in map(int, np.flatnonzero(~over)):
            same = plain(row_of(observations, row)) == shown[row] and (infos["action_mask"][row] == masks[row]).all()
            expect(
                same,
                f"{self.where}: resetting other rows changes the output of row {row} after the caller "
                "has written to the arrays",
            )
        for row in map(int, np.flatnonzero(over)):
            self._started(row, observations, infos)
        return observations, infos


# -- other libraries' checkers -----------------------------------------------------------------------------------------


def check_gymnasium(game: Game, observations: Iterable[str] | None = None) -> None:
    """Gymnasium's checker passes without warnings for these observations, by default all, flat and as a dict."""
    for name in observations or game.observations:
        for mode in ("flat", "dict"):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.filterwarnings("ignore", ".*illegal action")  # The checker samples actions without masks.
                env = gymnasium.make(game.id, obs=name, obs_mode=mode, render_mode="rgb_array")
                check_env(env.unwrapped)
                env.close()
    text = gymnasium.make(game.id, render_mode="ansi")
    text.reset(seed=0)
    shown: Any = text.render()
    expect(isinstance(shown, str) and shown.strip(), f"{game.id}: render_mode='ansi' shows {shown!r}")
    vector = gymnasium.make_vec(game.id, num_envs=3)
    expect(
        isinstance(vector.unwrapped, CardVectorEnv), f"{game.id}: make_vec makes a {type(vector.unwrapped).__name__}"
    )
    observations, _ = vector.reset(seed=0)
    expect(
        observations in vector.observation_space, f"{game.id}: the vector env's observations are outside their space"
    )
    for _ in range(30):
        observations = vector.step(vector.action_space.sample())[0]
        expect(observations in vector.observation_space, f"{game.id}: a vector env's step leaves its observation space")
    vector.close()


def check_pettingzoo(game: Game, options: Options) -> None:
    """PettingZoo's `api_test` and `seed_test` pass; the AEC env plays like the single env."""
    from pettingzoo.test import api_test, seed_test

    from cardgym.envs.aec import CardAECEnv

    arguments: dict[str, Any] = {**options.asdict()}

    def make() -> CardAECEnv:
        return CardAECEnv(game, **arguments)

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():  # The tests print.
        warnings.filterwarnings("ignore", "Observation", UserWarning)  # It is a dict because of the mask.
        api_test(make(), num_cycles=60)
        seed_test(make, num_cycles=60)
    agents, env = make(), CardEnv(game, seat="all", **arguments)
    agents.reset(seed=3)
    observation, info = env.reset(seed=3)
    over = False
    chooser = ActionChooser(3, 1)
    for step in range(60):
        if over:
            break
        where = f"AEC env of {game.id} {options}, step {step}"
        agent = agents.agent_selection
        expect(
            agent == agents.possible_agents[info["seat"]],
            f"{where}: it is the turn of {agent}, not of seat {info['seat']}",
        )
        shown = agents.observe(agent)
        expect(np.array_equal(shown["observation"], observation), f"{where}: {agent} has another observation")
        expect(np.array_equal(shown["action_mask"], info["action_mask"]), f"{where}: {agent} has another mask")
        expect(shown in agents.observation_space(agent), f"{where}: the observation is outside its space")
        action = chooser.one(info["action_mask"])
        agents.step(action)
        observation, _, over, _, info = env.step(action)
        rewards = [agents.rewards[agent] for agent in agents.possible_agents]
        expect(rewards == info["rewards"].tolist(), f"{where}: rewards {rewards}, not {info['rewards']}")
        expect(all(agents.terminations.values()) == over, f"{where}: terminations {agents.terminations}")

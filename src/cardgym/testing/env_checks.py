"""Checks of a game's Gymnasium and PettingZoo envs. Each raises `ContractError` where the contract is broken."""

from __future__ import annotations

import contextlib
import copy
import io
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import check_env

from cardgym.engine.batch import Batch
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import STEP
from cardgym.engine.numba.compilation import config
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.errors import IllegalActionError
from cardgym.testing.driver import ContractError, StateDriver, expect, state_bytes
from cardgym.testing.env_play import ActionChooser, call_text, plain

# -- illegal actions --------------------------------------------------------------------------------------------------


def check_illegal(game: Game, options: Options, seed: int = 0, steps: int = 12) -> None:
    """An illegal action does what `illegal_action` says: the game is lost, or nothing but an error happens, or a random
    legal action is played."""
    arguments: dict[str, Any] = {**options.asdict(), "seat": "all"}
    envs = {how: CardEnv(game, illegal_action=how, **arguments) for how in ("penalize", "raise", "random")}
    vector = CardVectorEnv(game, 1, illegal_action="raise", **arguments)
    chooser = ActionChooser(seed, 1)
    infos = [env.reset(seed=seed)[1] for env in envs.values()]
    vector.reset(seed=seed)
    for step in range(steps):
        mask, current_player = infos[0]["action_mask"], infos[0]["seat"]
        legal_results = _results(envs["raise"], np.flatnonzero(mask))
        for bad in [*np.flatnonzero(mask == 0).tolist()[:6], -1, len(mask), 2**40]:
            where = f"{call_text(game, arguments)}, seed {seed}, step {step}, illegal action {bad}"
            _expect_lost(envs["penalize"], bad, current_player, where)
            _expect_refused(envs["raise"], bad, where)
            _expect_refused(vector, np.array([bad]), where)
            with _Restored(envs["random"]) as env:
                observation, reward, over, _, _ = env.step(bad)
                result = np.asarray(observation, np.float32).tobytes(), reward, over, state_bytes(game, _states(env))
            expect(result in legal_results, f"{where}: 'random' leads where no legal action leads")
        action = chooser.one(mask)
        steps_taken = [env.step(action) for env in envs.values()]
        vector.step(np.array([action]))
        infos = [info for *_, info in steps_taken]
        if steps_taken[0][2]:
            infos = [env.reset()[1] for env in envs.values()]
            vector.step(np.array([0]))


def _states(env: CardEnv | CardVectorEnv) -> npt.NDArray[Any]:
    return env._core.seated.batch.plain_states


def _results(env: CardEnv, actions: npt.NDArray[np.intp]) -> list[tuple[bytes, float, bool, bytes]]:
    """Where each action leads from an env's state: observation, reward, whether the game is over, state.

    A batch takes them all in one step, each in a row of its own.
    """
    core = env._core
    batch = Batch(core.game, core.options, len(actions), core.observation_name)
    batch.plain_states.view(np.uint8).reshape(len(actions), -1)[:] = _states(env).view(np.uint8)
    batch.plain_rows[:] = core.seated.batch.plain_rows
    observations, masks = batch.new_outputs()
    batch.step(actions, np.full(len(actions), STEP), observations, masks)
    return [
        (
            observations[row].tobytes(),
            float(batch.answers["reward"][row]),
            bool(batch.answers["current_player"][row] < 0),
            state_bytes(core.game, batch.plain_states[row : row + 1]),
        )
        for row in range(len(actions))
    ]


class _Restored:
    """An env that is put back, on leaving the context, to where it was: cheaper than a copy of the env."""

    def __init__(self, env: CardEnv) -> None:
        self._env, self._current_player = env, env._current_player
        batch = env._core.seated.batch
        arrays = [array.view(np.uint8) for array in (batch.plain_states, batch.plain_rows)]
        self._saved = [(array, array.copy()) for array in arrays]

    def __enter__(self) -> CardEnv:
        return self._env

    def __exit__(self, *error: object) -> None:
        self._env._current_player = self._current_player
        for array, saved in self._saved:
            array[:] = saved


def _expect_lost(env: CardEnv, bad: int, current_player: int, where: str) -> None:
    driver = StateDriver(env.game, env.options)
    driver.states.view(np.uint8)[:] = _states(env).view(np.uint8)
    forfeit = driver.forfeit(current_player)
    with _Restored(env):
        observation, reward, terminated, _, info = env.step(bad)
        expect(terminated, f"{where}: the game goes on")
        expect(reward == forfeit, f"{where}: pays {reward}; forfeit() says {forfeit}")
        expect(info["action_mask"].all(), f"{where}: the mask at the end is not all ones")
        expect(observation in env.observation_space, f"{where}: the observation is outside its space")


def _expect_refused(env: Any, bad: Any, where: str) -> None:
    rows = env._core.seated.batch.plain_rows
    before = _states(env).tobytes(), rows.tobytes()
    try:
        env.step(bad)
    except IllegalActionError as error:
        expect("\n" not in str(error) and "allowed are" in str(error), f"{where}: the error says {error}")
    else:
        raise ContractError(f"{where}: 'raise' does not raise IllegalActionError")
    expect((_states(env).tobytes(), rows.tobytes()) == before, f"{where}: the refused action changed the game")


# -- outputs and copies -----------------------------------------------------------------------------------------------


def check_steps(game: Game, arguments: dict[str, Any], seed: int = 0, steps: int = 60) -> None:
    """What an env returns is inside its spaces, of the right types, and shares no memory with earlier outputs."""
    env = CardEnv(game, **arguments)
    what = f"{call_text(game, arguments)}, seed {seed}"
    num_actions = game.actions(env.options)
    expect(env.action_space == Discrete(num_actions), f"{what}: the action space is {env.action_space}")
    chooser = ActionChooser(seed, 1)
    observation, info = env.reset(seed=seed)
    over, before = False, None
    for step in range(steps):
        where = f"{what}: step {step}"
        if observation not in env.observation_space:
            raise ContractError(f"{where}: {observation} is outside {env.observation_space}")
        mask = info["action_mask"]
        expect(
            mask.dtype == np.int8 and mask.shape == (num_actions,),
            f"{where}: the mask is {mask.dtype} {mask.shape}",
        )
        if not (mask.all() if over else mask.any()):
            raise ContractError(f"{where}: the mask is {mask}; over: {over}")
        if not over:
            expect(np.array_equal(env.action_masks(), mask != 0), f"{where}: action_masks() is not the info's mask")
        parts = _arrays(observation) + _arrays(info)
        if before is not None:
            shared = any(np.shares_memory(one, other) for one in parts for other in before[0])
            expect(not shared, f"{where}: an observation or info shares memory with the one before")
            expect([one.tobytes() for one in before[0]] == before[1], f"{where}: what was returned before has changed")
        before = parts, [one.tobytes() for one in parts]
        if over:
            observation, info = env.reset()
            over = False
            continue
        observation, reward, over, truncated, info = env.step(chooser.one(mask))
        expect(_is_exactly(reward, float), f"{where}: the reward is a {type(reward).__name__}")
        expect(_is_exactly(over, bool) and truncated is False, f"{where}: terminated {over!r}, truncated {truncated!r}")


def _is_exactly(value: Any, kind: type) -> bool:
    """Whether a value is of a type of Python's own. With the JIT off kernels return NumPy's scalars, and envs too."""
    return type(value) is kind or (bool(config.DISABLE_JIT) and isinstance(value, np.generic))


def _arrays(data: Any) -> list[npt.NDArray[Any]]:
    if isinstance(data, dict):
        return [array for part in data.values() for array in _arrays(part)]
    return [data] if isinstance(data, np.ndarray) else []


def check_copies(game: Game, arguments: dict[str, Any], seed: int = 0, rounds: int = 7) -> None:
    """An env copied or pickled in the middle of a game goes on as the original does."""
    ways: dict[str, Callable[[Any], Any]] = {
        "deepcopy": copy.deepcopy,
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    }
    for make in (lambda: CardEnv(game, **arguments), lambda: CardVectorEnv(game, 3, **arguments)):
        env: Any = make()
        what = f"{call_text(game, arguments)}, seed {seed}, {type(env).__name__}"
        _, info = env.reset(seed=seed)
        chooser = ActionChooser(seed, 3)
        over = np.zeros(getattr(env, "num_envs", 1), np.bool_)
        for round in range(rounds):
            for _ in range(round):
                info, over, _ = _step(env, chooser, info, over)
            copies = {name: (way(env), copy.deepcopy(chooser)) for name, way in ways.items()}
            reference = _trace(env, copy.deepcopy(chooser), info, over)
            for name, (copied, same_choices) in copies.items():
                expect(
                    _trace(copied, same_choices, info, over) == reference,
                    f"{what}: after {name} it plays on differently",
                )
            _, info = env.reset()
            over[:] = False


def _step(env: Any, chooser: ActionChooser, info: dict[str, Any], over: npt.NDArray[np.bool_]) -> tuple[Any, Any, Any]:
    """The info, which rows are over, and all that the step returned as plain values."""
    if isinstance(env, CardVectorEnv):
        observation, reward, ended, _, info = env.step(chooser.many(info["action_mask"], ~over))
        return info, ended, plain([observation, reward, _comparable(info)])
    if over[0]:
        observation, info = env.reset()
        return info, np.zeros(1, np.bool_), plain({"observation": observation})
    observation, reward, end, _, info = env.step(chooser.one(info["action_mask"]))
    return info, np.array([end]), plain([observation, reward, _comparable(info)])


def _comparable(info: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in info.items() if not name.startswith("final")}


def _trace(env: Any, chooser: ActionChooser, info: dict[str, Any], over: npt.NDArray[np.bool_]) -> list[Any]:
    trace = []
    for _ in range(12):
        info, over, outputs = _step(env, chooser, info, over)
        trace.append(outputs)
    return trace


# -- other libraries' checkers ----------------------------------------------------------------------------------------


def check_gymnasium(game: Game) -> None:
    """Gymnasium's own checker passes without a warning, with every observation, flat and as a dict."""
    for name in game.observations:
        for mode in ("flat", "dict"):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
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
    """PettingZoo's own `api_test` and `seed_test` of the AEC env pass; an agent observes what the single env shows."""
    from pettingzoo.test import api_test, seed_test

    from cardgym.envs.aec import CardAECEnv

    arguments: dict[str, Any] = {**options.asdict()}

    def make() -> CardAECEnv:
        return CardAECEnv(game, **arguments)

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():  # They print that they passed.
        warnings.filterwarnings("ignore", "Observation", UserWarning)  # It is a dict on purpose: it holds the mask.
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
        expect(agent == agents.possible_agents[info["seat"]], f"{where}: {agent} is to step, not seat {info['seat']}")
        shown = agents.observe(agent)
        expect(np.array_equal(shown["observation"], observation), f"{where}: {agent} observes something else")
        expect(np.array_equal(shown["action_mask"], info["action_mask"]), f"{where}: {agent} has another mask")
        expect(shown in agents.observation_space(agent), f"{where}: the observation is outside its space")
        action = chooser.one(info["action_mask"])
        agents.step(action)
        observation, _, over, _, info = env.step(action)
        rewards = [agents.rewards[agent] for agent in agents.possible_agents]
        expect(rewards == info["rewards"].tolist(), f"{where}: rewards {rewards}, not {info['rewards']}")
        expect(all(agents.terminations.values()) == over, f"{where}: terminations {agents.terminations}")

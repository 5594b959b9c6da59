"""Checks of what a game's envs return, with arguments and actions for them. Each raises `ContractError`."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from cardgym.engine.batch import Batch
from cardgym.engine.contract import Game, Options
from cardgym.engine.jit import JIT_DISABLED
from cardgym.engine.kernel import STEP
from cardgym.engine.states import SingleGame
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.errors import IllegalActionError
from cardgym.table.drawings.picture import picture_of
from cardgym.testing.driver import ContractError, StateDriver, expect, generator, state_bytes

# -- actions and outputs ----------------------------------------------------------------------------------------------


def call_text(game: Game, arguments: dict[str, Any]) -> str:
    """The call that creates an env, for error messages."""
    return f"{game.id}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


class ActionChooser:
    """Random legal actions, with a generator for each row."""

    def __init__(self, seed: int, num_rows: int) -> None:
        self._streams = [np.random.default_rng((seed, row)) for row in range(num_rows)]

    def one(self, mask: npt.NDArray[np.int8], row: int = 0) -> int:
        """An action for one row; `mask` is (actions,) int8."""
        actions = np.flatnonzero(mask)
        return int(actions[self._streams[row].integers(len(actions))])

    def many(self, masks: npt.NDArray[np.int8], rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """An action for each row, (rows,) int64; 0 where `rows`, (rows,) bool, is False."""
        return np.array([self.one(mask, row) if rows[row] else 0 for row, mask in enumerate(masks)], np.int64)


def plain(data: Any) -> Any:
    """An observation or info as nested plain values with dtypes, for exact comparison."""
    if isinstance(data, np.ndarray):
        return (data.dtype.str, data.shape, data.tobytes()) if data.ndim else data.item()
    if isinstance(data, dict):
        return {name: plain(part) for name, part in data.items() if not name.startswith("_")}
    if isinstance(data, list | tuple):
        return [plain(part) for part in data]
    return data.item() if isinstance(data, np.generic) else data


def row_of(data: Any, row: int) -> Any:
    """One row of a vector env's observations or infos."""
    if isinstance(data, dict):
        return {name: row_of(part, row) for name, part in data.items() if not name.startswith("_")}
    return data[row]


# -- illegal actions --------------------------------------------------------------------------------------------------


def check_illegal(game: Game, options: Options, seed: int = 0, steps: int = 12) -> None:
    """An illegal action loses the game, raises an error, or plays a random legal action, as `illegal_action` says."""
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
            expect(result in legal_results, f"{where}: 'random' reaches a state that no legal action reaches")
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
    """The result of each action in an env's state: observation, reward, whether the game is over, state.

    One step of a batch plays them all, each in its own row.
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
    """A context that restores an env's state at its end; cheaper than copying the env."""

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
        expect(terminated, f"{where}: the game continues")
        expect(reward == forfeit, f"{where}: pays {reward}; forfeit() returns {forfeit}")
        expect(info["action_mask"].all(), f"{where}: the mask at the end is not all ones")
        expect(observation in env.observation_space, f"{where}: the observation is outside its space")


def _expect_refused(env: Any, bad: Any, where: str) -> None:
    rows = env._core.seated.batch.plain_rows
    before = _states(env).tobytes(), rows.tobytes()
    try:
        env.step(bad)
    except IllegalActionError as error:
        expect("\n" not in str(error) and "allowed are" in str(error), f"{where}: the error is {error}")
    else:
        raise ContractError(f"{where}: 'raise' does not raise IllegalActionError")
    expect((_states(env).tobytes(), rows.tobytes()) == before, f"{where}: the refused action changed the game")


# -- outputs and copies -----------------------------------------------------------------------------------------------


def check_steps(game: Game, arguments: dict[str, Any], seed: int = 0, steps: int = 60) -> None:
    """Outputs of an env are inside its spaces, have the right types, and share no memory with earlier outputs."""
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
            mask.dtype == np.int8 and mask.shape == (num_actions,), f"{where}: the mask is {mask.dtype} {mask.shape}"
        )
        if not (mask.all() if over else mask.any()):
            raise ContractError(f"{where}: the mask is {mask}; over: {over}")
        if not over:
            expect(np.array_equal(env.action_masks(), mask != 0), f"{where}: action_masks() is not the info's mask")
        parts = _arrays(observation) + _arrays(info)
        if before is not None:
            shared = any(np.shares_memory(one, other) for one in parts for other in before[0])
            expect(not shared, f"{where}: an observation or info shares memory with an earlier one")
            expect([one.tobytes() for one in before[0]] == before[1], f"{where}: an earlier output has changed")
        before = parts, [one.tobytes() for one in parts]
        if over:
            observation, info = env.reset()
            over = False
            continue
        observation, reward, over, truncated, info = env.step(chooser.one(mask))
        expect(_is_exactly(reward, float), f"{where}: the reward is a {type(reward).__name__}")
        expect(_is_exactly(over, bool) and truncated is False, f"{where}: terminated {over!r}, truncated {truncated!r}")


def _is_exactly(value: Any, kind: type) -> bool:
    """Whether a value has exactly this type. With the JIT off, envs return NumPy scalars instead."""
    return type(value) is kind or (JIT_DISABLED and isinstance(value, np.generic))


def _arrays(data: Any) -> list[npt.NDArray[Any]]:
    if isinstance(data, dict):
        return [array for part in data.values() for array in _arrays(part)]
    return [data] if isinstance(data, np.ndarray) else []


def check_copies(game: Game, arguments: dict[str, Any], seed: int = 0) -> None:
    """A copied or pickled env continues like the original."""
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
        for steps in (0, 2, 5):
            for _ in range(steps):
                info, over, _ = _step(env, chooser, info, over)
            copies = {name: (way(env), copy.deepcopy(chooser)) for name, way in ways.items()}
            reference = _trace(env, copy.deepcopy(chooser), info, over)
            for name, (copied, same_choices) in copies.items():
                expect(
                    _trace(copied, same_choices, info, over) == reference, f"{what}: after {name} it plays differently"
                )
            _, info = env.reset()
            over[:] = False


def _step(env: Any, chooser: ActionChooser, info: dict[str, Any], over: npt.NDArray[np.bool_]) -> tuple[Any, Any, Any]:
    """Step or reset; return the info, which rows are over, and all outputs as plain values."""
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


# -- hidden information ------------------------------------------------------------------------------------------------


def check_outputs(game: Game, arguments: dict[str, Any], seed: int, steps: int, pictures: int) -> None:
    """Resampling what the seat cannot see changes no output of an env.

    Outputs are observations, infos, masks and renderings, of a single env and of the rows of a vector env; their
    pickles must be equal, too. No array may be a view of a larger one, which would contain more. Pictures are slow to
    draw: they are compared in the first steps, then text.
    """
    num_envs = 3
    single = CardEnv(game, render_mode="ansi", **arguments)
    observation, info = single.reset(seed=seed)
    chooser = ActionChooser(seed, num_envs)
    for step in range(steps):
        where = f"{call_text(game, arguments)}, seed {seed}, step {step}"
        _check_single(single, observation, info, seed, step, step < pictures, where)
        observation, _, over, _, info = single.step(chooser.one(info["action_mask"]))
        if over:
            observation, info = single.reset()
    vector = CardVectorEnv(game, num_envs, render_mode="ansi", **arguments)
    observations, infos = vector.reset(seed=seed)
    ended = np.zeros(num_envs, np.bool_)
    for step in range(steps):
        where = f"{call_text(game, arguments)}, {num_envs} envs, seed {seed}, step {step}"
        _check_vector(vector, observations, infos, ~ended, seed, step, where)
        observations, _, ended, _, infos = vector.step(chooser.many(infos["action_mask"], ~ended))
    vector.close()
    single.close()


def _check_single(
    env: CardEnv, observation: Any, info: dict[str, Any], seed: int, step: int, draw: bool, where: str
) -> None:
    core = env._core
    states = core.seated.batch.plain_states
    seat = int(core.viewers()[0])
    before = states.copy()
    text, mask = env.render(), env.action_masks()
    drawn = picture_of(env.game, states.view(np.recarray)[0], seat) if draw else None
    handed = pickle.dumps((_own(observation, where), _own(info, where), text))
    SingleGame(core.game, core.options, states[:1]).resample(seat, generator(seed, step))
    again, shown = _looked(core, 0), plain(observation)
    known = {name: plain(info[name]) for name in again[1]}
    expect(again[0] == shown, f"{where}: what seat {seat} cannot see changes its observation: {shown} to {again[0]}")
    expect(again[1] == known, f"{where}: what seat {seat} cannot see changes its info: {known} to {again[1]}")
    expect(np.array_equal(env.action_masks(), mask), f"{where}: what seat {seat} cannot see changes action_masks()")
    expect(env.render() == text, f"{where}: what seat {seat} cannot see changes render(): {text!r} to {env.render()!r}")
    expect(
        pickle.dumps((observation, info, env.render())) == handed,
        f"{where}: what seat {seat} cannot see changes the pickle of the outputs",
    )
    if drawn is not None:
        other = picture_of(env.game, states.view(np.recarray)[0], seat)
        expect(np.array_equal(other, drawn), f"{where}: what seat {seat} cannot see changes the picture")
    states[:] = before


def _check_vector(
    env: CardVectorEnv, observations: Any, infos: dict[str, Any], rows: Any, seed: int, step: int, where: str
) -> None:
    core = env._core
    states = core.seated.batch.plain_states
    before, texts, viewers = states.copy(), env.render(), core.viewers()
    handed = pickle.dumps((observations, infos, texts))
    for row in map(int, np.flatnonzero(rows)):
        one = SingleGame(core.game, core.options, states[row : row + 1])
        one.resample(int(viewers[row]), generator(seed, step, row))
    for row in map(int, np.flatnonzero(rows)):
        observation, known = _looked(core, row)
        who = f"{where}: what seat {viewers[row]} of row {row} cannot see changes"
        shown = plain(row_of(observations, row))
        expect(observation == shown, f"{who} its observation: {shown} to {observation}")
        for name, value in known.items():
            expect(value == plain(infos[name][row]), f"{who} info {name!r}: {infos[name][row]} to {value}")
        expect(env.render()[row] == texts[row], f"{who} render(): {texts[row]!r} to {env.render()[row]!r}")
    expect(
        pickle.dumps((observations, infos, texts)) == handed,
        f"{where}: outputs share memory with the games: resampling the games changes them",
    )
    states[:] = before


def _looked(core: Any, row: int) -> tuple[Any, dict[str, Any]]:
    """What the env would return in the current state of a row: the observation, and the info without rewards."""
    observations, masks, keys = core.seated.look(np.array([row]), core.viewers()[[row]], core.observation_name)
    info: dict[str, Any] = {"action_mask": masks[0]}
    if core.shows_keys:
        info["info_state_key"] = keys[0]
    if core.plays_all:
        info["seat"] = core.seated.batch.plain_rows["current_player"][row]
    return plain(core.shown(observations[0], masks[0])), {name: plain(value) for name, value in info.items()}


def _own(data: Any, where: str) -> Any:
    """Check that no array in the data is a view of a larger one; return the data."""
    parts = data.values() if isinstance(data, dict) else [data]
    for array in parts:
        if isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
            expect(
                array.base.nbytes <= array.nbytes,
                f"{where}: an array of {array.nbytes} bytes is a view of one of {array.base.nbytes} bytes, which may "
                "contain hidden information",
            )
    return data

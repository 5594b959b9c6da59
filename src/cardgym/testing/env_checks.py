"""Checks of a game's Gymnasium envs, single and vector. Each raises `ContractError` where the contract is broken."""

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
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from cardgym.engine.contract import Game, Options
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.errors import IllegalActionError
from cardgym.testing.driver import StateDriver, expect, state_digest


def last_legal(observation: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> int:
    """A player for tests: the legal action of the highest number."""
    return int(np.flatnonzero(mask)[-1])


def settings(game: Game, options: Options) -> list[dict[str, Any]]:
    """Arguments of envs that between them use every observation and every way to take and to oppose a seat."""
    own = options.asdict()
    last = options.num_players - 1
    players = ["random", *game.players]
    mixed = [players[i % len(players)] if i % 3 != 2 else last_legal for i in range(last)]
    found: list[dict[str, Any]] = [
        {**own},
        {**own, "seat": last, "opponent": players[-1] if last else "random"},
        {**own, "seat": "random", "opponent": mixed if last else "random", "obs_mode": "dict"},
        {**own, "seat": "all"},
    ]
    for number, name in enumerate(game.observations):
        found[number % len(found)]["obs"] = name
    found += [{**own, "obs": name} for name in list(game.observations)[len(found) :]]
    return found


def _told(game: Game, arguments: dict[str, Any]) -> str:
    return f"{game.id}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


class _Chooser:
    """Random legal actions, a stream of them for every row."""

    def __init__(self, seed: int, rows: int) -> None:
        self._streams = [np.random.default_rng((seed, row)) for row in range(rows)]

    def one(self, mask: npt.NDArray[np.int8], row: int = 0) -> int:
        actions = np.flatnonzero(mask)
        return int(actions[self._streams[row].integers(len(actions))])

    def many(self, masks: npt.NDArray[np.int8], rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        return np.array([self.one(mask, row) if rows[row] else 0 for row, mask in enumerate(masks)], np.int64)


def _reset_some(
    env: CardVectorEnv, over: npt.NDArray[np.bool_], observations: Any, infos: dict[str, Any], where: str
) -> Any:
    """Reset the rows that are over, after what was handed out is spoilt: the others must show what they showed."""
    shown = [_plain(_row_of(observations, row)) for row in range(len(over))]
    masks = infos["action_mask"].copy()
    for array in [*(observations.values() if isinstance(observations, dict) else [observations]), infos["action_mask"]]:
        array[...] = 0
    observations, infos = env.reset(options={"reset_mask": over})
    for row in map(int, np.flatnonzero(~over)):
        same = _plain(_row_of(observations, row)) == shown[row] and (infos["action_mask"][row] == masks[row]).all()
        expect(
            same, f"{where}: resetting other rows changes what row {row} shows, once the arrays given are written to"
        )
    return observations, infos


def _plain(data: Any) -> Any:
    """An observation or an info as nested plain values with their dtypes, to compare bit for bit."""
    if isinstance(data, dict):
        return {name: _plain(part) for name, part in data.items() if not name.startswith("_")}
    if isinstance(data, list | tuple):
        return [_plain(part) for part in data]
    array = np.asarray(data)
    return (array.dtype.str, array.shape, array.tobytes()) if array.ndim else array.item()


def _row_of(data: Any, row: int) -> Any:
    if isinstance(data, dict):
        return {name: _row_of(part, row) for name, part in data.items() if not name.startswith("_")}
    return data[row]


def check_rows(game: Game, arguments: dict[str, Any], num_envs: int, seed: int = 0, steps: int = 40) -> None:
    """Row i of a vector env is a single env seeded `seed + i`, bit for bit, through several games."""
    what = f"{_told(game, arguments)}, {num_envs} envs, seed {seed}"
    vector = CardVectorEnv(game, num_envs, **arguments)
    singles = [CardEnv(game, **arguments) for _ in range(num_envs)]
    chooser = _Chooser(seed, num_envs)
    observations, infos = vector.reset(seed=seed)
    over = np.zeros(num_envs, np.bool_)
    started = [single.reset(seed=seed + row) for row, single in enumerate(singles)]
    for row, (observation, info) in enumerate(started):
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
            expect(terminated[row] == end, f"{where}: ends in one of the vector env and the single env only")
            _expect_same(observations, infos, observation, info, row, where)
        over = terminated
    vector.close()


def _expect_same(observations: Any, infos: Any, observation: Any, info: dict[str, Any], row: int, where: str) -> None:
    expect(
        _plain(_row_of(observations, row)) == _plain(observation),
        f"{where}: the vector env observes {_row_of(observations, row)}, the single env {observation}",
    )
    for name, value in info.items():
        expect(name in infos, f"{where}: the vector env's infos have no {name!r}")
        expect(
            _plain(infos[name][row]) == _plain(value),
            f"{where}: info {name!r} is {infos[name][row]} in the vector env and {value} in the single env",
        )


def check_autoreset(game: Game, arguments: dict[str, Any], num_envs: int = 4, seed: int = 0, steps: int = 80) -> None:
    """The three autoreset modes play the same games and show the same ends, each in its own place."""
    played = {
        mode: _Recorded(game, arguments, num_envs, seed, steps, mode).rows
        for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
    }
    reference = played.pop(AutoresetMode.NEXT_STEP)
    for mode, rows in played.items():
        for row, (one, other) in enumerate(zip(reference, rows, strict=True)):
            for place, (event, event_too) in enumerate(zip(one, other, strict=False)):
                expect(
                    event == event_too,
                    f"{_told(game, arguments)}, {num_envs} envs, seed {seed}, row {row}: event {place} is {event} "
                    f"under NEXT_STEP and {event_too} under {mode.name}",
                )


class _Recorded:
    """What happens in every row, the same list of events whatever the mode of autoreset."""

    def __init__(
        self, game: Game, arguments: dict[str, Any], num_envs: int, seed: int, steps: int, mode: AutoresetMode
    ) -> None:
        self.rows: list[list[Any]] = [[] for _ in range(num_envs)]
        env = CardVectorEnv(game, num_envs, autoreset_mode=mode, **arguments)
        expect(env.metadata["autoreset_mode"] is mode, f"{game.id}: the metadata name {env.metadata['autoreset_mode']}")
        chooser = _Chooser(seed, num_envs)
        observations, infos = env.reset(seed=seed)
        over = np.zeros(num_envs, np.bool_)
        for row in range(num_envs):
            self._started(row, observations, infos)
        for _ in range(steps):
            if mode is AutoresetMode.DISABLED and over.any():
                observations, infos = _reset_some(env, over, observations, infos, f"{game.id}, seed {seed}")
                for ended in np.flatnonzero(over):
                    self._started(int(ended), observations, infos)
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
                    self.rows[row].append(("end", _plain(infos["final_obs"][row]), rewards[row], final.all()))
                    self._started(row, observations, infos)
                elif terminated[row]:
                    mask = infos["action_mask"][row]
                    self.rows[row].append(("end", _plain(_row_of(observations, row)), rewards[row], mask.all()))
                else:
                    mask = _plain(infos["action_mask"][row])
                    self.rows[row].append(("step", _plain(_row_of(observations, row)), rewards[row], mask))
            over = terminated if mode is not AutoresetMode.SAME_STEP else np.zeros(num_envs, np.bool_)

    def _started(self, row: int, observations: Any, infos: dict[str, Any]) -> None:
        self.rows[row].append(("start", _plain(_row_of(observations, row)), _plain(infos["action_mask"][row])))


def check_illegal(game: Game, options: Options, seed: int = 0, steps: int = 12) -> None:
    """An illegal action is met as asked: the game is lost, an error and nothing else, or a random legal action."""
    arguments: dict[str, Any] = {**options.asdict(), "seat": "all"}
    envs = {how: CardEnv(game, illegal_action=how, **arguments) for how in ("penalize", "raise", "random")}
    vector = CardVectorEnv(game, 1, illegal_action="raise", **arguments)
    chooser = _Chooser(seed, 1)
    infos = [env.reset(seed=seed)[1] for env in envs.values()]
    vector.reset(seed=seed)
    actions = game.actions(options)
    for step in range(steps):
        mask, current_player = infos[0]["action_mask"], infos[0]["seat"]
        legal_after = [_after(envs["raise"], action) for action in np.flatnonzero(mask)]
        for bad in [*np.flatnonzero(mask == 0).tolist()[:6], -1, actions, 2**40]:
            where = f"{_told(game, arguments)}, seed {seed}, step {step}, illegal action {bad}"
            _expect_lost(copy.deepcopy(envs["penalize"]), bad, current_player, where)
            _expect_refused(envs["raise"], bad, where)
            _expect_refused(vector, np.array([bad]), where)
            after = _after(envs["random"], bad)
            expect(after in legal_after, f"{where}: 'random' leads where no legal action leads")
        action = chooser.one(mask)
        results = [env.step(action) for env in envs.values()]
        vector.step(np.array([action]))
        infos = [result[4] for result in results]
        if results[0][2]:
            infos = [env.reset()[1] for env in envs.values()]
            vector.step(np.array([0]))


def _after(env: CardEnv, action: Any) -> Any:
    other = copy.deepcopy(env)
    return _plain(other.step(action)[:3]), state_digest(_states(other))


def _states(env: CardEnv | CardVectorEnv) -> npt.NDArray[Any]:
    return env._core.seated.batch.plain_states


def _expect_lost(env: CardEnv, bad: int, current_player: int, where: str) -> None:
    table = StateDriver(env.game, env.options)
    table.states[:] = _states(env)
    forfeit = table.forfeit(current_player)
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
        expect(False, f"{where}: 'raise' does not raise IllegalActionError")
    expect((_states(env).tobytes(), rows.tobytes()) == before, f"{where}: the refused action changed the table")


def check_steps(game: Game, arguments: dict[str, Any], seed: int = 0, steps: int = 60) -> None:
    """What an env gives is inside its spaces, of the right types, and shares no memory with what it gave before."""
    env = CardEnv(game, **arguments)
    what = f"{_told(game, arguments)}, seed {seed}"
    chooser = _Chooser(seed, 1)
    observation, info = env.reset(seed=seed)
    over, before = False, None
    for step in range(steps):
        where = f"{what}: step {step}"
        expect(observation in env.observation_space, f"{where}: {observation} is outside {env.observation_space}")
        mask = info["action_mask"]
        expect(
            mask.dtype == np.int8 and mask.shape == (env.action_space.n,),  # type: ignore[attr-defined]
            f"{where}: the mask is {mask.dtype} {mask.shape}",
        )
        expect(mask.all() if over else mask.any(), f"{where}: the mask is {mask}; over: {over}")
        if not over:
            expect(np.array_equal(env.action_masks(), mask != 0), f"{where}: action_masks() is not the info's mask")
        parts = _arrays(observation) + _arrays(info)
        if before is not None:
            shared = any(np.shares_memory(one, other) for one in parts for other in before[0])
            expect(not shared, f"{where}: an observation or info shares memory with the one before")
            expect([one.tobytes() for one in before[0]] == before[1], f"{where}: what was given before has changed")
        before = parts, [one.tobytes() for one in parts]
        if over:
            observation, info = env.reset()
            over = False
            continue
        observation, reward, over, truncated, info = env.step(chooser.one(mask))
        expect(type(reward) is float, f"{where}: the reward is a {type(reward).__name__}")
        expect(type(over) is bool and truncated is False, f"{where}: terminated {over!r}, truncated {truncated!r}")


def _arrays(data: Any) -> list[npt.NDArray[Any]]:
    if isinstance(data, dict):
        return [array for part in data.values() for array in _arrays(part)]
    return [data] if isinstance(data, np.ndarray) else []


def check_copies(game: Game, arguments: dict[str, Any], seed: int = 0, rounds: int = 7) -> None:
    """An env pickled, or copied, in mid-game goes on as the original does."""
    ways: dict[str, Callable[[Any], Any]] = {
        "deepcopy": copy.deepcopy,
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    }
    for make in (lambda: CardEnv(game, **arguments), lambda: CardVectorEnv(game, 3, **arguments)):
        env: Any = make()
        _, info = env.reset(seed=seed)
        chooser = _Chooser(seed, 3)
        over = np.zeros(getattr(env, "num_envs", 1), np.bool_)
        for round in range(rounds):
            for _ in range(round):
                info, over, _ = _go(env, chooser, info, over)
            copies = {name: (way(env), copy.deepcopy(chooser)) for name, way in ways.items()}
            reference = _go_on(env, copy.deepcopy(chooser), info, over)
            for name, (copied, same_choices) in copies.items():
                expect(
                    _go_on(copied, same_choices, info, over) == reference,
                    f"{_told(game, arguments)}, seed {seed}: after {name} a {type(env).__name__} goes on differently",
                )
            _, info = env.reset()
            over[:] = False


def _go(env: Any, chooser: _Chooser, info: dict[str, Any], over: npt.NDArray[np.bool_]) -> tuple[Any, Any, Any]:
    if isinstance(env, CardVectorEnv):
        observation, reward, ended, _, info = env.step(chooser.many(info["action_mask"], ~over))
        return info, ended, _plain([observation, reward, _comparable(info)])
    if over[0]:
        observation, info = env.reset()
        return info, np.zeros(1, np.bool_), _plain({"observation": observation})
    observation, reward, end, _, info = env.step(chooser.one(info["action_mask"]))
    return info, np.array([end]), _plain([observation, reward, _comparable(info)])


def _comparable(info: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in info.items() if not name.startswith("final")}


def _go_on(env: Any, chooser: _Chooser, info: dict[str, Any], over: npt.NDArray[np.bool_]) -> list[Any]:
    told = []
    for _ in range(12):
        info, over, seen = _go(env, chooser, info, over)
        told.append(seen)
    return told


def check_gymnasium(game: Game) -> None:
    """Gymnasium's own checker is content, without a warning, with every observation flat and as a dict."""
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
    """PettingZoo's own `api_test` and `seed_test` of the AEC env; what an agent sees is what the single env shows."""
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
    chooser = _Chooser(3, 1)
    for step in range(60):
        if over:
            break
        where = f"AEC env of {game.id} {options}, step {step}"
        agent = agents.agent_selection
        expect(agent == agents.possible_agents[info["seat"]], f"{where}: {agent} is to step, not seat {info['seat']}")
        seen = agents.observe(agent)
        expect(np.array_equal(seen["observation"], observation), f"{where}: {agent} observes something else")
        expect(np.array_equal(seen["action_mask"], info["action_mask"]), f"{where}: the mask is {seen['action_mask']}")
        expect(seen in agents.observation_space(agent), f"{where}: the observation is outside its space")
        action = chooser.one(info["action_mask"])
        agents.step(action)
        observation, _, over, _, info = env.step(action)
        rewards = [agents.rewards[agent] for agent in agents.possible_agents]
        expect(rewards == info["rewards"].tolist(), f"{where}: rewards {rewards}, not {info['rewards']}")
        expect(all(agents.terminations.values()) == over, f"{where}: terminations {agents.terminations}")

"""Checks of a game's envs against the APIs of Gymnasium and PettingZoo.

Each raises `ContractError` if the game breaks the contract.
"""

import contextlib
import io
import warnings
from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from cardgym.engine.contract import Game, Options
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.testing.driver import ContractError, expect
from env_checks import ActionChooser, call_text, plain, row_of

# -- vector envs -------------------------------------------------------------------------------------------------------


def check_rows(
    game: Game,
    arguments: dict[str, Any],
    num_envs: int,
    seed: int = 0,
    steps: int = 40,
    mode: AutoresetMode = AutoresetMode.NEXT_STEP,
) -> tuple[int, int]:
    """Row i of a vector env plays like a single env seeded with `seed + i`, as Gymnasium resets it at its ends.

    Returns how many games were terminated and truncated.
    """
    what = f"{call_text(game, arguments)}, {num_envs} envs, {mode.name}, seed {seed}"
    vector: Any = gymnasium.make_vec(game.id, num_envs, autoreset_mode=mode, **arguments)
    expect(vector.metadata["autoreset_mode"] is mode, f"{what}: the metadata say {vector.metadata['autoreset_mode']}")
    separate: Any = SyncVectorEnv(
        [lambda: gymnasium.make(game.id, disable_env_checker=True, **arguments)] * num_envs, autoreset_mode=mode
    )
    chooser, over, ends = ActionChooser(seed, num_envs), np.zeros(num_envs, np.bool_), np.zeros(2, np.int64)
    ours, theirs = (env.reset(seed=seed) for env in (vector, separate))
    _expect_same(ours, theirs, f"{what}: reset")
    for step in range(steps):
        if mode is AutoresetMode.DISABLED and over.any():
            where, masks = f"{what}: reset before step {step}", ours[-1]["action_mask"].copy()
            for array in (*(ours[0].values() if isinstance(ours[0], dict) else ours[:1]), ours[-1]["action_mask"]):
                array[...] = 0  # The caller may write to the arrays: the other rows are still told as they were.
            ours, theirs = (env.reset(options={"reset_mask": over.copy()}) for env in (vector, separate))
            _expect_same(ours, theirs, where)
            expect(np.array_equal(ours[-1]["action_mask"][~over], masks[~over]), f"{where} changes the others' masks")
            over[:] = False
        actions = chooser.many(ours[-1]["action_mask"], ~over)
        ours, theirs = (env.step(actions) for env in (vector, separate))
        _expect_same(ours, theirs, f"{what}: step {step}, actions {actions.tolist()}")
        ends += [ours[2].sum(), ours[3].sum()]
        over = (ours[2] | ours[3]) & (mode is not AutoresetMode.SAME_STEP)
    vector.close()
    return int(ends[0]), int(ends[1])


def _expect_same(ours: tuple[Any, ...], theirs: tuple[Any, ...], where: str) -> None:
    """What a vector env returned is what Gymnasium's returned; it may have more infos."""
    names = ("observation", "reward", "terminated", "truncated") if len(ours) == 5 else ("observation",)
    for name, one, other in zip(names, ours, theirs, strict=False):
        for row in range(len(theirs[-1]["action_mask"])):
            first, second = plain(row_of(one, row)), plain(row_of(other, row))
            if first != second:
                raise ContractError(f"{where}, row {row}: {name} {first} in the vector env, {second} in a single env")
    _expect_infos(ours[-1], theirs[-1], where)


def _expect_infos(ours: dict[str, Any], theirs: dict[str, Any], where: str) -> None:
    for name, values in theirs.items():
        if name.startswith("_"):
            continue
        expect(name in ours, f"{where}: the vector env's infos have no {name!r}")
        if isinstance(values, dict):
            _expect_infos(ours[name], values, f"{where}, {name}")
            continue
        for row in np.flatnonzero(theirs[f"_{name}"]).tolist():
            first, second = plain(ours[name][row]), plain(values[row])
            if first != second:
                raise ContractError(f"{where}, row {row}: info {name!r} is {first}, and {second} in a single env")


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

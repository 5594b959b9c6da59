"""The check that envs hand out nothing that is hidden. It raises `ContractError` where the contract is broken."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from cardgym.engine.contract import Game
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.table.drawings.picture import picture_of
from cardgym.testing.driver import expect, generator
from cardgym.testing.env_play import ActionChooser, call_text, plain, row_of


def check_handed_out(
    game: Game, arguments: dict[str, Any], seed: int = 0, steps: int = 30, pictures: int = 1, num_envs: int = 3
) -> None:
    """What the seat cannot see is drawn anew: whatever envs hand out stays the same.

    That is observations, infos, masks and what `render` shows, of a single env and of the rows of a vector env, and
    their pickles, byte for byte; and no array of them is part of a larger one, which would hold more.

    Args:
        game: the game.
        arguments: of the envs.
        seed: of the games and the actions.
        steps: how many are played.
        pictures: how many pictures are compared; the others are texts, since drawing takes long.
        num_envs: rows of the vector env.
    """
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
    core.game.rules.resample(states[0], seat, generator(seed, step))
    again, shown = _looked(core, 0), plain(observation)
    known = {name: plain(info[name]) for name in again[1]}
    expect(again[0] == shown, f"{where}: what seat {seat} cannot see changes its observation: {shown} to {again[0]}")
    expect(again[1] == known, f"{where}: what seat {seat} cannot see changes its info: {known} to {again[1]}")
    expect(np.array_equal(env.action_masks(), mask), f"{where}: what seat {seat} cannot see changes action_masks()")
    expect(env.render() == text, f"{where}: what seat {seat} cannot see changes render(): {text!r} to {env.render()!r}")
    expect(
        pickle.dumps((observation, info, env.render())) == handed,
        f"{where}: what seat {seat} cannot see changes the pickle of what was handed out",
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
        core.game.rules.resample(states[row], int(viewers[row]), generator(seed, step, row))
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
        f"{where}: what was handed out lies in the games themselves: resampling them changes it",
    )
    states[:] = before


def _looked(core: Any, row: int) -> tuple[Any, dict[str, Any]]:
    """What the env would hand out of the state that a row is in now: the observation, and the info without rewards."""
    observations, masks, keys = core.seated.look(np.array([row]), core.viewers()[[row]], core.observation_name)
    info: dict[str, Any] = {"action_mask": masks[0]}
    if core.shows_keys:
        info["info_state_key"] = keys[0]
    if core.plays_all:
        info["seat"] = core.seated.batch.plain_rows["current_player"][row]
    shown = observations[0] if core.observation.discrete is None else np.int64(observations[0, 0])
    return plain(core.shown(shown, masks[0])), {name: plain(value) for name, value in info.items()}


def _own(data: Any, where: str) -> Any:
    """The same data, each array of which is all there is to reach through it."""
    parts = data.values() if isinstance(data, dict) else [data]
    for array in parts:
        if isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
            expect(
                array.base.nbytes <= array.nbytes,
                f"{where}: an array of {array.nbytes} bytes is part of one of {array.base.nbytes} bytes, which holds "
                "more than the seat may know",
            )
    return data

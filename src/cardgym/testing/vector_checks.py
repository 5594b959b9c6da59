"""Checks of a game's vector env. Each raises `ContractError` where the contract is broken."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from cardgym.engine.contract import Game
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.testing.driver import ContractError, expect
from cardgym.testing.env_play import ActionChooser, call_text, plain, row_of


def check_rows(game: Game, arguments: dict[str, Any], num_envs: int, seed: int = 0, steps: int = 40) -> None:
    """Row i of a vector env is a single env seeded `seed + i`, bit for bit, through several games."""
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
            expect(terminated[row] == end, f"{where}: ends in one of the vector env and the single env only")
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
    """The three autoreset modes play the same games and show the same ends, each in its own place."""
    recorded = {
        mode: _RecordedGames(game, arguments, num_envs, seed, steps, mode).rows
        for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
    }
    reference = recorded.pop(AutoresetMode.NEXT_STEP)
    for mode, rows in recorded.items():
        for row, (one, other) in enumerate(zip(reference, rows, strict=True)):
            for place, (event, event_too) in enumerate(zip(one, other, strict=False)):
                if event != event_too:
                    raise ContractError(
                        f"{call_text(game, arguments)}, {num_envs} envs, seed {seed}, row {row}: event {place} is "
                        f"{event} under NEXT_STEP and {event_too} under {mode.name}"
                    )


class _RecordedGames:
    """What happens in every row: the same list of events whatever the autoreset mode."""

    def __init__(
        self, game: Game, arguments: dict[str, Any], num_envs: int, seed: int, steps: int, mode: AutoresetMode
    ) -> None:
        self.rows: list[list[Any]] = [[] for _ in range(num_envs)]
        self.where = f"{game.id}, seed {seed}"
        env = CardVectorEnv(game, num_envs, autoreset_mode=mode, **arguments)
        expect(env.metadata["autoreset_mode"] is mode, f"{game.id}: the metadata name {env.metadata['autoreset_mode']}")
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
        """Reset the rows that are over, after the arrays handed out were overwritten: the others show what they did."""
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
                f"{self.where}: resetting other rows changes what row {row} shows, once the arrays given are "
                "written to",
            )
        for row in map(int, np.flatnonzero(over)):
            self._started(row, observations, infos)
        return observations, infos

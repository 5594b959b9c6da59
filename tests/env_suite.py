"""The contract suite, and the tests of the envs that cardgym makes of a game."""

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

import api_checks
import env_checks
from cardgym.engine.contract import Game, Options
from cardgym.testing import ContractSuite


def last_legal(observation: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> int:
    """A Python player: the legal action with the highest number."""
    return int(np.flatnonzero(mask)[-1])


def env_arguments(
    game: Game, options: Options, players: Sequence[str] | None = None, observations: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Arguments of envs that together use every observation, kind of seat and kind of opponent.

    Args:
        players: the names of the players to seat; by default `random` and all players of the game.
        observations: the names of the observations, the default one first; by default all of the game.
    """
    own = options.asdict()
    last = options.num_players - 1
    players = ["random", *game.players] if players is None else players
    mixed = [players[i % len(players)] if i % 3 != 2 else last_legal for i in range(last)]
    arguments: list[dict[str, Any]] = [
        {**own},
        {**own, "seat": last, "opponent": players[-1] if last else "random"},
        {**own, "seat": "random", "opponent": mixed if last else "random", "obs_mode": "dict"},
        {**own, "seat": "all"},
    ]
    # Compiled players get the default observation: other observations would need more kernels to be compiled.
    names = list(game.observations if observations is None else observations)
    for place, name in zip((1, 0, 2, 3), itertools.cycle(names), strict=False):
        arguments[place]["obs"] = name
    arguments += [{**own, "obs": name} for name in names[len(arguments) :]]
    return arguments


class EnvSuite(ContractSuite):
    """Every test of one game's rules and envs.

    Attributes:
        seated: the names of the players to seat in envs; by default `random` and all players of the game.
        observed: the names of the observations to test in envs, the default one first; all of them if None. Each needs
            a kernel to be compiled.
    """

    seated: ClassVar[tuple[str, ...] | None] = None
    observed: ClassVar[tuple[str, ...] | None] = None

    def _env_arguments(self, most: int) -> list[dict[str, Any]]:
        """All arguments of envs for the first set of options, then one of them for each other set."""
        of_cases = [env_arguments(self._game, options, self.seated, self.observed) for options in self._options(most)]
        first, others = of_cases[0], of_cases[1:]
        return first + [arguments[number % len(arguments)] for number, arguments in enumerate(others)]

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Parametrize by the arguments of envs, since each may need a kernel to be compiled."""
        if "env_number" in metafunc.fixturenames:
            metafunc.parametrize("env_number", range(len(self._env_arguments(6)) if self.game else 1))

    def test_rows_of_a_vector_env_equal_single_envs(self, env_number: int) -> None:
        arguments = self._env_arguments(6)[env_number]
        api_checks.check_rows(self._game, arguments, (1, 2, 5)[env_number % 3], env_number)
        if env_number == 0:
            api_checks.check_rows(self._game, arguments, 13, 5)

    def test_autoreset_modes_play_the_same_games(self) -> None:
        for seed, arguments in enumerate(self._env_arguments(6)):
            for mode in (AutoresetMode.SAME_STEP, AutoresetMode.DISABLED):
                api_checks.check_rows(self._game, arguments, 4, seed, mode=mode)

    def test_illegal_actions(self) -> None:
        self._check_options(env_checks.check_illegal, 6)

    def test_outputs_are_inside_their_spaces(self) -> None:
        for seed, arguments in enumerate(self._env_arguments(12)):
            env_checks.check_steps(self._game, arguments, seed)

    def test_env_outputs_contain_no_hidden_information(self) -> None:
        for seed, arguments in enumerate(self._env_arguments(6)):
            env_checks.check_outputs(self._game, arguments, seed, steps=8, pictures=int(seed == 0))

    def test_copies_continue_identically(self) -> None:
        for seed, arguments in enumerate(self._env_arguments(4)):
            env_checks.check_copies(self._game, arguments, seed)

    def test_gymnasium_accepts_the_envs(self) -> None:
        api_checks.check_gymnasium(self._game, self.observed)

    def test_pettingzoo_accepts_the_env(self) -> None:
        import pytest

        pytest.importorskip("pettingzoo")
        for options in self._options(3):
            api_checks.check_pettingzoo(self._game, options)

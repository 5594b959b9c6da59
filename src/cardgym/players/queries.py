"""What players would do in given states, which nobody plays on."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import NO_POLICY_TABLES
from cardgym.engine.contract import Game, Generator
from cardgym.engine.kernel import Kernel, kernel_of
from cardgym.engine.numba.compilation import bound, template
from cardgym.players.base import CompiledPlayer, TablePlayer


def kernel_actions(
    game: Game,
    num_actions: int,
    player: CompiledPlayer | TablePlayer,
    states: npt.NDArray[Any],
    seats: npt.NDArray[np.int64],
    generator: Generator,
) -> npt.NDArray[np.int64]:
    """The actions of a player inside the kernel.

    Args:
        game: the game.
        num_actions: how many actions there are, legal or not.
        player: the player.
        states: the records, (rows,); in each of them `seats` of that row is to decide.
        seats: (rows,).
        generator: (2,), uint64; the player draws from it, row by row.

    Returns:
        (rows,), int64.
    """
    if isinstance(player, TablePlayer):
        kernel = kernel_of(game, game.default_observation)
        number, tables = len(kernel.players), player.actions[None]
    else:
        kernel = kernel_of(game, game.default_observation, [player.name])
        number, tables = kernel.players.index(player.name), NO_POLICY_TABLES
    actions = np.empty(len(states), np.int64)
    records = np.asarray(states).view(game.state)
    _compiled(kernel)(records, seats, number, np.empty(num_actions, np.int8), generator, tables, actions)
    return actions


@cache
def _compiled(kernel: Kernel) -> Any:
    return kernel.entry_point(_choose_all)


@template
def _choose_all(
    states: Any, seats: Any, policy: int, mask: Any, generator: Generator, tables: Any, actions: Any
) -> None:
    for i in range(states.shape[0]):
        bound.legal_action_mask(states[i], mask)
        actions[i] = bound.choose(policy, states[i], seats[i], mask, generator, tables)

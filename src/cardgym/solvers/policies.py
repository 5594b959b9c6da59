"""Players of every kind as policies over an enumerated game, and such policies as policy tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.states import choose_actions, info_state_indices, look
from cardgym.errors import CardgymError
from cardgym.players.actions import check_legal
from cardgym.players.base import CompiledPlayer, PlayerSpec, TablePlayer, resolve
from cardgym.players.mixtures import MixturePlayer
from cardgym.solvers.enumeration import Mdp
from cardgym.solvers.value_iteration import Policy

Actions = npt.NDArray[np.int64]


class RandomPlayerError(CardgymError):
    """A player other than `random` that chooses at random: no single action is its policy."""


def policy_of(mdp: Mdp, spec: PlayerSpec) -> Policy:
    """The policy of a player: a name, a policy file, a checkpoint, a callable.

    Raises:
        CardgymError: for a player that cannot be found or read.
        RandomPlayerError: for a player other than `random` that chooses at random.
    """
    player = resolve(spec, mdp.game, mdp.options)
    if isinstance(player, CompiledPlayer):
        return "random" if player.name == "random" else _compiled_policy(mdp, player.name)
    if isinstance(player, TablePlayer):
        return table_policy(mdp, player.actions)
    if isinstance(player, MixturePlayer):
        raise RandomPlayerError(f"player {player.name!r} is a mixture: no single action is its policy")
    return observed_policy(mdp, player.act, player.observation_name)


def _compiled_policy(mdp: Mdp, name: str) -> Actions:
    generator = np.zeros(2, np.uint64)
    actions = choose_actions(mdp.game, mdp.options, name, mdp.states, np.zeros(mdp.num_states, np.int64), generator)
    if generator[1]:  # Something was drawn.
        raise RandomPlayerError(f"player {name!r} chooses at random: no single action is its policy")
    return actions


def observed_policy(
    mdp: Mdp,
    act: Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], npt.NDArray[Any] | None],
    observation_name: str | None = None,
) -> Policy:
    """The policy of a function of observations, such as a network.

    Args:
        mdp: the game.
        act: from observations (num_states, size), float32, and masks (num_states, actions), int8, to actions
            (num_states,), whole numbers, or probabilities (num_states, actions).
        observation_name: the observation that it reads; the game's default if None.

    Raises:
        CardgymError: for a result of another shape, or actions that are not legal.
    """
    seats = np.zeros(mdp.num_states, np.int64)
    observations, masks, _ = look(mdp.game, mdp.options, mdp.states, seats, observation_name)
    policy = np.asarray(act(observations, masks))
    if policy.shape == masks.shape:
        return policy
    if policy.shape != masks.shape[:1] or not np.issubdtype(policy.dtype, np.integer):
        raise CardgymError(
            f"a policy of shape {policy.shape} and type {policy.dtype}: allowed are whole actions of shape "
            f"{masks.shape[:1]} or probabilities of shape {masks.shape}"
        )
    check_legal(policy, masks, lambda row: f"state {row}: ")
    return policy


def table_policy(mdp: Mdp, table: npt.NDArray[np.int8]) -> Actions:
    """The policy of a policy table as the kernel plays it: the first legal action where the table's is not legal.

    Args:
        mdp: the game.
        table: actions by info state index, (num_info_states,), int8.

    Returns:
        (num_states,), int64.
    """
    seats = np.zeros(mdp.num_states, np.int64)
    return choose_actions(mdp.game, mdp.options, table, mdp.states, seats, np.zeros(2, np.uint64))


def policy_table(mdp: Mdp, actions: Actions) -> npt.NDArray[np.int8]:
    """A policy as a policy table: actions by info state index, (num_info_states,), int8.

    Args:
        mdp: the game.
        actions: (num_states,), whole numbers.

    Raises:
        CardgymError: for a game that does not number its states.
    """
    places = indices(mdp)
    if mdp.game.state_index.num_info_states is None:
        raise CardgymError(f"{mdp.game.id} does not number its states, so it has no policy tables")
    table = np.zeros(mdp.game.state_index.num_info_states(mdp.options), np.int8)
    table[places] = actions
    return table


def indices(mdp: Mdp) -> npt.NDArray[np.int64]:
    """The info state index of every decision state, (num_states,), int64."""
    return info_state_indices(mdp.game, mdp.states, np.zeros(mdp.num_states, np.int64))


def reduced(mdp: Mdp, small: Mdp, policy: Policy) -> Policy | None:
    """A policy over the states up to symmetry; None if it treats symmetric states differently.

    Args:
        mdp: the game, every state of it.
        small: the same up to symmetry.
        policy: a policy over the states of `mdp`.
    """
    if isinstance(policy, str):
        return policy
    places = small.find(mdp.states)
    few = np.zeros((small.num_states, *policy.shape[1:]), policy.dtype)
    few[places] = policy
    return few if np.array_equal(few[places], policy) else None

"""Players as policies over an enumerated game, and policy tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena.rollouts import known_probabilities
from cardgym.engine.states import info_state_indices
from cardgym.errors import CardgymError
from cardgym.players import PlayerSpec, resolve
from cardgym.players.seats import MixturePlayer
from cardgym.solvers.enumeration import Mdp


class RandomPlayerError(CardgymError):
    """A player that chooses at random with unknown probabilities, so it is not a policy."""


def policy_of(mdp: Mdp, spec: PlayerSpec) -> npt.NDArray[np.floating[Any]]:
    """The policy of a player, (num_states, actions).

    Raises:
        CardgymError: for a player that cannot be found or read, or that chooses an illegal action.
        RandomPlayerError: for a mixture, or a player that draws its actions with unknown probabilities.
    """
    player = resolve(spec, mdp.game, mdp.options)
    if isinstance(player, MixturePlayer):
        raise RandomPlayerError(f"player {player.name!r} is a mixture: no single policy")
    seats = np.zeros(mdp.num_states, np.int64)
    probabilities = known_probabilities(player, mdp.game, mdp.options, mdp.states, seats)
    if probabilities is None:
        raise RandomPlayerError(f"player {player.name!r} chooses at random, with unknown probabilities")
    return probabilities


def policy_table(mdp: Mdp, actions: npt.NDArray[np.integer]) -> npt.NDArray[np.int8]:
    """The policy table, (num_info_states,) int8 by info state index, of an action for each state, (num_states,).

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

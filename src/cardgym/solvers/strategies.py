"""Players of every kind as strategies over the tree of a game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cardgym.engine.generator import derive
from cardgym.engine.numba.compilation import compiled
from cardgym.engine.states import choose_actions
from cardgym.errors import CardgymError
from cardgym.players.base import CompiledPlayer, Player, legal_actions
from cardgym.players.mixtures import MixturePlayer
from cardgym.players.q_table import Pairs, hash_of
from cardgym.solvers.cfr import walk_down
from cardgym.solvers.policies import probabilities_of
from cardgym.solvers.tree import GameTree, Strategy, TreeArrays

_CHUNK = 1 << 18
"""Decisions sampled at once."""


def known_strategy(tree: GameTree, player: Player) -> Strategy | None:
    """The strategy of a player whose probabilities are known: of a table, a network, or any that does not draw.

    Returns:
        None for a player that draws its actions and does not say with which probabilities.

    Raises:
        CardgymError: where it chooses an illegal action.
    """
    if isinstance(player, MixturePlayer):
        parts = [known_strategy(tree, part) for part in player.players]
        known = [part for part in parts if part is not None]
        return mixed_strategy(tree, known, player.weights) if len(known) == len(parts) else None
    probabilities = probabilities_of(tree.game, tree.options, tree.set_states, tree.arrays.set_seats, player)
    return None if probabilities is None else tree.strategy(probabilities)


def pairs_of(tree: GameTree, strategy: Strategy, observation_name: str) -> Pairs:
    """A strategy by the hash of an observation, as in a strategy file.

    Raises:
        CardgymError: where the observation is the same at two information sets.
    """
    observations = tree.look(observation_name)[0]
    hashes = np.empty(len(observations), np.uint64)
    _hash_all(np.ascontiguousarray(observations), hashes)
    if len(np.unique(hashes)) < tree.num_info_sets:
        raise CardgymError(
            f"observation {observation_name!r} of {tree.game.id} is the same at different information sets; choose one "
            "that shows all that a seat knows"
        )
    keys = np.repeat(hashes, np.diff(tree.arrays.first_choice))
    order = np.lexsort((tree.choice_actions, keys))
    return Pairs(keys[order], tree.choice_actions[order].astype(np.int32), strategy[order].astype(np.float64))


def sampled_strategy(tree: GameTree, player: Player, draws: int, seed: int) -> Strategy:
    """The frequency of each action of a player in `draws` draws at each information set, for unknown probabilities."""
    if isinstance(player, CompiledPlayer):
        return _compiled_frequencies(tree, player, draws, seed)
    if isinstance(player, MixturePlayer):
        parts = [sampled_strategy(tree, part, draws, seed + i) for i, part in enumerate(player.players)]
        return mixed_strategy(tree, parts, player.weights)
    observations, masks = tree.look(player.observation_name)
    generator = np.random.default_rng(seed)
    counts = np.zeros(masks.shape)
    rows = np.arange(len(masks))
    for _ in range(draws):
        counts[rows, legal_actions(player, observations, masks, generator.random(len(masks)))] += 1
    return tree.strategy(counts)


def _compiled_frequencies(tree: GameTree, player: CompiledPlayer, draws: int, seed: int) -> Strategy:
    counts = np.zeros((tree.num_info_sets, tree.game.actions(tree.options)))
    generator = np.array([derive(np.uint64(seed), np.uint64(0)), 0], np.uint64)
    for first in range(0, tree.num_info_sets * draws, _CHUNK):
        sets = np.arange(first, min(first + _CHUNK, tree.num_info_sets * draws)) // draws
        actions = choose_actions(
            tree.game, tree.options, player.name, tree.set_states[sets], tree.arrays.set_seats[sets], generator
        )
        np.add.at(counts, (sets, actions), 1.0)
    return tree.strategy(counts)


@compiled
def _hash_all(observations: npt.NDArray[np.float32], hashes: npt.NDArray[np.uint64]) -> None:
    for row in range(observations.shape[0]):
        hashes[row] = hash_of(observations[row])


def mixed_strategy(tree: GameTree, strategies: Sequence[Strategy], weights: Sequence[float]) -> Strategy:
    """The strategy that plays as a mixture does that draws one strategy for each game, each seat by itself.

    At an information set each strategy counts with its weight and the probability that its own choices lead there
    (Kuhn, "Extensive games and the problem of information", 1953); uniform where none leads there.

    Args:
        tree: the game.
        strategies: each (num_choices,), float64.
        weights: how likely each of them is, summing to 1.
    """
    sizes = np.diff(tree.arrays.first_choice)
    sums = np.zeros(tree.num_choices)
    reach = np.empty((tree.num_nodes, tree.options.num_players + 1))
    own_reach = np.empty(tree.num_info_sets)
    for strategy, weight in zip(strategies, weights, strict=True):
        _find_own_reach(tree.arrays, strategy, reach, own_reach)
        sums += weight * np.repeat(own_reach, sizes) * strategy
    totals = np.repeat(np.add.reduceat(sums, tree.arrays.first_choice[:-1]), sizes)
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), tree.uniform())


@compiled
def _find_own_reach(
    tree: TreeArrays,
    strategy: npt.NDArray[np.float64],
    reach: npt.NDArray[np.float64],
    own_reach: npt.NDArray[np.float64],
) -> None:
    """The probability that the own choices of its seat lead to each information set, (num_info_sets,)."""
    walk_down(tree, strategy, reach, own_reach)

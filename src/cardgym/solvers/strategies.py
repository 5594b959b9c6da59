"""Players of every kind as strategies over the tree of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cardgym.arena.playouts import ASKS
from cardgym.engine.compilation import compiled
from cardgym.engine.rules import derive, draws_of, hash_of
from cardgym.players import Player
from cardgym.players.mixtures import MixturePlayer
from cardgym.solvers.best_response import reach_probabilities
from cardgym.solvers.cfr import find_own_reach
from cardgym.solvers.tree import Floats, GameTree, Strategy, TreeArrays

if TYPE_CHECKING:
    from cardgym.players.tables import Pairs

_CHUNK = 1 << 18
"""Decisions sampled at once."""


def known_strategy(tree: GameTree, player: Player) -> Strategy | None:
    """Return the strategy of a player whose probabilities are known: a table, a network, or any deterministic player.

    None for a player that samples its actions with unknown probabilities.

    Raises:
        CardgymError: if it chooses an illegal action.
    """
    if isinstance(player, MixturePlayer):
        parts = [known_strategy(tree, part) for part in player.players]
        known = [part for part in parts if part is not None]
        return mixed_strategy(tree, known, player.weights) if len(known) == len(parts) else None
    probabilities = tree.decisions().known_probabilities(player, asks=ASKS)
    return None if probabilities is None else tree.strategy(probabilities)


def pairs_of(tree: GameTree, strategy: Strategy, observation_name: str) -> Pairs:
    """Return a strategy by the hash of an observation, as in a strategy file.

    If several information sets have the same observation, because it does not show all that the seat has seen and done,
    their probabilities are averaged, weighted by the probability of reaching each of them.
    """
    from cardgym.players.tables import Pairs  # Imports pydantic, which exact exploitability does without.

    observations = tree.look(observation_name)[0]
    hashes = np.empty(len(observations), np.uint64)
    _hash_all(np.ascontiguousarray(observations), hashes)
    pairs = np.rec.fromarrays([np.repeat(hashes, tree.sizes), tree.choice_actions])
    keys, group = np.unique(pairs, return_inverse=True)
    if len(keys) == len(pairs):
        order = np.argsort(pairs)
        return Pairs(keys["f0"], keys["f1"].astype(np.int32), strategy[order].astype(np.float64))
    nodes = reach_probabilities(tree, strategy, -1)[: tree.num_nodes]
    decides = tree.arrays.info_sets >= 0
    weights = np.bincount(tree.arrays.info_sets[decides], nodes[decides], tree.num_info_sets)
    weights = np.repeat(weights + np.finfo(float).tiny, tree.sizes)
    shares = np.bincount(group, weights * strategy) / np.bincount(group, weights)
    return Pairs(keys["f0"], keys["f1"].astype(np.int32), shares)


def sampled_strategy(tree: GameTree, player: Player, num_draws: int, seed: int) -> Strategy:
    """Estimate the unknown strategy of a player from `num_draws` of its actions at each information set."""
    if isinstance(player, MixturePlayer):
        parts = [sampled_strategy(tree, part, num_draws, seed + i) for i, part in enumerate(player.players)]
        return mixed_strategy(tree, parts, player.weights)
    counts = np.zeros((tree.num_info_sets, tree.game.actions(tree.options)))
    decisions, keys = tree.decisions(), [derive(np.uint64(seed), np.uint64(purpose)) for purpose in range(2)]
    source = np.array([keys[0], 0], np.uint64)
    for first in range(0, tree.num_info_sets * num_draws, _CHUNK):
        sets = np.arange(first, min(first + _CHUNK, tree.num_info_sets * num_draws)) // num_draws
        draws = draws_of(np.full(len(sets), keys[1], np.uint64), np.arange(first, first + len(sets), dtype=np.uint64))
        actions = decisions.take(sets).actions_of(player, draws, source)
        np.add.at(counts, (sets, actions), 1.0)
    return tree.strategy(counts)


@compiled
def _hash_all(observations: npt.NDArray[np.float32], hashes: npt.NDArray[np.uint64]) -> None:
    for row in range(observations.shape[0]):
        hashes[row] = hash_of(observations[row])


def mixed_strategy(tree: GameTree, strategies: Sequence[Strategy], weights: Sequence[float]) -> Strategy:
    """Return the strategy equivalent to a mixture in which each seat independently draws one strategy for each game.

    At an information set each strategy counts by its weight times the probability that its own choices lead there
    (Kuhn, "Extensive games and the problem of information", 1953); uniform if none leads there.
    """
    sizes = tree.sizes
    sums = np.zeros(tree.num_choices)
    own_reach = np.empty(tree.num_info_sets)
    for strategy, weight in zip(strategies, weights, strict=True):
        _own_reach(tree.arrays, strategy, own_reach)
        sums += weight * np.repeat(own_reach, sizes) * strategy
    totals = np.repeat(tree.sums(sums), sizes)
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), tree.uniform())


@compiled
def _own_reach(tree: TreeArrays, strategy: Strategy, own_reach: Floats) -> None:
    find_own_reach(tree, strategy, own_reach)

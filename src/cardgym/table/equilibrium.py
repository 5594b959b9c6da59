"""The equilibrium as a player for rollouts, in games of two that are small enough to be solved while a person waits."""

from __future__ import annotations

from functools import lru_cache

from cardgym.engine.contract import Game, Options
from cardgym.players.strategy_table import StrategyPlayer
from cardgym.solvers.cfr import CFR
from cardgym.solvers.exact import small_tree
from cardgym.solvers.strategies import pairs_of

_NODES_WALKED = 20_000_000
"""Seconds of work: 20 iterations in a tree of a million nodes."""
_MAX_ITERATIONS = 1000


@lru_cache(8)  # A strategy takes megabytes, its tree hundreds, and solving it seconds.
def equilibrium_player(game: Game, options: Options) -> StrategyPlayer | None:
    """The average strategy of discounted CFR; None in a game that is too large, or not of two seats."""
    tree = small_tree(game, options) if options.num_players == 2 else None
    if tree is None:
        return None
    solver = CFR(tree, "dcfr")
    solver.run(min(_NODES_WALKED // tree.num_nodes, _MAX_ITERATIONS))
    name = game.default_observation
    pairs = pairs_of(tree, solver.average, name)
    small_tree.cache_clear()
    return StrategyPlayer("the equilibrium", name, pairs)

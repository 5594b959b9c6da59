"""Exact exploitability: best responses over the tree of a game, and the optimum of a game of one player."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from cardgym.engine.contract import Float64s, Game, Options
from cardgym.engine.digest import keeps_results
from cardgym.engine.registry import find
from cardgym.engine.states import SingleGame
from cardgym.errors import CardgymError
from cardgym.players import Player, PlayerSpec, resolve
from cardgym.solvers.best_response import best_response, deviating, expected_returns, exploitability
from cardgym.solvers.strategies import known_strategy, sampled_strategy
from cardgym.solvers.tree import GameTree, enumerate_tree
from cardgym.statistics import Interval, mean_estimate

if TYPE_CHECKING:
    from cardgym.arena.tournament.standings import Standings

NODES = 2_000_000
"""The largest tree to enumerate, in nodes."""
_DRAWS, _ALL_DRAWS = 20_000, 2_000_000
"""The maximum number of draws at an information set, and at all of them together."""
_ESTIMATES = 10

Exact = tuple[float, Interval | None]
"""The exploitability, and its interval if the player's probabilities had to be estimated."""


def tree_exploitability(game: Game, options: Options, player: Player, limit: int = NODES) -> Exact | None:
    """Return the exploitability of a player in a game whose tree has at most `limit` nodes; None for a larger game.

    If a player samples its actions with unknown probabilities, they are estimated from its choices. The best response
    is computed against one estimate and evaluated against further, independent ones, so that it is not overestimated.

    Raises:
        CardgymError: if the player chooses an illegal action.
    """
    if options.num_players == 1:
        return _shortfall(game, options, player)
    tree = small_tree(game, options, limit)
    if tree is None:
        return None
    strategy = known_strategy(tree, player)
    if strategy is not None:
        return exploitability(tree, strategy), None
    return _estimated(tree, player)


@keeps_results
@lru_cache(1)
def small_tree(game: Game, options: Options, limit: int = NODES) -> GameTree | None:
    """Return the tree of a game with at most `limit` nodes, None for a larger one; the last result is kept."""
    if _deals(game, options, limit) > limit:
        return None
    try:
        return enumerate_tree(game, options, limit=limit)
    except CardgymError:
        return None


def exact_standings(found: Standings, players: Sequence[PlayerSpec]) -> Standings:
    """Return a tournament's standings, with exact payoffs where the tree and both players' strategies are known.

    Args:
        found: the standings; those of a metric that is not the return stay as they are.
        players: what `resolve` finds its players by, in order.

    Raises:
        CardgymError: if a player chooses an illegal action.
    """
    game = find(found.env)
    options = game.parse_options(found.options)
    if found.payoff != game.payoff:
        return found
    known = [resolve(spec, game, options) for spec in players]
    payoffs = _payoffs_alone(game, options, known) if options.num_players == 1 else _payoffs(game, options, known)
    return found if payoffs is None else found.exactly(payoffs)


def _payoffs_alone(game: Game, options: Options, players: Sequence[Player]) -> Float64s | None:
    """Return what the row's player wins more than the column's in a game of one player."""
    shortfalls = [_shortfall(game, options, player) for player in players]
    if any(one is None for one in shortfalls):
        return None
    values = -np.array([one[0] for one in shortfalls if one is not None])
    payoffs: Float64s = values[:, None] - values
    return payoffs


def _payoffs(game: Game, options: Options, players: Sequence[Player]) -> Float64s | None:
    """Return what the row's player wins from the column's in all other seats; NaN where a strategy is unknown."""
    tree = small_tree(game, options)
    if tree is None:
        return None
    strategies = [known_strategy(tree, player) for player in players]
    payoffs = np.full((len(players), len(players)), np.nan)
    for (i, own), (j, other) in product(enumerate(strategies), repeat=2):
        if own is not None and other is not None:
            returns = [expected_returns(tree, deviating(tree, other, own, seat)) for seat in range(options.num_players)]
            payoffs[i, j] = np.mean([values[seat] - values.mean() for seat, values in enumerate(returns)])
    return payoffs


def _deals(game: Game, options: Options, limit: int) -> int:
    """Return the number of ways to deal up to the first decision; it rules out most large games without enumeration."""
    first = SingleGame(game, options, game.blank_state(options))
    first.setup()
    deals = 1
    while first.num_chance_outcomes and deals <= limit:
        deals *= first.num_chance_outcomes
        first.apply_action(0)
    return deals


def _estimated(tree: GameTree, player: Player) -> Exact:
    seats = tree.options.num_players
    draws = min(_DRAWS, max(_ALL_DRAWS // tree.num_info_sets, 100))
    first = sampled_strategy(tree, player, draws, 0)
    responses = [best_response(tree, first, seat).strategy for seat in range(seats)]
    gains = []
    for seed in range(1, 1 + _ESTIMATES):
        strategy = sampled_strategy(tree, player, draws, seed)
        own = expected_returns(tree, strategy)
        values = [
            expected_returns(tree, deviating(tree, strategy, response, seat))[seat]
            for seat, response in enumerate(responses)
        ]
        gains.append(float(np.mean(np.array(values) - own)))
    return mean_estimate(gains)


def _shortfall(game: Game, options: Options, player: Player) -> Exact | None:
    """How far a player falls short of the optimum of a game of one player; None if that cannot be enumerated."""
    from cardgym.solvers.optimum import policy_of, solver

    try:
        enumerated = solver(game, options)
    except CardgymError:
        return None
    policy = policy_of(enumerated.tree, player)
    return float(enumerated.solve(1).value - enumerated.value(policy).mean), None

"""Solving a game by name: the report of `cardgym solve`, players as policies, and policy tables."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena.playouts import ASKS
from cardgym.engine.contract import Game, Options
from cardgym.engine.digest import keeps_results
from cardgym.engine.registry import find
from cardgym.engine.states import info_state_indices
from cardgym.errors import CardgymError, unknown
from cardgym.players import PlayerSpec, resolve
from cardgym.players.mixtures import MixturePlayer
from cardgym.players.policy_file import save_policy
from cardgym.solvers.backward_induction import (
    Policy,
    PolicyValue,
    Solution,
    backward_induction,
    check_gamma,
    policy_value,
)
from cardgym.solvers.tree import GameTree, enumerate_tree

GAMMA = Fraction(9, 10)
"""The default discount of a decision."""


class Solver:
    """A game of one player, enumerated twice: every state, and up to symmetry; another raises `CardgymError`.

    Attributes:
        tree: every state.
        small: one state for all that are equal up to symmetry.
    """

    def __init__(self, game: Game, options: Options) -> None:
        if options.num_players != 1:
            raise CardgymError(
                f"{game.id} has {options.num_players} seats: only games of one player are enumerated and solved; add "
                "--by dcfr for an equilibrium"
            )
        self.tree = enumerate_tree(game, options, whole_state=True, symmetric=False)
        self.small = enumerate_tree(game, options, whole_state=True)
        self._places = self.small.find(self.tree.set_states)

    def solve(self, gamma: float | str | Fraction = GAMMA) -> Solution:
        """Return the optimum, in exact fractions: solved up to symmetry, returned for every state."""
        small = backward_induction(self.small, gamma)
        values = [small.values[place] for place in self._places.tolist()]
        return Solution(small.value, values, small.actions[self._places], small.optimal[self._places])

    def value(self, policy: Policy, gamma: float | str | Fraction = 1) -> PolicyValue:
        """Return the exact value of a policy; faster for one that respects the symmetry.

        A policy is an action for each state of `tree`, (states,), or probabilities, (states, actions).
        """
        if len(policy) == self.tree.num_info_sets:
            small = np.zeros((self.small.num_info_sets, *policy.shape[1:]), policy.dtype)
            small[self._places] = policy
            if np.array_equal(small[self._places], policy):
                return policy_value(self.small, small, gamma)
        return policy_value(self.tree, policy, gamma)


solver = cache(Solver)
"""The solver of a game with these options, made once; raises CardgymError for a game that cannot be enumerated."""


class RandomPlayerError(CardgymError):
    """A player that chooses at random with unknown probabilities, so it is not a policy."""


def policy_of(tree: GameTree, spec: PlayerSpec) -> npt.NDArray[np.floating[Any]]:
    """Return the policy of a player, (num_states, actions).

    Raises:
        CardgymError: for a player that cannot be found or read, or that chooses an illegal action.
        RandomPlayerError: for a mixture, or a player that draws its actions with unknown probabilities.
    """
    player = resolve(spec, tree.game, tree.options)
    if isinstance(player, MixturePlayer):
        raise RandomPlayerError(f"player {player.name!r} is a mixture: no single policy")
    probabilities = tree.decisions().known_probabilities(player, asks=ASKS)
    if probabilities is None:
        raise RandomPlayerError(f"player {player.name!r} chooses at random, with unknown probabilities")
    return probabilities


def policy_table(tree: GameTree, actions: npt.NDArray[np.integer]) -> npt.NDArray[np.int8]:
    """Get the policy table, (num_info_states,) int8 by info state index, of an action for each state, (num_states,)."""
    places = indices(tree)
    if tree.game.state_index.num_info_states is None:
        raise CardgymError(f"{tree.game.id} does not number its states, so it has no policy tables")
    table = np.zeros(tree.game.state_index.num_info_states(tree.options), np.int8)
    table[places] = actions
    return table


def indices(tree: GameTree) -> npt.NDArray[np.int64]:
    """Return the info state index of every decision state, (num_states,), int64."""
    return info_state_indices(tree.game, tree.set_states, np.zeros(tree.num_info_sets, np.int64))


@keeps_results
@cache
def optimal_table(game: Game, options: Options) -> npt.NDArray[np.int8]:
    """Return the optimal undiscounted policy as a policy table by info state index, (num_info_states,), int8.

    Among equally good actions it takes the first.
    """
    known = solver(game, options)
    table = policy_table(known.tree, known.solve(1).actions)
    table.setflags(write=False)
    return table


@dataclass(frozen=True)
class Solved:
    """The result of `solve`.

    Attributes:
        report: the figures, as plain values for JSON.
        actions: (num_states,), int64: the optimal policy for the report's gamma.
    """

    report: dict[str, Any]
    tree: GameTree
    actions: npt.NDArray[np.int64]

    def save(self, path: Path) -> None:
        """Write the optimal policy as a policy file."""
        table = policy_table(self.tree, self.actions)
        save_policy(path, table, self.tree.game, self.tree.options, gamma=self.report["gamma"])


def solve(env: str | Game, options: Mapping[str, object] | None = None, players: Sequence[PlayerSpec] = ()) -> Solved:
    """Solve a game of one player, and evaluate its players, in exact fractions.

    Args:
        env: the game or its id.
        options: the game's options, and `gamma`, as `--set` gives them.
        players: players to evaluate in addition to the game's own: policy files, Q-tables, checkpoints. Of the game's
            own players, those that choose at random are left out, except `random`.

    Returns:
        The report and the optimal policy. Values are expected rewards from before the first chance.

    Raises:
        CardgymError: for an unknown env or option, a value not allowed, a game that cannot be solved, or a bad file.
    """
    game = find(env)
    values = dict(options or {})
    gamma = check_gamma(values.pop("gamma", GAMMA))
    names = [*(spec.name for spec in dataclasses.fields(game.options)), "gamma"]
    for name in values:
        if name not in names:
            raise unknown("option", name, names)
    game_options = game.parse_options(values)
    enumerated = solver(game, game_options)
    best = enumerated.solve(gamma)
    policies: dict[str, Policy] = {}
    for name in ("random", *game.players):
        with contextlib.suppress(RandomPlayerError):
            policies[name] = policy_of(enumerated.tree, name)
    policies["optimal"] = best.actions
    for spec in players:
        if spec == "optimal":
            raise CardgymError("player 'optimal': in the report, that is the name of the optimum for its gamma")
        policies[str(spec)] = policy_of(enumerated.tree, spec)
    report = {
        "env": game.id,
        "options": game_options.asdict(),
        "gamma": fraction_text(gamma),
        "states": enumerated.tree.num_info_sets,
        "states_canonical": enumerated.small.num_info_sets,
        "optimal": {"value": fraction_text(best.value), "value_float": float(best.value)},
        "policies": {name: _values(enumerated, policy, gamma) for name, policy in policies.items()},
    }
    return Solved(report, enumerated.tree, best.actions)


def _values(solver: Solver, policy: Policy, gamma: Fraction) -> dict[str, str | float]:
    values: dict[str, str | float] = {}
    for kind, discount in (("discounted", gamma), ("undiscounted", Fraction(1))):
        value = solver.value(policy, discount)
        values |= {kind: fraction_text(value.mean), f"{kind}_float": float(value.mean), f"{kind}_std": value.std}
    return values


def fraction_text(value: Fraction) -> str:
    """Return a fraction as p/q, even if q is 1."""
    return f"{value.numerator}/{value.denominator}"

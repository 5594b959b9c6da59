"""Solving a game by name: the numbers of `cardgym solve`, and the table of the player `optimal`."""

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

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find
from cardgym.errors import CardgymError, unknown
from cardgym.players.base import PlayerSpec
from cardgym.players.policy_file import save_policy
from cardgym.solvers.enumeration import Mdp, enumerate_game
from cardgym.solvers.exact import ExactSolution, ExactValue, backward_induction, exact_policy_value
from cardgym.solvers.policies import Actions, RandomPlayerError, policy_of, policy_table, reduced
from cardgym.solvers.value_iteration import THETA, Policy, Solution, check_gamma, check_theta, value_iteration

GAMMA = Fraction(9, 10)
"""The paper's discount factor."""


class Solver:
    """A game with its options, enumerated once, every state of it and up to symmetry.

    Attributes:
        mdp: every state.
        small: states up to symmetry.
    """

    def __init__(self, game: Game, options: Options) -> None:
        self.mdp = enumerate_game(game, options)
        self.small = enumerate_game(game, options, symmetric=True)
        self._places = self.small.find(self.mdp.states)

    def solve(self, gamma: float | str | Fraction = GAMMA, theta: float = THETA) -> Solution:
        """Value iteration over every state.

        Raises:
            CardgymError: for gamma outside [0, 1], theta not above 0, or values that do not settle.
        """
        return value_iteration(self.mdp, check_gamma(gamma), theta)

    def solve_exactly(self, gamma: float | str | Fraction = GAMMA) -> ExactSolution:
        """Backward induction in exact fractions: solved up to symmetry, told for every state.

        Raises:
            CardgymError: for gamma outside [0, 1], or a game in which play can come back to a state.
        """
        few = backward_induction(self.small, gamma)
        values = [few.values[place] for place in self._places.tolist()]
        return ExactSolution(few.value, values, few.actions[self._places], few.optimal[self._places])

    def value(self, policy: Policy, gamma: float | str | Fraction = 1) -> ExactValue:
        """The exact value of a policy; quicker for one that does not tell apart states that are alike.

        Args:
            policy: an action for each state of `mdp`, (num_states,), or probabilities, (num_states, actions).
            gamma: the discount of a decision; 1 is undiscounted.

        Raises:
            CardgymError: for gamma outside [0, 1], or a policy that does not fit the game.
        """
        few = reduced(self.mdp, self.small, policy)
        if few is not None:
            return exact_policy_value(self.small, few, gamma)
        return exact_policy_value(self.mdp, policy, gamma)


@cache
def solver(game: Game, options: Options) -> Solver:
    """The solver of a game with these options; a second call gives the same.

    Raises:
        CardgymError: for a game of several seats, or of too many states.
    """
    return Solver(game, options)


@cache
def optimal_table(game: Game, options: Options, gamma: Fraction = Fraction(1)) -> npt.NDArray[np.int8]:
    """The optimal policy as a table over the game's `index`, (num_info_states,), int8, for the kernel to play.

    Where actions are equally good it takes the first. It serves the undiscounted reward unless told otherwise.
    """
    known = solver(game, options)
    table = policy_table(known.mdp, known.solve_exactly(gamma).actions)
    table.setflags(write=False)
    return table


@dataclass(frozen=True)
class Solved:
    """What `cardgym solve` has to say.

    Attributes:
        report: the numbers, as plain values for JSON.
        mdp: the game.
        actions: the optimal policy for that gamma.
        gamma: the discount factor.
    """

    report: dict[str, Any]
    mdp: Mdp
    actions: Actions
    gamma: Fraction

    def save(self, path: Path) -> None:
        """Write the optimal policy as a policy file, which players and `solve` read."""
        mdp = self.mdp
        save_policy(
            path, policy_table(mdp, self.actions), mdp.game, mdp.options, gamma=self.report["settings"]["gamma"]
        )


def solve(env: str | Game, settings: Mapping[str, object] | None = None, players: Sequence[PlayerSpec] = ()) -> Solved:
    """Solve a game: value iteration, exact fractions, and the exact values of its players.

    Args:
        env: the game, or its id.
        settings: the game's options, and `gamma` and `theta`, as `--set` gives them.
        players: players to be valued beside the game's own: policy files, tables, checkpoints. Of the game's own
            those that choose at random, otherwise than `random`, are left out.

    Returns:
        The report. Its values are expected rewards from before the first chance; `seconds` is the time of value
        iteration from the enumerated table, compiled code loaded.

    Raises:
        CardgymError: for an unknown env or setting, a value not allowed, a game that cannot be solved, or a bad file.
    """
    game = find(env)
    rest = dict(settings or {})
    gamma, theta = check_gamma(rest.pop("gamma", GAMMA)), check_theta(rest.pop("theta", THETA))
    known_names = [*(spec.name for spec in dataclasses.fields(game.options)), "gamma", "theta"]
    for name in rest:
        if name not in known_names:
            raise unknown("setting", name, known_names)
    options = game.parse_options(rest)
    known = solver(game, options)
    value_iteration(known.small, gamma, theta)  # Loads the compiled code, so that the time below is the sweeps' own.
    swept = known.solve(gamma, theta)
    best = known.solve_exactly(gamma)
    policies: dict[str, Policy] = {}
    for name in ("random", *game.players):
        with contextlib.suppress(RandomPlayerError):
            policies[name] = policy_of(known.mdp, name)
    policies["optimal"] = best.actions
    for spec in players:
        if spec == "optimal":
            raise CardgymError(
                "player 'optimal': the report calls the optimum for its own gamma so, the player is that for gamma=1"
            )
        policies[str(spec)] = policy_of(known.mdp, spec)
    report = {
        "env": game.id,
        "settings": {**options.asdict(), "gamma": fraction_text(gamma), "theta": theta},
        "states": known.mdp.num_states,
        "states_canonical": known.small.num_states,
        "sweeps": swept.sweeps,
        "residual": swept.residual,
        "seconds": swept.seconds,
        "optimal": {"value": fraction_text(best.value), "value_float": float(best.value)},
        "policies": {name: _valued(known, each, gamma) for name, each in policies.items()},
    }
    return Solved(report, known.mdp, best.actions, gamma)


def _valued(known: Solver, policy: Policy, gamma: Fraction) -> dict[str, str | float]:
    found: dict[str, str | float] = {}
    for kind, each in (("discounted", gamma), ("undiscounted", Fraction(1))):
        value = known.value(policy, each)
        found |= {kind: fraction_text(value.mean), f"{kind}_float": float(value.mean), f"{kind}_std": value.std}
    return found


def fraction_text(value: Fraction) -> str:
    """A fraction as p/q, whole numbers too."""
    return f"{value.numerator}/{value.denominator}"

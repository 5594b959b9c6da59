"""Backward induction and the values of policies: One Play Poker, and toy games of one player."""

import dataclasses
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.contract import Feature, Observation, Options, StateIndex, number, rule
from cardgym.engine.rules import every_action, no_symmetry, paid_most
from cardgym.solvers.backward_induction import backward_induction, check_gamma, policy_value
from cardgym.solvers.optimum import policy_of, solver
from cardgym.solvers.tree import enumerate_tree

GAME = find("OnePlayPoker-v0")

# -- a toy of one decision: an action from 0 to 2 pays its number, then a coin pays 1/4 or nothing ---------------------

DECIDING, TOSSING, OVER = range(3)


@dataclasses.dataclass(frozen=True)
class CoinOptions(Options):
    num_players: ClassVar[int] = 1
    endless: int = number(0, 0, 1, help="whether the coin leads back to the decision")


@rule
def setup(state: Any) -> None:
    state.phase = DECIDING


@rule
def num_chance_outcomes(state: Any) -> int:
    return 2 if state.phase == TOSSING else 0


@rule
def current_player(state: Any) -> int:
    return -1 if state.phase == OVER else 0


@rule
def apply_action(state: Any, move: int) -> None:
    state.paid[0] = move if state.phase == DECIDING else 0.25 * move
    state.phase = TOSSING if state.phase == DECIDING else DECIDING if state.endless else OVER


@rule
def observe(state: Any, seat: int, out: Any) -> None:
    out[0] = state.phase


COIN = dataclasses.replace(
    GAME,
    id="Coin-v0",
    state=np.dtype(
        [(name, np.int32) for name in ("num_players", "endless", "phase")] + [("paid", np.float32, (1,))], align=True
    ),
    options=CoinOptions,
    num_actions=3,
    observations={"full": Observation(observe, lambda options: (Feature("phase", "the phase"),))},
    state_index=StateIndex(),
    rules=dataclasses.replace(
        GAME.rules,
        setup=setup,
        num_chance_outcomes=num_chance_outcomes,
        current_player=current_player,
        legal_action_mask=every_action,
        apply_action=apply_action,
        canonical=no_symmetry,
        score=paid_most,
    ),
    players={},
)


def test_cycle_is_refused() -> None:
    with pytest.raises(CardgymError, match="more than 2,048 moves in a game"):
        enumerate_tree(COIN, CoinOptions(endless=1), whole_state=True)


def test_one_decision_is_valued_exactly() -> None:
    tree = enumerate_tree(COIN, CoinOptions(), whole_state=True)
    best = backward_induction(tree)
    assert (best.value, best.values, best.actions.tolist()) == (Fraction(17, 8), [Fraction(17, 8)], [2])
    assert best.optimal.tolist() == [[False, False, True]]
    # Thirds are exact although floats cannot hold them.
    random = policy_value(tree, np.full((1, 3), 1 / 3))
    assert (random.mean, random.variance) == (Fraction(9, 8), Fraction(2, 3) + Fraction(1, 64))


# -- One Play Poker ---------------------------------------------------------------------------------------------------


def test_symmetry_does_not_change_the_solution() -> None:
    known = solver(GAME, GAME.parse_options({"ranking": "pair_first"}))
    full, reduced = backward_induction(known.tree, "0.9"), known.solve("0.9")
    assert full.value == reduced.value
    assert full.values == reduced.values
    assert np.array_equal(full.optimal, reduced.optimal)


@pytest.mark.slow
def test_a_policy_that_depends_on_suits_is_valued_on_every_state() -> None:
    known = solver(GAME, GAME.parse_options())
    spades = (known.tree.set_states["player"][:, 0] % 4 == 0).astype(np.int64)
    assert known.value(spades, "0.9") == policy_value(known.tree, spades, "0.9")


def test_probabilities_and_actions_have_the_same_value() -> None:
    known = solver(GAME, GAME.parse_options())
    even = np.full((known.tree.num_info_sets, 2), 0.5)
    assert known.value(even, "0.9") == known.value(policy_of(known.tree, "random"), "0.9")
    best = known.solve("0.9")
    assert known.value(np.eye(2)[best.actions], "0.9").mean == best.value
    mixed = 0.75 * np.eye(2)[best.actions] + 0.25 * even
    assert known.value(even, 1).mean < known.value(mixed, 1).mean < known.value(best.actions, 1).mean


def test_gamma_is_a_number_or_a_string() -> None:
    assert check_gamma(0.9) == check_gamma("0.9") == check_gamma("9/10") == check_gamma(Fraction(9, 10))
    assert check_gamma(1) == 1


@pytest.mark.parametrize("gamma", [1.5, -1, float("nan"), float("inf"), "a", None, ""])
def test_gamma_outside_its_range_is_refused(gamma: Any) -> None:
    known = solver(GAME, GAME.parse_options())
    for method in (known.solve, lambda g: known.value(known.solve(1).actions, g)):
        with pytest.raises(CardgymError, match="allowed are numbers from 0 to 1"):
            method(gamma)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (np.zeros(7, np.int64), "shape"),
        (np.full(5536, 2), "probability 0 in state 0"),
        (np.full((5536, 2), 0.4), "probability 0.8"),
        (np.tile([1.5, -0.5], (5536, 1)), "negative"),
    ],
)
def test_policies_that_do_not_fit_are_refused(policy: Any, message: str) -> None:
    with pytest.raises(CardgymError, match=message):
        policy_value(solver(GAME, GAME.parse_options()).tree, policy)

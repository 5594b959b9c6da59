"""Value iteration, backward induction and the values of policies: One Play Poker, and a toy game with a cycle."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.contract import Options, no_symmetry, rule
from cardgym.solvers.enumeration import Mdp, enumerate_game
from cardgym.solvers.exact import backward_induction, exact_policy_value
from cardgym.solvers.policies import reduced
from cardgym.solvers.solve import solver
from cardgym.solvers.value_iteration import action_values, check_gamma, value_iteration

GAME = find("OnePlayPoker-v0")

# -- a toy: stop for 0.5, or toss a coin: heads pays 1 and ends the game, tails asks again -----------------------------

DECIDING, TOSSING, OVER = range(3)
STOP, TOSS = range(2)


@dataclasses.dataclass(frozen=True)
class CoinOptions(Options):
    num_players: ClassVar[int] = 1


@rule
def coin_setup(state: Any) -> None:
    state.phase = DECIDING


@rule
def coin_num_chance_outcomes(state: Any) -> int:
    return 2 if state.phase == TOSSING else 0


@rule
def coin_current_player(state: Any) -> int:
    return -1 if state.phase == OVER else 0


@rule
def coin_legal_action_mask(state: Any, mask: Any) -> None:
    mask[STOP] = 1
    mask[TOSS] = 1


@rule
def coin_apply_action(state: Any, move: int) -> None:
    if state.phase == DECIDING:
        state.phase = TOSSING if move == TOSS else OVER
        state.paid[0] = 0.5 if move == STOP else 0.0
    else:
        state.phase = OVER if move == 0 else DECIDING
        state.paid[0] = 1.0 if move == 0 else 0.0


COIN = dataclasses.replace(
    GAME,
    id="Coin-v0",
    state=np.dtype([("num_players", np.int32), ("phase", np.int32), ("paid", np.float32, (1,))], align=True),
    options=CoinOptions,
    rules=dataclasses.replace(
        GAME.rules,
        setup=coin_setup,
        num_chance_outcomes=coin_num_chance_outcomes,
        current_player=coin_current_player,
        legal_action_mask=coin_legal_action_mask,
        apply_action=coin_apply_action,
        canonical=no_symmetry,
    ),
    players={},
)


@pytest.fixture(scope="module")
def coin() -> Mdp:
    return enumerate_game(COIN, CoinOptions())


def test_a_game_with_a_cycle_is_solved(coin: Mdp) -> None:
    assert (coin.num_states, coin.num_chance, coin.num_ends) == (1, 1, 1)
    # Tossing for ever is worth 1/2 + 1/2 gamma v = v; stopping 1/2.
    for gamma in (0.5, 0.9, 1.0):
        solution = value_iteration(coin, gamma)
        assert solution.value == pytest.approx(0.5 / (1 - 0.5 * gamma), abs=1e-9)
        assert solution.actions.tolist() == [TOSS]
        assert solution.residual < 1e-10
    assert value_iteration(coin, 0).actions.tolist() == [STOP]  # Both are equally good: the first.


def test_a_larger_theta_takes_fewer_sweeps(coin: Mdp) -> None:
    rough, fine = value_iteration(coin, 0.9, theta=0.05), value_iteration(coin, 0.9, theta=1e-10)
    assert rough.sweeps < fine.sweeps
    assert rough.residual < 0.05


def test_backward_induction_refuses_cycles(coin: Mdp) -> None:
    with pytest.raises(CardgymError, match="use value iteration"):
        backward_induction(coin)
    with pytest.raises(CardgymError, match="use value iteration"):
        exact_policy_value(coin, "random")


# -- One Play Poker ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", ["0", "0.3", "9/10", "1"])
@pytest.mark.parametrize("decisions", [3, 4])
def test_value_iteration_equals_backward_induction(decisions: int, gamma: Any) -> None:
    known = solver(GAME, GAME.parse_options({"decisions": decisions}))
    swept, exact = known.solve(gamma), known.solve_exactly(gamma)
    assert swept.value == pytest.approx(float(exact.value), abs=1e-12)
    assert np.allclose(swept.values, [float(value) for value in exact.values], atol=1e-12)
    assert np.array_equal(swept.actions, exact.actions)
    assert swept.sweeps == (1 + decisions if gamma != "0" else 2)
    assert swept.residual < 1e-10


def test_symmetry_does_not_change_the_solution() -> None:
    known = solver(GAME, GAME.parse_options({"ranking": "pair_first"}))
    every, few = backward_induction(known.mdp, "0.9"), known.solve_exactly("0.9")
    assert every.value == few.value
    assert every.values == few.values
    assert np.array_equal(every.optimal, few.optimal)


def test_a_policy_that_depends_on_suits_is_valued_on_every_state() -> None:
    known = solver(GAME, GAME.parse_options())
    spades = (known.mdp.states["player"][:, 0] % 4 == 0).astype(np.int64)
    assert reduced(known.mdp, known.small, spades) is None
    assert known.value(spades, "0.9") == exact_policy_value(known.mdp, spades, "0.9")


def test_probabilities_and_actions_have_the_same_value() -> None:
    known = solver(GAME, GAME.parse_options())
    even = np.full((known.mdp.num_states, 2), 0.5)
    assert known.value(even, "0.9") == known.value("random", "0.9")
    best = known.solve_exactly("0.9")
    assert known.value(np.eye(2)[best.actions], "0.9").mean == best.value
    mixed = 0.75 * np.eye(2)[best.actions] + 0.25 * even
    assert known.value("random", 1).mean < known.value(mixed, 1).mean < known.value(best.actions, 1).mean


def test_the_highest_action_value_is_the_value() -> None:
    known = solver(GAME, GAME.parse_options())
    swept = known.solve("0.9")
    worth = action_values(known.mdp, swept.values, 0.9)
    assert np.allclose(worth.max(axis=1), swept.values, atol=1e-12)


def test_gamma_is_a_number_or_a_text() -> None:
    assert check_gamma(0.9) == check_gamma("0.9") == check_gamma("9/10") == check_gamma(Fraction(9, 10))
    assert check_gamma(1) == 1


@pytest.mark.parametrize("gamma", [1.5, -1, float("nan"), float("inf"), "a", None, ""])
def test_gamma_outside_its_range_is_refused(gamma: Any) -> None:
    known = solver(GAME, GAME.parse_options())
    for method in (known.solve, known.solve_exactly, lambda g: known.value("random", g)):
        with pytest.raises(CardgymError, match="allowed are numbers from 0 to 1"):
            method(gamma)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (np.zeros(7, np.int64), "shape"),
        (np.full(5536, 2), "probability 0 in state 0"),
        (np.full((5536, 2), 0.4), "probability 0.8"),
        (np.tile([1.5, -0.5], (5536, 1)), "negative"),
        ("optimum", "'random'"),
    ],
)
def test_policies_that_do_not_fit_are_refused(policy: Any, message: str) -> None:
    with pytest.raises(CardgymError, match=message):
        exact_policy_value(solver(GAME, GAME.parse_options()).mdp, policy)

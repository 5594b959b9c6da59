"""The players of Kuhn poker."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, State, rule, uniform
from kuhn_poker.rules import BET, JACK, KING, PASS, QUEEN


@rule
def honest(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Bet the king, pass the jack; with the queen call, but never bet."""
    if state.cards[seat] == KING:
        return BET
    return BET if state.cards[seat] == QUEEN and state.bets[1 - seat] == 1 else PASS


@rule
def equilibrium(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Kuhn's equilibrium with the largest alpha, 1/3 for an ante of one: no player can win more against it.

    The mixed actions make the other seat indifferent. With the pot P that a bet of 1 is made into, the jack bluffs once
    in P + 1; the queen calls often enough that bluffing with the jack gains nothing.
    """
    shares = 2 * (state.ante + 1) + 1  # P + 1.
    return BET if uniform(generator, shares) < _shares_to_bet(state, seat, shares) else PASS


@rule
def _shares_to_bet(state: State, seat: int, shares: int) -> int:
    card = state.cards[seat]
    if card == KING:
        return shares
    if state.bets[1 - seat] == 0:
        return 1 if card == JACK else 0
    if card == JACK:
        return 0
    return shares - 1 if seat == 0 else shares - 2


PLAYERS = {"honest": honest, "equilibrium": equilibrium}

"""What a seat knows as numbers: the observation, and the key of its information set."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Options, State, offsets, rule
from leduc_poker.rules import CALL, HIDDEN, MAX_RAISES, MOST, NUM_RANKS, RAISE

ROUND_ACTIONS = MAX_RAISES + 2  # The longest round: check, raise, raise, call.


def features(options: Options) -> tuple[Feature, ...]:
    """The features of the observation."""
    return (
        Feature("card", "one-hot: own card, jack, queen, king", NUM_RANKS),
        Feature("public", "one-hot: the public card; all 0 before it is dealt", NUM_RANKS),
        Feature("seat", "own seat"),
        Feature("round", "0 before the public card, 1 after it"),
        Feature("paid_in", f"own chips in the pot / {MOST}, the other's", 2),
        Feature("raises", f"raises in this round / {MAX_RAISES}"),
        Feature("actions", "each action of both rounds: whether it was a call, a raise", 2 * ROUND_ACTIONS * 2),
    )


CARD, PUBLIC, SEAT, ROUND, PAID_IN, RAISES, ACTIONS = offsets(features(Options())).values()
SIZE = ACTIONS + 4 * ROUND_ACTIONS


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation; `features` names its numbers."""
    for place in range(SIZE):
        out[place] = 0.0
    if state.cards[seat] != HIDDEN:
        out[CARD + state.cards[seat] // 2] = 1.0
    if state.public != HIDDEN:
        out[PUBLIC + state.public // 2] = 1.0
    out[SEAT] = seat
    out[ROUND] = state.betting_round
    out[PAID_IN] = state.paid_in[seat] / MOST
    out[PAID_IN + 1] = state.paid_in[1 - seat] / MOST
    out[RAISES] = state.raises / MAX_RAISES
    digits = 0
    while state.history >> (2 * digits) > 1:
        digits += 1
    round_number = 0
    place = 0
    for digit in range(digits - 1, -1, -1):
        action = (state.history >> (2 * digit)) & 3
        at = ACTIONS + 2 * (round_number * ROUND_ACTIONS + place)
        place += 1
        if action == CALL:
            out[at] = 1.0
        elif action == RAISE:
            out[at + 1] = 1.0
        elif action == 3:
            round_number = 1
            place = 0


@rule
def info_state_key(state: State, seat: int) -> int:
    """The information set: the ranks of the own and the public card, and all actions."""
    own = 0 if state.cards[seat] == HIDDEN else 1 + state.cards[seat] // 2
    public = 0 if state.public == HIDDEN else 1 + state.public // 2
    return int(state.history * 16 + public * 4 + own)

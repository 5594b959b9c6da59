"""What a seat knows as numbers: the observation, and the index of its information set."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, State, offsets, rule
from kuhn_poker.rules import NUM_CARDS, KuhnOptions


def features(options: KuhnOptions) -> tuple[Feature, ...]:
    """The features of the observation."""
    return (
        Feature("card", "one-hot: own card, jack, queen, king", NUM_CARDS),
        Feature("seat", "own seat"),
        Feature("bets", "own bet, the other's bet", 2),
        Feature("moves", "actions played / 3"),
    )


CARD, SEAT, BETS, MOVES = offsets(features(KuhnOptions())).values()


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation; `features` names its numbers."""
    for card in range(NUM_CARDS):
        out[CARD + card] = 1.0 if state.cards[seat] == card else 0.0
    out[SEAT] = seat
    out[BETS] = state.bets[seat]
    out[BETS + 1] = state.bets[1 - seat]
    out[MOVES] = state.moves / 3.0


@rule
def info_state_index(state: State, seat: int) -> int:
    """The information set of the seat to decide, from its card and the actions played; 0 at the end."""
    if state.winner >= 0:
        return 0
    return int(1 + max(state.cards[seat], 0) * 8 + min(state.history, 7))


info_state_key = info_state_index


def num_info_states(options: KuhnOptions) -> int:
    """The end, and three cards by histories 0 to 7; decisions are made at 12 of these 24."""
    return 1 + NUM_CARDS * 8


def info_state_keys(options: KuhnOptions) -> npt.NDArray[np.int64]:
    """The keys of all indices, (num_info_states,): a key is its index."""
    return np.arange(num_info_states(options))

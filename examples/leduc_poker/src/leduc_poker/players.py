"""The player of Leduc poker."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, State, rule
from leduc_poker.rules import CALL, FOLD, HIDDEN, JACK, KING, RAISE


@rule
def honest(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Raise with a pair or a king, fold a jack without a pair, otherwise call."""
    rank = state.cards[seat] // 2
    pair = state.public != HIDDEN and state.public // 2 == rank
    if pair or rank == KING:
        return RAISE if mask[RAISE] else CALL
    return FOLD if rank == JACK and mask[FOLD] else CALL


PLAYERS = {"honest": honest}

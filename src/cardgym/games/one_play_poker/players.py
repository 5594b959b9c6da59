"""The players of One Play Poker."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import CompiledPolicy, Generator, State, rule
from cardgym.games.one_play_poker.rules import BET, NUM_SUITS, PASS, WIN, is_flush, is_pair, result

_KING = 2


@rule
def handcrafted(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """The paper's handcrafted policy (section 4, "Playing the game").

    With one card out, bet on a king or an ace; with two, on a card higher than the house's; with three, on a pair or a
    flush; with four, for which the paper gives no rule, on the winning hand.
    """
    low = int(state.player[0])
    if state.dealt == 1:
        bet = low // NUM_SUITS >= _KING
    elif state.dealt == 2:
        bet = low // NUM_SUITS > int(state.house[0]) // NUM_SUITS
    elif state.dealt == 3:
        high = int(state.player[1])
        bet = is_pair(low, high) or is_flush(low, high)
    else:
        bet = result(state) == WIN
    return BET if bet else PASS


@rule
def always(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Bet after every card."""
    return BET


@rule
def never(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Never bet."""
    return PASS


PLAYERS: dict[str, CompiledPolicy] = {
    "handcrafted": handcrafted,
    "always": always,
    "never": never,
}

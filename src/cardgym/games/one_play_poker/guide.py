"""One Play Poker for people at a table: the end in one line, and the rules."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.one_play_poker.rules import FLUSH_FIRST, OVER, net_profit, pot, result


def ending(state: State, seat: int) -> str:
    """The end in one line."""
    if state.phase != OVER:
        return ""
    profit = float(net_profit(state, seat))
    won = ("The house wins", "A draw: you share", "You win")[result(state)]
    return f"{won} the pot of {pot(state)}: {profit:+g} for you"


def rules_text(state: State) -> str:
    """The rules with these options, for somebody who plays."""
    order = "A flush beats a pair, a pair beats a high card."
    if state.ranking != FLUSH_FIRST:
        order = "A pair beats a flush, a flush beats a high card."
    return f"""\
ONE PLAY POKER, you against the house

16 cards: jack, queen, king and ace of each suit. Everything lies face up. You and the house put 1 credit each into the
pot. Cards are dealt one by one: to you, to the house, to you, to the house.

After each of the first {state.decisions} cards you may bet 1 credit; the house always bets as much.
There is no folding.

With four cards out the better hand of two takes the pot, and equal hands share it. {order}
Of equal kinds the higher card wins, then the other one; suits do not count."""

"""Cribbage for people at a table: a picture for a small terminal, what is said aloud, the end, and the rules."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.cribbage.state import OVER, PLAYING
from cardgym.games.cribbage.text import describe

_SKUNK, _DOUBLE_SKUNK = 31, 61
"""A loser who lacks this many points or more is skunked, or doubly skunked: 90 and 60 of 121."""


def picture(state: State, seat: int) -> str:
    """The game as `describe` has it, with what each seat lacks to the right of the board, in 80 columns."""
    lines = describe(state, seat).splitlines()
    for row, other in ((1, seat), (2, 1 - seat)):
        lacks = int(state.target - state.scores[other])
        if lacks > 0:
            lines[row] += f" {lacks:>3}"
    return "\n".join(lines)


def remarks(before: State, move: int, after: State, seat: int) -> str:
    """A go that ends a pile, which the points alone would show."""
    if before.phase != PLAYING:
        return ""
    turn = int(before.turn)
    other = 1 - turn
    count = int(before.count) + min(move % 13 + 1, 10)
    ended = after.phase != PLAYING or after.pile_size == 0
    if not ended or count == 31 or before.num_played == 7 or before.said_go[other] or before.hand_size[other] == 0:
        return ""
    who = "You say" if other == seat else "Opponent says"
    return f"{who} go at {count}"


def ending(state: State, seat: int) -> str:
    """The end in one line, a skunk included."""
    if state.phase != OVER:
        return ""
    own, other, target = int(state.scores[seat]), int(state.scores[1 - seat]), int(state.target)
    if own == other:
        return f"Level, {own} to {other}"
    lacks = target - min(own, other)
    skunk = ""
    if max(own, other) >= target and target > _DOUBLE_SKUNK:
        skunk = ", a double skunk" if lacks >= _DOUBLE_SKUNK else ", a skunk" if lacks >= _SKUNK else ""
    return f"You {'win' if own > other else 'lose'} {own} to {other}{skunk}"


def rules_text(state: State) -> str:
    """The rules, for somebody who plays."""
    deals = f", or after {state.deals} deal{'s' if state.deals > 1 else ''}" if state.deals else ""
    skunks = f" A loser {_SKUNK} points short is skunked, {_DOUBLE_SKUNK} short doubly so."
    if state.target <= _DOUBLE_SKUNK:
        skunks = ""
    return f"""\
CRIBBAGE, two players, to {state.target} points{deals}

The cut for the first deal: the lower card deals, the ace is low. The deal then alternates. The other player is
called the pone.

The toss. Each has six cards, keeps four and tosses two into the crib, which is the dealer's. Then the starter is
cut; a jack gives the dealer 2 (heels).

The play. In turns, the pone first, each plays a card and the count grows by its worth: face cards 10, the ace 1.
The count may not pass 31. Who has no card that fits says go (the game says it for you); the other plays on, and
whoever played last scores 1, or 2 for exactly 31. Then the count starts again at 0.
A card scores: 2 for a count of 15; 2, 6 or 12 for the second, third or fourth card of one rank in a row; its
length for a run of three or more in any order.

The show. The pone's hand, the dealer's hand and the crib are counted with the starter: 2 for each fifteen, 2 for
each pair, a point a card for runs, 4 for a flush (5 with the starter; in the crib 5 only), 1 for the jack of the
starter's suit (nobs).

The first to reach {state.target} wins at once, even in the middle of the play or the show.{skunks}

The board has sixty holes a seat: # is the peg, a | stands at every tenth of the way, and the number to the right is
what is left to go."""

"""Corellian Spike for people at a table: the end in one line, and the rules."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.corellian_spike.state import BET, FLAT, OVER


def ending(state: State, seat: int) -> str:
    """The end in one line: credits and hands won."""
    if state.phase != OVER:
        return ""
    gained = int(state.stack[seat] - state.credits)
    hands = int(state.hands_won[seat])
    broke = [other for other in range(state.num_players) if state.stack[other] == 0]
    end = "" if not broke else ", you are broke" if seat in broke else f", seat {broke[0]} is broke"
    verb = "win" if gained > 0 else "lose" if gained < 0 else "keep your credits:"
    amount = f" {abs(gained)} credits" if gained else ""
    return f"You {verb}{amount} {'and take' if gained else ''} {hands} of {int(state.hand)} hands{end}".replace(
        "  ", " "
    )


def rules_text(state: State) -> str:
    """The rules with these options, for somebody who plays."""
    extra = ""
    if state.special_hands:
        extra += (
            "\n\nSpecial hands beat all others, in this order: Idiot's Array (0, 2, 3 or 0, -2, -3), Pure Sabacc (two"
            "\n0s), Full Sabacc (0, 10, -10), Yee-Haa (0 and another number with both signs)."
        )
    if state.cheat >= 0:
        extra += (
            f"\n\nSeat {state.cheat} cheats: it hides a fourth card when the hand is dealt, and may swap a hand card"
            "\nfor it before the showdown. Nobody sees it."
        )
    raising = "costs 2, and each of the others then pays 2 to match"
    if state.betting != FLAT:
        raising = "costs what is owed and 2 more, which the others must match"
    return f"""\
CORELLIAN SPIKE, the Sabacc of the films, {state.num_players} players, at most {state.hands} hands

62 cards: two 0s and three of each number from -10 to -1 and from 1 to 10. The sum nearest to 0 wins the pool.

A hand. Everybody puts {BET} credits into the pool and is dealt two cards. After the first betting each is dealt a
third card, face up: the spike. Then there are three rounds:
  1. In turns you may buy a card for {BET} credits and put it in the place of a card you hold, or discard it. What goes
     away lies face up.
  2. Betting: raise, match or fold. A raise {raising}.
  3. Two dice are rolled. On doubles everybody's two hand cards are drawn anew; on double ones the spikes too.

The showdown. The sum nearest to 0 takes the pool; of equal ones a sum of 0 or more beats one below, then the highest
sum of positive cards counts, then the highest positive card. If all others have folded, the last one takes it.{extra}

The game ends after {state.hands} hands, or when somebody has no credits left. Each begins with {state.credits}."""

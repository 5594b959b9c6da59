"""Kuhn poker for people: the actions and moves in words, two opponents, and what a table shows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import CompiledPolicy, Generator, State, Words, rule, uniform
from cardgym.table.drawings.playing_cards import pack
from cardgym.table.presentation import Lesson, Presentation
from cardgym.table.views import Item, Reveal, View, Zone, reveal
from kuhn_poker import BET, HIDDEN, JACK, KING, PASS, QUEEN, current_player, num_chance_outcomes

RANKS = ("jack", "queen", "king")

# -- words ------------------------------------------------------------------------------------------------------------


def action_text(state: State, action: int) -> str:
    """What players call the two actions, before and after a bet."""
    return (("fold", "call") if state.bets[0] != state.bets[1] else ("check", "bet"))[action]


def narrate(before: State, move: int, after: State, seat: int) -> str:
    """What a seat saw of a move: its own card, what either seat does, and who wins."""
    if num_chance_outcomes(before) > 0:
        dealt = 0 if before.cards[0] == HIDDEN else 1
        return f"You are dealt the {RANKS[after.cards[seat]]}" if seat == dealt else ""
    who, s = ("You", "") if before.moves % 2 == seat else (f"Seat {before.moves % 2}", "s")
    text = f"{who} {action_text(before, move)}{s}{' 1 chip' if move == BET else ''}"
    if current_player(after) < 0:
        winner, pot = int(after.paid[1] > 0), 2 + after.bets.sum()
        text += f"\n{'You win' if winner == seat else f'Seat {winner} wins'} the pot of {pot}"
    return text


WORDS = Words(action_text=action_text, narrate=narrate)

# -- players ----------------------------------------------------------------------------------------------------------


@rule
def honest(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Bet the king, pass the jack; with the queen call, but never bet."""
    return BET if state.cards[seat] == KING or (state.cards[seat] == QUEEN and state.bets[1 - seat] == 1) else PASS


@rule
def equilibrium(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Kuhn's equilibrium with the largest alpha, 1/3: it bluffs with a third of its jacks."""
    thirds = 3 if state.cards[seat] == KING else 0  # How often it bets.
    if state.cards[seat] == QUEEN and state.bets[1 - seat] == 1:
        thirds = 2 - seat
    elif state.cards[seat] == JACK and state.bets[1 - seat] == 0:
        thirds = 1
    return BET if uniform(generator, 3) < thirds else PASS


PLAYERS: dict[str, CompiledPolicy] = {"honest": honest, "equilibrium": equilibrium}

# -- the table --------------------------------------------------------------------------------------------------------


def ending(state: State, seat: int) -> str:
    """The end in one line, with what decided it."""
    if current_player(state) >= 0:
        return ""
    winner = 0 if state.paid[0] > 0 else 1
    chips = f"{int(state.paid[winner])} chip{'s' if state.paid[winner] > 1 else ''}"
    won = f"You win {chips}" if winner == seat else f"You lose {chips}" if seat >= 0 else f"Seat {winner} wins {chips}"
    if state.bets[0] != state.bets[1]:
        return f"{won}: {'you' if 1 - winner == seat else f'Seat {1 - winner}'} folded"
    return f"{won}: the {RANKS[state.cards[winner]]} beats the {RANKS[state.cards[1 - winner]]}"


def reveals(before: State, move: int, after: State, seat: int) -> list[Reveal]:
    """The outcome as a banner."""
    name, _, reason = ending(after, seat).partition(": ")
    return [reveal(name, [reason], banner=True)] if name else []


def view(state: State, seat: int) -> View:
    """Both cards, the one that is left over, and the bets; a showdown turns the other's card up."""
    is_showdown = current_player(state) < 0 and state.bets[0] == state.bets[1]
    left_over: Item = {"id": "left over", "symbol": "card-back", "label": "the third card, face down"}
    table: View = {"to_act": -1, "zones": [], "counters": [], "actions": {}}
    table["zones"].append({"name": "Left over", "seat": None, "kind": "pile", "items": [left_over]})
    table["counters"].append({"name": "Pot", "value": 2 + int(state.bets.sum()), "seat": None})
    for owner in (1 - max(seat, 0), max(seat, 0)):
        card = int(state.cards[owner])
        item: Item = {"id": f"card:{owner}", "symbol": "card-back", "label": "card, face down"}
        if card == HIDDEN:
            item |= {"symbol": "card-slot", "label": "not dealt yet"}
        elif seat in (owner, -1) or is_showdown:
            item |= {"symbol": f"card-{'JQK'[card]}S", "label": RANKS[card]}
        hand: Zone = {"name": "Your card" if owner == seat else "Card", "seat": owner, "kind": "hand", "items": [item]}
        table["zones"].append(hand)
        table["counters"].append({"name": "Paid in", "value": 1 + int(state.bets[owner]), "seat": owner})
    return table


LESSON = Lesson(
    opponent="equilibrium",
    seed=37,
    steps=(
        (
            PASS,
            "Your queen beats the jack and loses to the king. If you bet, the jack folds and the king calls: check.",
        ),
        (BET, "The opponent bets every king, but also one jack in three, as a bluff. Call: 1 chip can win a pot of 4."),
    ),
    closing="The jack was a bluff: the pot is yours. If you never called, every bluff would win.",
)
"""A bluff that is called."""

TABLE = Presentation(
    view=view,
    reveals=reveals,
    ending=ending,
    symbols=lambda: pack("JQK", "S"),
    lessons={"KuhnPoker-v0": LESSON},
)

"""What people see of Leduc poker at a table."""

from __future__ import annotations

from cardgym.engine.contract import YOU, Names, State, inside
from cardgym.table.drawings.playing_cards import pack
from cardgym.table.presentation import Lesson, Presentation
from cardgym.table.views import Item, Reveal, View, Zone, reveal
from leduc_poker.rules import CALL, HIDDEN, RAISE, SPLIT
from leduc_poker.text import card_name


def _is_showdown(state: State) -> bool:
    return bool(state.winner >= 0 and state.paid_in[0] == state.paid_in[1])


def ending(state: State, seat: int, names: Names) -> str:
    """The end in one line, with what decided it."""
    winner = int(state.winner)
    if winner < 0:
        return ""
    if winner == SPLIT:
        return f"The pot is split: both hold a {card_name(state.cards[0])}"
    chips = f"{int(state.paid[winner])} chip{'s' if state.paid[winner] > 1 else ''}"
    won = f"{names.does(winner, 'win') if seat in (winner, -1) else names.does(seat, 'lose')} {chips}"
    if not _is_showdown(state):
        return f"{won}: {inside(names[1 - winner])} folded"
    better, worse = card_name(state.cards[winner]), card_name(state.cards[1 - winner])
    if state.cards[winner] // 2 == state.public // 2:
        return f"{won}: a pair of {better}s beats the {worse}"
    return f"{won}: the {better} beats the {worse}"


def reveals(before: State, move: int, after: State, seat: int, names: Names) -> list[Reveal]:
    """The outcome as a banner."""
    name, _, reason = ending(after, seat, names).partition(": ")
    return [reveal(name, [reason], banner=True)] if name else []


def _card(id: str, card: int, seen: bool = True) -> Item:
    if card == HIDDEN:
        return {"id": id, "symbol": "card-slot", "label": "not dealt yet"}
    if not seen:
        return {"id": id, "symbol": "card-back", "label": "card, face down"}
    return {"id": id, "symbol": f"card-{'JQK'[card // 2]}{'SH'[card % 2]}", "label": card_name(card)}


def view(state: State, seat: int, names: Names) -> View:
    """Both hands, the public card and the pot; a showdown turns the other's card up."""
    zones: list[Zone] = [
        {"name": "Public card", "seat": None, "kind": "pile", "items": [_card("public", int(state.public))]}
    ]
    table: View = {"to_act": -1, "zones": zones, "counters": [], "actions": {}}
    table["counters"].append({"name": "Pot", "value": int(state.paid_in.sum()), "seat": None})
    table["counters"].append({"name": "Round", "value": f"{int(state.betting_round) + 1} of 2", "seat": None})
    table["counters"].append({"name": "A raise is", "value": 4 if state.betting_round else 2, "seat": None})
    for owner in (1 - max(seat, 0), max(seat, 0)):
        card = _card(f"card:{owner}", int(state.cards[owner]), seat in (owner, -1) or _is_showdown(state))
        name = "Your card" if names[owner] == YOU else "Card"
        zones.append({"name": name, "seat": owner, "kind": "hand", "items": [card]})
        table["counters"].append({"name": "Paid in", "value": int(state.paid_in[owner]), "seat": owner})
    return table


LESSON = Lesson(
    opponent="honest",
    seed=17,
    steps=(
        (CALL, "Your queen beats a jack and loses to a king. A card for both is still to come: check, and see."),
        (CALL, "The raise looks like a king. But one public card in four is a queen and gives you a pair: call 2."),
        (RAISE, "A queen: you have a pair, and nobody else can have one. Raise by 4."),
        (CALL, "Raised again, and two raises are the limit of a round: call 4."),
    ),
    closing="A pair beats the king: the pot is yours. A single card wins only where nobody has a pair.",
)
"""A pair that comes with the public card."""

TABLE = Presentation(
    view=view, reveals=reveals, ending=ending, symbols=lambda: pack("JQK", "SH"), lessons={"LeducPoker-v0": LESSON}
)

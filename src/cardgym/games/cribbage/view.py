"""What a person sees of cribbage: the board, the hands, the crib, the play; and every score point by point."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.cribbage import guide
from cardgym.games.cribbage.board import hole, hole_of
from cardgym.games.cribbage.cards import CARDS, RANKS, card_name
from cardgym.games.cribbage.drawing import symbols
from cardgym.games.cribbage.ranks import EMPTY
from cardgym.games.cribbage.state import (
    CUTTING,
    HEELS,
    NUM_ACTIONS,
    PLAYING,
    STARTER,
    TOSSES,
    TOSSING,
)
from cardgym.games.cribbage.strength import DEAL_STRENGTH, STRENGTH
from cardgym.games.cribbage.text import count_aloud, counted_hands, play_points, says_go
from cardgym.table.presentation import Presentation
from cardgym.table.views import Counter, Item, Reveal, View, Zone

_RANK_NAMES = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")
_SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def _card(id: str, card: int, seen: bool = True, hidden: str = "card, face down") -> Item:
    if card == EMPTY:
        return {"id": id, "symbol": "card-slot", "label": "no card"}
    if not seen:
        return {"id": id, "symbol": "card-back", "label": hidden}
    name = card_name(card)
    label = f"{_RANK_NAMES[RANKS.index(name[0])]} of {_SUIT_NAMES[name[1]]}"
    return {"id": id, "symbol": f"card-{name}", "label": label}


def _name(other: int, seat: int) -> str:
    return f"Seat {other}" if seat < 0 else "You" if other == seat else "Opponent"


def view(state: State, seat: int) -> View:
    """The board, both hands, the crib and the starter, the cards played and the count."""
    own = max(seat, 0)
    zones: list[Zone] = [_board(state, seat)]
    counters: list[Counter] = []
    for other in (1 - own, own):
        name = "Your hand" if other == seat else f"{_name(other, seat)}'s hand"
        zones.append({"name": name, "seat": other, "kind": "hand", "items": _hand(state, other, seat)})
        counters.append({"name": "Points", "value": int(state.scores[other]), "seat": other})
        if state.dealer == other:
            counters.append({"name": "Dealer", "value": "own crib", "seat": other})
    starter: list[Item] = [{**_card("starter", int(state.starter)), "caption": "starter"}]
    zones.append({"name": "Starter", "seat": None, "kind": "pile", "items": starter})
    zones.append({"name": "Crib", "seat": None, "kind": "pile", "items": _crib(state, seat)})
    if state.phase == PLAYING or state.num_played:
        zones.append({"name": "The play", "seat": None, "kind": "row", "items": _played(state, seat)})
        counters.append({"name": "Count", "value": int(state.count), "seat": None})
    counters.append({"name": "Deal", "value": int(state.deal_number) + 1, "seat": None})
    actions: dict[int, list[str]] = {}
    if state.phase == TOSSING:
        for action in range(CARDS, NUM_ACTIONS):
            actions[action] = [f"{own}:{int(state.hand[own, place])}" for place in TOSSES[action - CARDS]]
    elif state.phase == PLAYING:
        actions = {int(card): [f"{own}:{int(card)}"] for card in state.hand[own, : state.hand_size[own]]}
    return {"to_act": -1, "zones": zones, "counters": counters, "actions": actions}


def _board(state: State, seat: int) -> Zone:
    target = int(state.target)
    items: list[Item] = []
    for other in range(2):
        score = int(state.scores[other])
        x, y = hole(other, hole_of(score, target))
        whose = "Your" if other == seat else f"{_name(other, seat)}'s"
        label = f"{whose} peg at {score} of {target}"
        items.append({"id": f"peg:{other}", "symbol": f"peg-{other}", "label": label, "x": x, "y": y})
    return {"name": "Board", "seat": None, "kind": "board", "items": items, "symbol": "board"}


def _hand(state: State, owner: int, seat: int) -> list[Item]:
    cards = [int(card) for card in state.hand[owner, : state.hand_size[owner]]]
    if seat in (owner, -1):
        return [_card(f"{owner}:{card}", card) for card in cards]
    return [_card(f"{owner}:back{place}", card, False) for place, card in enumerate(cards)]


def _crib(state: State, seat: int) -> list[Item]:
    items = []
    for place, card in enumerate(int(card) for card in state.crib):
        if card != EMPTY:
            item = _card(f"crib:{place}", card, seat in (place // 2, -1), "card in the crib, face down")
            items.append(item)
    return items


def _played(state: State, seat: int) -> list[Item]:
    """The cards played; those before the last restart of the count are faded."""
    items = []
    start = int(state.num_played) - int(state.pile_size)
    for place in range(int(state.num_played)):
        owner = int(state.played_by[place])
        item = _card(f"played:{place}", int(state.played[place]))
        item["label"] += f", played by {_name(owner, seat).lower()}"
        item["caption"] = "you" if owner == seat else "opp." if seat >= 0 else f"seat {owner}"
        if place < start:
            item["faded"] = True
        items.append(item)
    return items


def reveals(before: State, move: int, after: State, seat: int) -> list[Reveal]:
    """Cuts, points scored in the play, and the show: each hand counted aloud."""
    if before.phase == CUTTING:
        who = _name(int(before.turn), seat)
        verb = "cut" if before.turn == seat else "cuts"
        item = _card("cut", int(before.deck[move]))
        return [{"name": f"{who} {verb}", "items": [item], "lines": [item["label"]], "total": ""}]
    if before.phase == STARTER:
        heels = int(after.tally[before.dealer, HEELS]) - int(before.tally[before.dealer, HEELS])
        item = _card("starter", int(before.deck[move]))
        lines = ["two for his heels to the dealer"] if heels else []
        total = f"{_name(int(before.dealer), seat)} +{heels}" if heels else ""
        return [{"name": "The starter", "items": [item], "lines": lines, "total": total}]
    if before.phase != PLAYING:
        return []
    shown: list[Reveal] = []
    gained, reasons = play_points(before, move, after)
    who = _name(int(before.turn), seat)
    if gained:
        start = int(before.num_played) - int(before.pile_size)
        cards = [*(int(card) for card in before.played[start : before.num_played]), move]
        items = [_card(f"show:{place}", card) for place, card in enumerate(cards)]
        shown.append(
            {"name": f"{who} in the play", "items": items, "lines": count_aloud(reasons), "total": f"+{gained}"}
        )
    if says_go(before, move, after):
        verb = "say" if before.turn != seat >= 0 else "says"
        shown.append({"name": f"{_name(1 - int(before.turn), seat)} {verb} go", "items": [], "lines": [], "total": ""})
    for hand in counted_hands(before, after):
        whose = "Your" if hand.owner == seat else f"{_name(hand.owner, seat)}'s"
        items = [_card(f"show:{card}", card) for card in hand.cards]
        items.append({**_card("show:starter", hand.starter), "caption": "starter"})
        lines = count_aloud(hand.reasons) or ["nothing"]
        shown.append({"name": f"{whose} {hand.what}", "items": items, "lines": lines, "total": f"+{hand.gained}"})
    return shown


TABLE = Presentation(
    view=view,
    reveals=reveals,
    board=guide.picture,
    ending=guide.ending,
    remarks=guide.remarks,
    rules_text=guide.rules_text,
    symbols=symbols,
    adviser="cardgym.games.cribbage.adviser:adviser",
    strength={"Cribbage-v0": STRENGTH, "CribbageDeal-v0": DEAL_STRENGTH},
)

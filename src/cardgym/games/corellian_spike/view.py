"""What a person sees of Corellian Spike: the hands, the spikes, the piles, the dice; and rolls and showdowns."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.corellian_spike import guide
from cardgym.games.corellian_spike.drawing import symbols
from cardgym.games.corellian_spike.piles import card_sum
from cardgym.games.corellian_spike.state import (
    BUY,
    CHEATING,
    DICE,
    DISCARD,
    EMPTY,
    HIGH_SLOT,
    LOW_SLOT,
    OVER,
    PLACING,
    SPIKE_SLOT,
    SWAP_HIGH,
    SWAP_LOW,
    SWAP_SPIKE,
)
from cardgym.games.corellian_spike.strength import STRENGTH
from cardgym.games.corellian_spike.text import special_name
from cardgym.table.presentation import Presentation
from cardgym.table.views import Counter, Item, Reveal, View, Zone

_SLOTS = ("lower hand card", "higher hand card", "spike")
_SWAPS = {SWAP_LOW: LOW_SLOT, SWAP_HIGH: HIGH_SLOT, SWAP_SPIKE: SPIKE_SLOT}


def view(state: State, seat: int) -> View:
    """Own cards, everyone's spikes and credits, the piles, the dice, the pool."""
    zones: list[Zone] = []
    counters: list[Counter] = [
        {"name": "Pool", "value": int(state.pool), "seat": None},
        {"name": "Hand", "value": f"{min(state.hand + 1, state.hands)} of {state.hands}", "seat": None},
        {"name": "Round", "value": f"{max(int(state.round_number), 1)} of 3", "seat": None},
    ]
    for ahead in range(1, int(state.num_players) + 1):
        other = (max(seat, 0) + ahead) % int(state.num_players)
        name = "Your hand" if other == seat else f"Seat {other}"
        zones.append({"name": name, "seat": other, "kind": "hand", "items": _hand(state, other, seat)})
        counters.append({"name": "Credits", "value": int(state.stack[other]), "seat": other})
        counters.append({"name": "Hands won", "value": int(state.hands_won[other]), "seat": other})
        if state.folded[other]:
            counters.append({"name": "Out", "value": "folded", "seat": other})
        if other == seat or seat < 0:
            counters.append({"name": "Sum", "value": f"{card_sum(state, other):+d}", "seat": other})
    zones += _table(state)
    actions = {action: [f"{seat}:{slot}"] for action, slot in _SWAPS.items()}
    actions[DISCARD] = [f"{seat}:{'sleeve' if state.phase == CHEATING else 'bought'}"]
    actions[BUY] = ["pile"]
    return {"to_act": -1, "zones": zones, "counters": counters, "actions": actions}


def _hand(state: State, owner: int, seat: int) -> list[Item]:
    """The two hand cards, the spike, and a card just bought."""
    items: list[Item] = []
    for slot in range(3):
        seen = slot == SPIKE_SLOT or seat in (owner, -1)
        item = _card(f"{owner}:{slot}", int(state.cards[owner, slot]), seen, _SLOTS[slot] if seen else "hand card")
        if slot == SPIKE_SLOT:
            item["caption"] = "spike"
        if state.folded[owner]:
            item["faded"] = True
        items.append(item)
    if state.phase == PLACING and state.turn == owner:
        bought = _card(f"{owner}:bought", int(state.extra), seat in (owner, -1), "bought card")
        items.append({**bought, "caption": "bought"})
    if state.cheat == owner and seat in (owner, -1):  # Nobody else sees that there is such a card.
        swapping = state.phase == CHEATING
        secret = _card(f"{owner}:sleeve", int(state.extra if swapping else state.sleeve), True, "card up the sleeve")
        items.append({**secret, "caption": "sleeve"})
    return items


def _card(id: str, value: int, seen: bool, what: str) -> Item:
    if value == EMPTY:
        return {"id": id, "symbol": "card-slot", "label": f"no {what}"}
    if not seen:
        return {"id": id, "symbol": "card-back", "label": f"{what}, face down"}
    return {"id": id, "symbol": f"card{value:+d}", "label": f"{what} {_spoken(value)}"}


def _spoken(value: int) -> str:
    return f"plus {value}" if value > 0 else f"minus {-value}" if value < 0 else "zero"


def _table(state: State) -> list[Zone]:
    size, discarded = int(state.deck_size), int(state.discards_size)
    pile: list[Item] = [
        {"id": "pile", "symbol": "card-back", "label": f"draw pile, {size} cards", "caption": f"draw pile {size}"}
    ]
    top = int(state.discards[discarded - 1]) if discarded else EMPTY
    discards = _card("discards", top, True, "discard")
    discards["caption"] = f"discards {discarded}"
    discards["label"] = (
        f"discard pile, {discarded} cards, on top {_spoken(top)}" if discarded else "discard pile, empty"
    )
    zones: list[Zone] = [
        {"name": "Draw pile", "seat": None, "kind": "pile", "items": pile},
        {"name": "Discards", "seat": None, "kind": "pile", "items": [discards]},
    ]
    if state.dice >= 0:
        zones.append({"name": "Last roll", "seat": None, "kind": "dice", "items": _dice(int(state.dice))})
    return zones


def _dice(roll: int) -> list[Item]:
    values = (roll // 6 + 1, roll % 6 + 1)
    return [
        {"id": f"die:{place}", "symbol": f"die-{value}", "label": f"die {value}"} for place, value in enumerate(values)
    ]


def reveals(before: State, move: int, after: State, seat: int) -> list[Reveal]:
    """A roll and what it does, and the showdown with every sum."""
    shown: list[Reveal] = []
    if before.phase == DICE:
        first, second = move // 6 + 1, move % 6 + 1
        line, total = f"{first} and {second}: no doubles, the hands stay", "nothing happens"
        if first == second:
            line = f"{first} and {second}: doubles" + (", and ones" if first == 1 else "")
            total = "new hands and new spikes for all" if first == 1 else "new hands for all"
        shown.append({"name": "Spike dice", "items": _dice(move), "lines": [line], "total": total})
    if after.hand == before.hand:
        return shown
    for other in range(int(after.num_players)):
        cards = [int(card) for card in after.shown[other]]
        if EMPTY not in cards:
            lines = [" ".join(f"{card:+d}" for card in cards) + f" make {sum(cards):+d}"]
            lines.append(f"{abs(sum(cards))} away from zero" if sum(cards) else "exactly zero")
            if named := special_name(after, other):
                lines.append(named)
            items = [_card(f"shown:{other}:{slot}", card, True, _SLOTS[slot]) for slot, card in enumerate(cards)]
            name = "You show" if other == seat else f"Seat {other} shows"
            shown.append({"name": name, "items": items, "lines": lines, "total": f"{sum(cards):+d}"})
    winner = int(after.last_winner)
    name = "You win" if winner == seat else f"Seat {winner} wins"
    over = ["the last hand: the game is over"] if after.phase == OVER else []
    shown.append({"name": name, "items": [], "lines": over, "total": f"the pool of {int(after.last_pool)}"})
    return shown


TABLE = Presentation(
    view=view,
    reveals=reveals,
    ending=guide.ending,
    rules_text=guide.rules_text,
    symbols=symbols,
    adviser="cardgym.games.corellian_spike.adviser:adviser",
    strength={"CorellianSpike-v0": STRENGTH},
)

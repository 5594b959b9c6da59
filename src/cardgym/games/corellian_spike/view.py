"""The table of Corellian Spike: its view, reveals, rules text, player strengths and pictures."""

from __future__ import annotations

from typing import Any, NamedTuple

from cardgym.engine.contract import YOU, Game, Names, State, inside
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.hand import card_sum, slot_of, special_hand
from cardgym.games.corellian_spike.rounds import card_price, may_raise, owed
from cardgym.games.corellian_spike.text import SLOT_NAMES, board, signed
from cardgym.table.coach.advice import Adviser
from cardgym.table.drawings.shapes import SLOT, box, disc, half_turned, path, placed, text
from cardgym.table.presentation import OptionWords, Presentation, lessons, measured
from cardgym.table.views import Counter, Item, Reveal, Symbol, View, Zone, reveal


def view(state: State, seat: int, names: Names) -> View:
    """Return the seat's cards, everyone's spikes and credits, the piles, the dice, the pool."""
    zones: list[Zone] = []
    counters: list[Counter] = [
        {"name": "Pool", "value": int(state.pool), "seat": None, "chips": True},
        {"name": "Hand", "value": f"{min(state.hand + 1, state.hands)} of {state.hands}", "seat": None},
        {"name": "Round", "value": f"{max(int(state.round_number), 1)} of {int(state.rounds)}", "seat": None},
    ]
    for ahead in range(1, int(state.num_players) + 1):
        other = (max(seat, 0) + ahead) % int(state.num_players)
        name = "Your hand" if names[other] == YOU else names[other]
        room = 4 if state.cheat < 0 else 5
        zones.append({"name": name, "seat": other, "kind": "hand", "items": _hand(state, other, seat), "room": room})
        counters.append({"name": "Credits", "value": int(state.stack[other]), "seat": other, "chips": True})
        known = other == seat or seat < 0
        total = "folded" if state.folded[other] else signed(card_sum(state, other)) if known else "?"
        counters.append({"name": "Sum", "value": total, "seat": other})
        counters.append({"name": "Hands won", "value": int(state.hands_won[other]), "seat": other})
    zones += _table(state)
    actions = {swap: [f"{seat}:{slot_of(swap)}"] for swap in (sabacc.SWAP_SPIKE, sabacc.SWAP_LOW, sabacc.SWAP_HIGH)}
    actions[sabacc.DISCARD] = [f"{seat}:{'sleeve' if state.phase == sabacc.CHEATING else 'bought'}"]
    actions[sabacc.BUY] = ["pile"]
    return {"to_act": -1, "zones": zones, "counters": counters, "actions": actions}


def label(state: State, action: int) -> str:
    """Return what becomes of a bought card, with the sum that it leaves."""
    if state.phase not in (sabacc.PLACING, sabacc.CHEATING) or state.extra == sabacc.EMPTY:
        return ""
    total = card_sum(state, state.turn)
    if action == sabacc.DISCARD:
        words = "keep your hand" if state.phase == sabacc.CHEATING else f"discard {signed(state.extra)}"
        return f"{words}: sum {signed(total)}"
    replaced = state.cards[state.turn, slot_of(action)]
    spike = "spike " if action == sabacc.SWAP_SPIKE else ""
    return f"swap {spike}{signed(replaced)}: sum {signed(total + state.extra - replaced)}"


def _hand(state: State, owner: int, seat: int) -> list[Item]:
    items: list[Item] = []
    for slot in range(3):
        seen = slot == sabacc.SPIKE_SLOT or seat in (owner, -1)
        item = _card(f"{owner}:{slot}", int(state.cards[owner, slot]), seen, SLOT_NAMES[slot] if seen else "hand card")
        if slot == sabacc.SPIKE_SLOT:
            item["caption"] = "spike"
        if state.folded[owner]:
            item["faded"] = True
        items.append(item)
    if state.phase == sabacc.PLACING and state.turn == owner:
        bought = _card(f"{owner}:bought", int(state.extra), seat in (owner, -1), "bought card")
        items.append({**bought, "caption": "bought"})
    if state.cheat == owner and seat in (owner, -1):  # Hidden from everyone else.
        swapping = state.phase == sabacc.CHEATING
        secret = _card(f"{owner}:sleeve", int(state.extra if swapping else state.sleeve), True, "card up the sleeve")
        items.append({**secret, "caption": "sleeve"})
    return items


def _card(id: str, value: int, seen: bool, what: str) -> Item:
    if value == sabacc.EMPTY:
        return {"id": id, "symbol": "card-slot", "label": f"no {what}"}
    if not seen:
        return {"id": id, "symbol": "card-back", "label": f"{what}, face down"}
    return {"id": id, "symbol": f"card{value:+d}", "label": f"{what} {_spoken(value)}"}


def _spoken(value: int) -> str:
    return f"plus {value}" if value > 0 else f"minus {-value}" if value < 0 else "zero"


def _cards(count: int) -> str:
    return f"{count} card{'s' * (count != 1)}"


def _table(state: State) -> list[Zone]:
    size, discarded = int(state.deck_size), int(state.discards_size)
    pile: list[Item] = [
        {"id": "pile", "symbol": "card-back", "label": f"draw pile, {_cards(size)}", "caption": str(size)}
    ]
    top = int(state.discards[discarded - 1]) if discarded else sabacc.EMPTY
    discards = _card("discards", top, True, "discard")
    discards["caption"] = str(discarded)
    discards["label"] = (
        f"discard pile, {_cards(discarded)}, on top {_spoken(top)}" if discarded else "discard pile, empty"
    )
    zones: list[Zone] = [
        {"name": "Draw pile", "seat": None, "kind": "pile", "items": pile},
        {"name": "Discards", "seat": None, "kind": "pile", "items": [discards]},
    ]
    rolled = _dice(int(state.dice)) if state.dice >= 0 else []
    zones.append({"name": "Last roll", "seat": None, "kind": "dice", "items": rolled, "room": 2})
    return zones


def _dice(roll: int) -> list[Item]:
    values = (roll // 6 + 1, roll % 6 + 1)
    return [
        {"id": f"die:{place}", "symbol": f"die-{value}", "label": f"die {value}"} for place, value in enumerate(values)
    ]


def reveals(before: State, move: int, after: State, seat: int, names: Names) -> list[Reveal]:
    found: list[Reveal] = []
    if before.phase == sabacc.DICE:
        first, second = move // 6 + 1, move % 6 + 1
        line, total = f"{first} and {second}: no doubles, the hands stay", "nothing happens"
        if first == second:
            line = f"{first} and {second}: doubles" + (", and ones" if first == 1 else "")
            total = "new hands and new spikes for all" if first == 1 else "new hands for all"
        if first == second or after.hand == before.hand:  # At a showdown, what decided matters more.
            found.append(reveal("Spike dice", [line], _dice(move), total))
    if after.hand == before.hand:
        return found
    won = f"{names.does(int(after.last_winner), 'win')} the pool of {int(after.last_pool)}"
    return [*found, reveal(won, [deciding_rule(after)], banner=True)]


def showdown(before: State, move: int, after: State, seat: int, names: Names) -> View | None:
    """Get the table at the end of a hand: the pool is paid, and the hands that the showdown has revealed lie open."""
    if after.hand == before.hand:
        return None
    table = view(_paid(before, move, after), seat, names)
    for zone in table["zones"]:
        owner = zone["seat"]
        if owner is not None and after.showdown_hands[owner, sabacc.SPIKE_SLOT] != sabacc.EMPTY:
            cards = [int(card) for card in after.showdown_hands[owner]]
            zone["items"] = [_card(f"{owner}:{slot}", card, True, SLOT_NAMES[slot]) for slot, card in enumerate(cards)]
            for counter in table["counters"]:
                if counter["name"] == "Sum" and counter["seat"] == owner:
                    counter["value"] = signed(sum(cards))
    return table


def _paid(before: State, move: int, after: State) -> State:
    """Return the hand that has just ended, with its last roll, once its winner has the pool."""
    state, winner = before.copy(), int(after.last_winner)
    state.stack[winner] += after.last_pool
    state.hands_won[winner] += 1
    state.pool = 0
    if before.phase == sabacc.DICE:
        state.dice = move
    return state


# -- the end and the rules ---------------------------------------------------------------------------------------------


def ending(state: State, seat: int, names: Names) -> str:
    if state.phase != sabacc.OVER:
        return ""
    gained = int(state.stack[seat] - state.credits)
    hands = int(state.hands_won[seat])
    broke = [other for other in range(state.num_players) if state.stack[other] == 0]
    first = seat if seat in broke else broke[0] if broke else -1
    end = f", {inside(names.does(first, 'are', 'is'))} broke" if broke else ""
    result = f"{names.does(seat, 'win' if gained > 0 else 'lose')} {abs(gained)} credits"
    if gained == 0:
        result = names.does(seat, "keep your credits", "keeps the credits")
    return f"{result}; hands won: {hands} of {int(state.hand)}{end}"


def tip(state: State, seat: int) -> str:
    total = card_sum(state, seat)
    now = f"Your cards make {signed(total)}"
    if state.phase == sabacc.BUYING:
        price = card_price(state)
        if state.stack[seat] < price:
            return f"{now}. A card costs {price} credits, which you do not have."
        return f"{now}; the sum nearest to 0 wins. You may buy a card for {price} and swap it in."
    if state.phase == sabacc.PLACING:
        new = signed(int(state.extra))
        if total == 0:
            return f"You have drawn {new}. Your sum is 0 already: discard it."
        return f"You have drawn {new}. Swap it in if that brings your sum of {signed(total)} nearer to 0."
    if state.phase == sabacc.CHEATING:
        return "Only you know of the card up your sleeve: swap it in if that brings you nearer to 0."
    if state.phase == sabacc.BETTING:
        due = owed(state, seat)
        pay = f"Matching costs {due}, folding gives up the pool." if due else "Matching is free: do not fold."
        third = " The spike, a third card, comes later." if state.cards[seat, sabacc.SPIKE_SLOT] == sabacc.EMPTY else ""
        advice = " Raise if you expect to win." if may_raise(state) else ""
        return f"{now}; the nearest to 0 wins.{third} {pay}{advice}"
    return ""


def deciding_rule(state: State) -> str:
    """Why the last hand's winner won, such as "both +1: the higher sum of positive cards wins, 7 to 5"."""
    winner = int(state.last_winner)
    hands = {
        seat: _strength(state, seat)
        for seat in range(state.num_players)
        if state.showdown_hands[seat, sabacc.SPIKE_SLOT] != sabacc.EMPTY
    }
    if len(hands) < 2:
        return "everyone else has folded"
    best = hands.pop(winner)
    rival = max(hands.values())
    if best.special != rival.special:
        return f"{sabacc.SPECIAL_HANDS[best.special]} beats {sabacc.SPECIAL_HANDS[rival.special] or 'any sum'}"
    if best.nearness != rival.nearness:
        return f"{signed(best.total)} is nearer to 0 than {signed(rival.total)}"
    if best.total != rival.total:
        return f"{signed(best.total)} and {signed(rival.total)} are as near to 0: a sum of 0 or more wins"
    both = f"both {sabacc.SPECIAL_HANDS[best.special] or signed(best.total)}"
    if best.positive != rival.positive:
        return f"{both}: the higher sum of positive cards wins, {best.positive} to {rival.positive}"
    if best.highest != rival.highest:
        return f"{both}: the highest positive card wins, {best.highest} to {rival.highest}"
    return f"{both}, with equal positive cards: drawn by lot"


class _Strength(NamedTuple):
    """What the showdown compares, in this order; see `showdown` in hand.py."""

    special: int
    nearness: int
    total: int
    positive: int
    highest: int


def _strength(state: State, seat: int) -> _Strength:
    cards = [int(card) for card in state.showdown_hands[seat]]
    special = special_hand(*cards) if state.special_hands else 0
    total = sum(cards)
    return _Strength(special, -abs(total), total, sum(max(card, 0) for card in cards), max(*cards, 0))


def examples() -> list[Reveal]:
    return [
        _example("+1 is nearer to 0 than -3", (-2, -1, 4), (-6, 1, 2), "the left hand wins"),
        _example("As near to 0: a positive sum wins", (-4, 1, 5), (-3, -2, 3), "the left hand wins"),
        _example("Both +1: more in positive cards wins", (-8, 2, 7), (-3, 1, 3), "9 beats 4"),
    ]


def _example(name: str, first: tuple[int, ...], second: tuple[int, ...], total: str) -> Reveal:
    items: list[Item] = [
        {"id": f"example:{side}:{place}", "symbol": f"card{card:+d}", "label": signed(card)}
        for side, cards in enumerate((first, second))
        for place, card in enumerate(cards)
    ]
    items[2]["caption"], items[5]["caption"] = f"sum {signed(sum(first))}", f"sum {signed(sum(second))}"
    return reveal(name, items=items, total=total)


# -- the cards and the dice --------------------------------------------------------------------------------------------


_PAPER, _EDGE = "#fbf6e9", "#b9ad93"
_PLUS, _MINUS, _ZERO = "#0b5f96", "#b5421a", "#4b3a73"
MINUS = "\N{MINUS SIGN}"
_OUTLINE = "M13 1H87L99 17V123L87 139H13L1 123V17Z"
_INNER = "M18 8H82L92 21V119L82 132H18L8 119V21Z"


def card(value: int) -> Symbol:
    color = _PLUS if value > 0 else _MINUS if value < 0 else _ZERO
    name = f"+{value}" if value > 0 else f"{MINUS}{-value}" if value < 0 else "0"
    corner = text(name, 11, 29, 17, color, "start")
    parts = [path(_OUTLINE, _PAPER, _EDGE, 1.5), path(_INNER, "none", color, 1.2)]
    parts += [corner, half_turned(corner, 100, 140)]
    parts.append(path("M50 31L78 47V79L50 95L22 79V47Z", color, "#e0b95b", 2))
    parts.append(text(name, 49 if value else 50, 75, 33 if abs(value) < 10 else 28, "#fffdf5"))
    if value == 0:
        parts.append(disc(50, 63, 23, "none", "#e0b95b", 2))
    for mark in range(abs(value)):
        row, place = divmod(mark, 5)
        in_row = min(abs(value) - 5 * row, 5)
        x, y = 50 + 8.5 * (place - (in_row - 1) / 2), 99.5 + 7.6 * row
        if value > 0:
            parts.append(placed(path("M0-3.4L3.6 2.8H-3.6Z", color), x, y))
        else:
            parts.append(placed(path("M0 2.9L3.1-2.6H-3.1Z", "none", color, 1.3), x, y))
    return Symbol(100, 140, "".join(parts))


def back() -> Symbol:
    parts = [path(_OUTLINE, "#1b2540", _EDGE, 1.5), path(_INNER, "none", "#c79a3a", 1.4)]
    for size, color, line in ((1.0, "#3d5080", 1.2), (0.8, "#3d5080", 1.2), (0.6, "#c79a3a", 1.6)):
        parts.append(placed(path("M0-48L38-26V26L0 48L-38 26V-26Z", "none", color, line / size), 50, 70, size))
    parts.append(path("M50 48L58 70L50 92L42 70Z", "#c79a3a") + disc(50, 70, 4.5, "#1b2540"))
    return Symbol(100, 140, "".join(parts))


def die(points: int) -> Symbol:
    """Return a spike die with 1 to 6 points up."""
    places = {1: "c", 2: "as", 3: "acs", 4: "adps", 5: "adcps", 6: "adhlps"}[points]
    at = {"a": (23, 23), "d": (57, 23), "h": (23, 40), "c": (40, 40), "l": (57, 40), "p": (23, 57), "s": (57, 57)}
    parts = [box(3, 5, 74, 73, 15, "#8f6a1c"), box(3, 2, 74, 73, 15, "#e3b64a", "#a67c22", 1.5)]
    parts += [disc(x, y - 1.5, 7, "#2a2013") for x, y in (at[place] for place in places)]
    return Symbol(80, 80, "".join(parts))


def symbols() -> dict[str, Symbol]:
    """Return the cards by value, a card back, an empty slot, and the dice."""
    cards = {f"card{value:+d}": card(value) for value in range(-10, 11)}
    return {**cards, "card-back": back(), "card-slot": SLOT, **{f"die-{points}": die(points) for points in range(1, 7)}}


def _adviser(game: Game, options: Any) -> Adviser | None:
    from cardgym.games.corellian_spike.adviser import adviser

    return adviser(game, options)


TABLE = Presentation(
    view=view,
    board=board,
    reveals=reveals,
    ending=ending,
    symbols=symbols,
    adviser=_adviser,
    examples=examples,
    label=label,
    tip=tip,
    lessons=lessons(__file__),
    showdown=showdown,
    options={
        "hands": OptionWords("most hands", "table"),
        "credits": OptionWords("credits at the start", "table"),
        "betting": OptionWords(
            "after a raise",
            choices={"flat": "the others pay 2", "matched": "they pay the difference", "no": "nobody bets"},
        ),
        "special_hands": OptionWords("special hands beat all sums"),
        "cheat": OptionWords("a card up the sleeve", choices={"no": "nobody"}),
        "max_raises": OptionWords("raises a hand for each, 0: any"),
        "values": OptionWords("highest card", "for study"),
        "copies": OptionWords("cards of each value", "for study"),
        "rounds": OptionWords("rounds in a hand", "for study"),
    },
    crowd={"max_raises": 1},  # Else rule players raise one another until they are broke.
    **measured(__file__),
)

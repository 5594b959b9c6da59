"""What people see and read at a table of cribbage: the board, hands and play, each score point by point, the rules."""

from __future__ import annotations

from typing import Any

from cardgym.engine.contract import YOU, Game, Names, State, inside
from cardgym.games.cribbage import state as cribbage
from cardgym.games.cribbage import text
from cardgym.games.cribbage.cards import CARDS, EMPTY, RANKS, SUITS, worth
from cardgym.games.cribbage.drawing import hole, hole_of, symbols
from cardgym.table.coach.advice import Adviser
from cardgym.table.drawings.playing_cards import card_item, example
from cardgym.table.presentation import OptionWords, Presentation, lessons, measured
from cardgym.table.views import Counter, Item, Reveal, View, Zone, reveal


def _card(id: str, card: int, seen: bool = True, hidden: str = "card, face down") -> Item:
    if card == EMPTY:
        return {"id": id, "symbol": "card-slot", "label": "no card"}
    if not seen:
        return {"id": id, "symbol": "card-back", "label": hidden}
    return card_item(id, RANKS[card % 13] + SUITS[card // 13])


def view(state: State, seat: int, names: Names) -> View:
    """Return the board, both hands, the crib and the starter, the cards played and the count."""
    own = max(seat, 0)
    pack = cribbage.PACKS[state.pack]
    tossed = pack.dealt - pack.kept
    zones: list[Zone] = [_board(state, names)]
    counters: list[Counter] = []
    for other in (1 - own, own):
        zone: Zone = {"name": f"{names.whose(other)} hand", "seat": other, "kind": "hand", "items": []}
        zones.append({**zone, "items": _hand(state, other, seat), "room": pack.dealt, "captions": False})
        counters.append({"name": "Points", "value": int(state.scores[other]), "seat": other})
        counters.append({"name": "Has crib", "value": "yes" if state.dealer == other else "no", "seat": other})
    starter: list[Item] = [_card("starter", int(state.starter))]
    zones.append({"name": "Starter", "seat": None, "kind": "pile", "items": starter})
    zones.append({"name": "Crib", "seat": None, "kind": "pile", "items": _crib(state, seat), "room": 2 * tossed})
    played = _played(state, names)
    zones.append({"name": "The play", "seat": None, "kind": "row", "items": played, "room": 2 * pack.kept})
    counters.append({"name": "Count", "value": int(state.count), "seat": None})
    number = int(state.deal_number) + 1
    counters.append({"name": "Deal", "value": min(number, int(state.deals)) if state.deals else number, "seat": None})
    actions: dict[int, list[str]] = {}
    if state.phase == cribbage.TOSSING:
        for toss in range(int(cribbage.PACK_TOSSES[state.pack])):
            actions[CARDS + toss] = [
                f"{own}:{int(state.hand[own, place])}" for place in text.tossed_places(state, toss)
            ]
    elif state.phase == cribbage.PLAYING:
        actions = {int(card): [f"{own}:{int(card)}"] for card in state.hand[own, : state.hand_size[own]]}
    return {"to_act": -1, "zones": zones, "counters": counters, "actions": actions}


def _board(state: State, names: Names) -> Zone:
    target = int(state.target)
    items: list[Item] = []
    for other in range(2):
        score = int(state.scores[other])
        x, y = hole(other, hole_of(score, target))
        label = f"{names.whose(other)} peg at {score} of {target}"
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


def _played(state: State, names: Names) -> list[Item]:
    """Return the cards played; those before the last restart are faded."""
    items = []
    start = int(state.num_played) - int(state.pile_size)
    for place in range(int(state.num_played)):
        item = _played_card(place, int(state.played[place]), int(state.played_by[place]), names)
        if place < start:
            item["faded"] = True
        items.append(item)
    return items


def _played_card(place: int, card: int, owner: int, names: Names) -> Item:
    item = _card(f"played:{place}", card)
    item["label"] += f", played by {inside(names[owner])}"
    item["caption"] = "you" if names[owner] == YOU else "they" if YOU in names else names[owner]
    return item


def reveals(before: State, move: int, after: State, seat: int, names: Names) -> list[Reveal]:
    """Cuts, points scored in the play, and the show: each hand counted aloud."""
    if before.phase == cribbage.CUTTING:
        item = _card("cut", int(before.deck[move]))
        return [reveal(names.does(int(before.turn), "cut"), [item["label"]], [item])]
    if before.phase == cribbage.STARTER:
        heels = int(after.tally[before.dealer, cribbage.HEELS]) - int(before.tally[before.dealer, cribbage.HEELS])
        item = _card("starter", int(before.deck[move]))
        lines = ["two for his heels to the dealer"] if heels else []
        total = f"{names[int(before.dealer)]} +{heels}" if heels else ""
        return [reveal("The starter", lines, [item], total)]
    if before.phase != cribbage.PLAYING:
        return []
    found: list[Reveal] = []
    gained, reasons = text.play_points(before, move, after)
    if gained:
        start = int(before.num_played) - int(before.pile_size)
        cards = [*(int(card) for card in before.played[start : before.num_played]), move]
        items = [_card(f"show:{place}", card) for place, card in enumerate(cards)]
        lines = text.count_aloud(reasons)
        found.append(reveal(f"{names[int(before.turn)]} in the play", lines, items, _scored(gained, reasons)))
    if text.says_go(before, move) and after.phase == cribbage.PLAYING and after.pile_size > 0:
        found.append(reveal(f"{names.does(1 - int(before.turn), 'say')} go"))
    for hand in text.counted_hands(before, after):
        items = [_card(f"show:{card}", card) for card in hand.cards]
        items.append({**_card("show:starter", hand.starter), "caption": "starter"})
        lines, scored = text.count_aloud(hand.reasons) or ["nothing"], _scored(hand.gained, hand.reasons)
        found.append(reveal(f"{names.whose(hand.owner)} {hand.what}", lines, items, scored))
    if counted := text.counted_hands(before, after):
        owners = (1 - int(before.dealer), int(before.dealer))  # In the order of the show, for all who watch it.
        points = [sum(hand.gained for hand in counted if hand.owner == owner) for owner in owners]
        line = ", ".join(f"{names[owner]} +{gained}" for owner, gained in zip(owners, points, strict=True))
        found.insert(0, reveal("The show", [line], banner=True))
    return found


def _scored(gained: int, reasons: list[tuple[str, int]]) -> str:
    """Return the points scored; of how many, where the peg reaches the last hole."""
    total = sum(points for _, points in reasons)
    return f"+{gained} of {total}" if gained < total else f"+{gained}"


def showdown(before: State, move: int, after: State, seat: int, names: Names) -> View | None:
    """Return the table at the show: a counted crib is turned up, and the cards played are back in the hands."""
    counted = text.counted_hands(before, after) if before.phase == cribbage.PLAYING else []
    if not counted:
        return None
    table = view(before, seat, names)
    ending = view(after, seat, names)
    table["counters"] = [counter for counter in table["counters"] if counter["name"] != "Points"]
    table["counters"][:0] = [counter for counter in ending["counters"] if counter["name"] == "Points"]
    for counter in table["counters"]:
        if counter["name"] == "Count":
            counter["value"] = int(before.count) + worth(move)
    table["zones"][0] = ending["zones"][0]
    hands = {zone["seat"]: zone for zone in table["zones"] if zone["kind"] == "hand"}
    others = {zone["name"]: zone for zone in table["zones"]}
    play, last = others["The play"], int(before.num_played)
    play["items"].append(_played_card(last, move, int(before.turn), names))
    ids = {item["symbol"]: item["id"] for item in play["items"]}
    for hand in counted:
        if hand.what == "crib":
            others["Crib"]["items"] = _crib(before, -1)
            continue
        cards = {item["symbol"]: item for item in (_card("", card) for card in hand.cards)}
        hands[hand.owner]["items"] = [{**item, "id": ids[symbol]} for symbol, item in cards.items()]
        play["items"] = [item for item in play["items"] if item["symbol"] not in cards]
    return table


def picture(state: State, seat: int, names: Names) -> str:
    """Get the game as in `describe`, with the points that each seat needs to the right of the board, in 80 columns."""
    lines = text.board(state, seat, names).splitlines()
    for row, other in ((1, seat), (2, 1 - seat)):
        lacks = int(state.target - state.scores[other])
        if lacks > 0:
            lines[row] += f" {lacks:>3}"
    return "\n".join(lines)


def ending(state: State, seat: int, names: Names) -> str:
    if state.phase != cribbage.OVER:
        return ""
    seat = text.told_of(state, seat, names)
    own, other, target = int(state.scores[seat]), int(state.scores[1 - seat]), int(state.target)
    if own == other:
        return f"Level, {own} to {other}"
    games = cribbage.games_lost(target, target - min(own, other)) if max(own, other) >= target else 1
    skunk = {1: "", 2: ", a skunk", 4: ", a double skunk"}[games]
    return f"{names.does(seat, 'win' if own > other else 'lose')} {own} to {other}{skunk}"


def tip(state: State, seat: int) -> str:
    if state.phase == cribbage.TOSSING:
        whose = "yours: what you discard may score for you" if state.dealer == seat else "your opponent's: give little"
        how = "two cards and keep four" if state.pack == cribbage.FULL else "one card and keep two"
        return f"Discard {how} that go together: pairs, runs, sums of 15. The crib is {whose}."
    if state.phase != cribbage.PLAYING:
        return ""
    count = int(state.count)
    if count == 0 and state.pack != cribbage.FULL:
        return "Play a card. The opponent scores if it can make 15 or a pair."
    if count == 0:
        return "Play a card. On a card below 5 the opponent cannot make 15; on a 5, any card worth 10 makes it."
    return f"The count is {count}: making it 15 or 31 scores 2, pairing the last card 2, a run its length."


def examples() -> list[Reveal]:
    """Return what scores, with its points."""
    return [
        example("Fifteen", "7C 8H", "2 for each sum of 15"),
        example("Pair", "9D 9S", "2; three of a kind is 6, four is 12"),
        example("Run", "4H 5C 6D", "a point a card, in any order"),
        example("Flush", "2H 6H 9H KH", "4 for a hand of one suit, 5 with the starter"),
        example("Nobs", "JD 3D", "1 for the jack of the starter's suit"),
    ]


def _adviser(game: Game, options: Any) -> Adviser | None:
    from cardgym.games.cribbage.advice import adviser

    return adviser(game, options)


TABLE = Presentation(
    view=view,
    reveals=reveals,
    board=picture,
    ending=ending,
    examples=examples,
    tip=tip,
    lessons=lessons(__file__),
    options={
        "target": OptionWords("points that win", "table"),
        "deals": OptionWords("most deals, 0: any", "table"),
    },
    showdown=showdown,
    symbols=symbols,
    adviser=_adviser,
    **measured(__file__),
)

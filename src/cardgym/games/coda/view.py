"""What a person sees of Coda: both lines of tiles, the tile drawn, and the values to guess; and what guesses show."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.coda import guide
from cardgym.games.coda.drawing import symbols
from cardgym.games.coda.rules import tile_to_place
from cardgym.games.coda.state import (
    ALL,
    GUESSING,
    NONE,
    OVER,
    PLACING,
    REVEALING,
    SETTING,
    YES,
    count_hidden,
    hidden,
    lines_shown,
    place_action,
    stop_action,
    unseen,
)
from cardgym.games.coda.strength import OFFICIAL_STRENGTH, STRENGTH
from cardgym.games.coda.text import tile_name
from cardgym.table.presentation import Presentation
from cardgym.table.views import Counter, Item, Reveal, View, Zone

_COLOURS = {"B": "black", "W": "white"}


def _spoken(name: str) -> str:
    """A tile's name for a screen reader."""
    return f"{_COLOURS[name[0]]} {'joker' if name[1:] == '-' else name[1:]}"


def view(state: State, seat: int) -> View:
    """Both lines by place, the drawn tile, the pool; and while guessing, the tiles that a guess can name."""
    own, other = max(seat, 0), 1 - max(seat, 0)
    names = ("Seat 0's line", "Seat 1's line") if seat < 0 else ("Your line", "Opponent's line")
    zones: list[Zone] = [
        {"name": names[1], "seat": other, "kind": "row", "items": _line(state, other, seat)},
        {"name": names[0], "seat": own, "kind": "row", "items": _line(state, own, seat)},
    ]
    drawn = _drawn(state, seat)
    if drawn:
        whose = "You have drawn" if state.turn == seat else "Drawn"
        zones.insert(1, {"name": whose, "seat": None, "kind": "hand", "items": drawn})
    actions: dict[int, list[str]] = {}
    if state.phase == GUESSING and state.turn == seat:
        possible = -1 if state.feasible == ALL else unseen(state, seat)
        values = [tile for tile in range(int(state.n)) if possible >> tile & 1]
        for colour, parity in (("white", 1), ("black", 0)):
            items = [_tile(f"value:{tile}", tile_name(state, tile)) for tile in values if tile % 2 == parity]
            zones.insert(1, {"name": f"Guess a {colour} tile", "seat": None, "kind": "palette", "items": items})
        for place in range(int(state.length[other])):
            for tile in values:
                actions[place * int(state.n) + tile] = [f"{other}:{place}", f"value:{tile}"]
        actions[stop_action(state)] = ["drawn"] if state.drawn != NONE else []
    elif state.phase in (PLACING, SETTING, REVEALING):
        for place in range(int(state.length[own])):
            actions[place_action(state, place)] = [f"{own}:{place}"]
    counters: list[Counter] = [{"name": "Tiles in the pool", "value": int(state.pool_size), "seat": None}]
    if lines_shown(state):
        counters += [{"name": "Face down", "value": count_hidden(state, of), "seat": of} for of in (other, own)]
    return {"to_act": -1, "zones": zones, "counters": counters, "actions": actions}


def _tile(id: str, name: str) -> Item:
    return {"id": id, "symbol": f"tile-{name}", "label": _spoken(name)}


def _line(state: State, owner: int, seat: int) -> list[Item]:
    items: list[Item] = []
    own = seat in (owner, -1)
    if not (own or lines_shown(state)):
        return items
    for place in range(int(state.length[owner])):
        tile = int(state.line[owner, place])
        down = hidden(state, owner, place)
        item = _tile(f"{owner}:{place}", tile_name(state, tile))
        if own:
            item["label"] += ", face down" if down else ", turned up"
        elif down:
            colour = "BW"[tile % 2] if state.colour_visible == YES else ""
            item["symbol"] = f"tile-back-{colour}" if colour else "tile-back"
            item["label"] = f"hidden {_COLOURS[colour]} tile" if colour else "hidden tile"
            denied = [value for value in range(int(state.n)) if int(state.denied[tile]) >> value & 1]
            if denied:
                item["label"] += ", none of " + ", ".join(_spoken(tile_name(state, value)) for value in denied)
        item["label"] += f", place {place}"
        item["caption"] = str(place) if down else f"{place} up"
        items.append(item)
    return items


def _drawn(state: State, seat: int) -> list[Item]:
    """The tile to be placed: one's own face up, the opponent's as a back."""
    tile = tile_to_place(state) if state.phase in (PLACING, SETTING) else int(state.drawn)
    if tile == NONE or state.phase == OVER or (state.phase == SETTING and state.turn != seat):
        return []
    if seat in (int(state.turn), -1):
        return [_tile("drawn", tile_name(state, tile))]
    return [{"id": "drawn", "symbol": "tile-back", "label": "the tile that the opponent has drawn"}]


def reveals(before: State, move: int, after: State, seat: int) -> list[Reveal]:
    """A guess: the tile it is about, the value named, and whether it is right."""
    if before.phase != GUESSING or move == stop_action(before):
        return []
    turn = int(before.turn)
    place, tile = divmod(move, int(before.n))
    name = tile_name(before, tile)
    own = _line(before, 1 - turn, turn)[place]  # As the one who guesses sees it, so that a miss shows nothing.
    hit = int(before.line[1 - turn, place]) == tile
    asked: Item = {"id": "asked", "symbol": own["symbol"], "label": own["label"], "caption": f"place {place}"}
    guessed: Item = {**_tile("guessed", name), "caption": "guess"}
    who = "You guess" if turn == seat else f"Seat {turn} guesses" if seat < 0 else "The opponent guesses"
    line = f"place {place} is {_spoken(name)}"
    return [{"name": who, "items": [asked, guessed], "lines": [line], "total": "a hit" if hit else "a miss"}]


TABLE = Presentation(
    view=view,
    reveals=reveals,
    board=guide.picture,
    ending=guide.ending,
    rules_text=guide.rules_text,
    symbols=symbols,
    adviser="cardgym.games.coda.adviser:adviser",
    strength={"Coda-v0": STRENGTH, "CodaOfficial-v0": OFFICIAL_STRENGTH},
)

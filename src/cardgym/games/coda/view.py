"""The table of Coda: its view, reveals, terminal picture, rules text, player strengths and tile pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from cardgym.engine.contract import YOU, Game, Names, State, inside
from cardgym.games.coda import state as coda
from cardgym.games.coda.rules import tile_to_place
from cardgym.games.coda.text import COLORS, describe, heading, ruled_out, spoken, tile_in_line, tile_name, typed
from cardgym.table.coach.advice import Adviser
from cardgym.table.drawings.shapes import box, lattice, path, text
from cardgym.table.presentation import OptionWords, Presentation, lessons, measured
from cardgym.table.views import Counter, Item, Reveal, Symbol, View, Zone, reveal


def view(state: State, seat: int, names: Names) -> View:
    """Both lines by place, the drawn tile, and the tiles to choose from; for seat -1 those that are in the pool."""
    own, other = max(seat, 0), 1 - max(seat, 0)
    zones: list[Zone] = [
        {"name": _heading(names, other), "seat": other, "kind": "row", "items": _line(state, other, seat), "room": 13},
        {"name": _heading(names, own), "seat": own, "kind": "row", "items": _line(state, own, seat), "room": 13},
    ]
    drawn = "You have drawn" if names[state.turn] == YOU else "Drawn"
    zones.insert(1, {"name": drawn, "seat": None, "kind": "pile", "items": _drawn(state, seat, names), "room": 1})
    actions: dict[int, list[str]] = {}
    unseen = ~int(state.held[0] | state.held[1]) if seat < 0 else coda.unseen(state, own)
    possible = -1 if state.feasible == coda.ALL and seat >= 0 else unseen
    values = [tile for tile in range(int(state.n)) if possible >> tile & 1]
    for color, parity in ("white", 1), ("black", 0):
        tiles = range(parity, int(state.n), 2)
        items = [_value(state, tile, possible, "drawn" if seat < 0 else "seen") for tile in tiles]
        title = f"{color.capitalize()} tiles in the pool" if seat < 0 else f"Unseen {color} tiles"
        zone: Zone = {"name": title, "seat": None, "kind": "palette", "items": items}
        zones.insert(1, {**zone, "room": int(state.n) // 2})
    if state.phase == coda.GUESSING and state.turn == seat:
        for place in range(int(state.length[other])):
            for tile in values:
                actions[place * int(state.n) + tile] = [f"{other}:{place}", f"value:{tile}"]
        actions[coda.stop_action(state)] = ["drawn"] if state.drawn != coda.NONE else []
    elif state.phase == coda.REVEALING:
        for place in range(int(state.length[own])):
            actions[coda.place_action(state, place)] = [f"{own}:{place}"]
    elif state.phase in (coda.PLACING, coda.SETTING) and state.turn == seat:
        line = zones[-1]["items"]
        for place in range(int(state.length[own]), -1, -1):
            gap: Item = {"id": f"gap:{place}", "symbol": "tile-gap", "label": f"the gap at place {place + 1}"}
            line.insert(place, gap)
            actions[coda.place_action(state, place)] = [gap["id"]]
    counters: list[Counter] = [{"name": "Tiles in the pool", "value": int(state.pool_size), "seat": None}]
    for of in (other, own):
        known = coda.lines_shown(state) or seat in (of, -1)
        counters.append({"name": "Face down", "value": coda.count_hidden(state, of) if known else "?", "seat": of})
    return {"to_act": -1, "zones": zones, "counters": counters, "actions": actions}


def _heading(names: Names, owner: int) -> str:
    return f"{names.whose(owner)} line".replace("The opponent", "Opponent")


def possible(state: State, action: int) -> bool:
    """Whether a guess may be right, as far as the seat to guess knows: what a tile can still be."""
    if state.phase != coda.GUESSING or action == coda.stop_action(state):
        return True
    place, tile = divmod(action, int(state.n))
    return bool(_may_be(state.tobytes(), int(state.turn))[place] >> tile & 1)


_NONE = 99  # Above all numbers.


@lru_cache(maxsize=16)
def _may_be(record: bytes, seat: int) -> list[int]:
    """Return what can be at each place of the opponent's line, as bits, by what a seat sees, misses and order."""
    state: State = np.frombuffer(record, coda.STATE).copy().view(np.recarray)[0]
    other, numbers = 1 - seat, int(coda.num_numbers(state))
    unseen = int(coda.unseen(state, seat))
    fits = [
        int(coda.fitting(state, other, place, unseen)) if coda.hidden(state, other, place) else 1 << int(tile)
        for place, tile in enumerate(state.line[other, : state.length[other]])
    ]
    mirrored = [int(f"{fit % (1 << numbers):0{numbers}b}"[::-1], 2) | fit >> numbers << numbers for fit in fits]
    left, right = _least(fits, numbers), _least(mirrored[::-1], numbers)[::-1]
    found = []
    for place, fit in enumerate(fits):
        sides = [(left[place][k], numbers - 1 - right[place + 1][spare]) for k in range(3) for spare in range(3 - k)]
        tiles = [tile for tile in range(numbers) if any(low < tile < high for low, high in sides)]
        if any(left[place][k] < numbers - 1 - right[place + 1][spare] for k in range(2) for spare in range(2 - k)):
            tiles += [numbers, numbers + 1]
        found.append(fit & sum(1 << tile for tile in tiles))
    return found


def _least(fits: Sequence[int], numbers: int) -> list[list[int]]:
    """Return the least number that can be the last before each place and at the end, by the number of jokers so far."""
    rows = [[-1, _NONE, _NONE]]
    for fit in fits:
        after = [[tile for tile in range(last + 1, numbers) if fit >> tile & 1] for last in rows[-1]]
        jokers = [[], *([last] if fit >> numbers else [] for last in rows[-1][:2])]
        rows.append([min(one + other, default=_NONE) for one, other in zip(after, jokers, strict=True)])
    return rows


def _marks(state: State, may_be: int) -> list[str]:
    """Return the numbers that a tile can still have, each in its place, and J if it can be a joker."""
    names = [*map(str, range(int(coda.num_numbers(state)) // 2)), *(["J"] if state.jokers else [])]
    return [name if may_be >> 2 * number & 3 else "" for number, name in enumerate(names)]


def _tile(id: str, name: str) -> Item:
    return {"id": id, "symbol": f"tile-{name}", "label": spoken(name)}


def _value(state: State, tile: int, possible: int, why: str) -> Item:
    """Return a tile to choose from, faded if it is impossible, so that the others keep their places."""
    item = _tile(f"value:{tile}", tile_name(state, tile))
    return item if possible >> tile & 1 else {**item, "label": f"{item['label']}, {why}", "faded": True}


def _line(state: State, owner: int, seat: int) -> list[Item]:
    items: list[Item] = []
    own = seat in (owner, -1)
    if not (own or coda.lines_shown(state)):
        return items
    for place in range(int(state.length[owner])):
        tile = int(state.line[owner, place])
        down = coda.hidden(state, owner, place)
        item = _tile(f"{owner}:{place}", tile_name(state, tile))
        if own:
            item["label"] += ", face down" if down else ", turned up"
        elif down:
            color = "BW"[tile % 2] if state.color_visible == coda.YES else ""
            item["symbol"] = f"tile-back-{color}" if color else "tile-back"
            item["label"] = f"hidden {COLORS[color]} tile" if color else "hidden tile"
            denied = [value for value in range(int(state.n)) if int(state.denied[tile]) >> value & 1]
            if denied:
                item["label"] += ", none of " + ", ".join(spoken(tile_name(state, value)) for value in denied)
            item["marks"] = _marks(state, _may_be(state.tobytes(), seat)[place])
        item["label"] += f", place {place + 1}"
        item["caption"] = str(place + 1) if down else f"{place + 1} up"
        items.append(item)
    return items


def _drawn(state: State, seat: int, names: Names) -> list[Item]:
    """Return the tile to place: the seat's own face up, the opponent's face down."""
    tile = tile_to_place(state) if state.phase in (coda.PLACING, coda.SETTING) else int(state.drawn)
    if tile == coda.NONE or state.phase == coda.OVER or (state.phase == coda.SETTING and seat not in (state.turn, -1)):
        return []
    if seat in (int(state.turn), -1):
        return [_tile("drawn", tile_name(state, tile))]
    return [{"id": "drawn", "symbol": "tile-back", "label": f"the tile that {inside(names[state.turn])} has drawn"}]


def reveals(before: State, move: int, after: State, seat: int, names: Names) -> list[Reveal]:
    """Return a guess: the tile, the named value, and the result; at the end, who wins and why."""
    found = [_guess(before, move, names)] if before.phase == coda.GUESSING and move != coda.stop_action(before) else []
    if after.phase == coda.OVER:
        name, _, reason = ending(after, seat, names).partition(": ")
        found.append(reveal(name, [reason], banner=True))
    return found


def _guess(before: State, move: int, names: Names) -> Reveal:
    turn = int(before.turn)
    place, tile = divmod(move, int(before.n))
    name = tile_name(before, tile)
    own = _line(before, 1 - turn, turn)[place]  # As the guesser sees it, so that a miss shows nothing.
    hit = int(before.line[1 - turn, place]) == tile
    target: Item = {"id": "asked", "symbol": own["symbol"], "label": own["label"], "caption": f"place {place + 1}"}
    guessed: Item = {**_tile("guessed", name), "caption": "guess"}
    line = f"{spoken(name)} at place {place + 1}: {'yes' if hit else 'no'}"
    return reveal(names.does(turn, "guess", "guesses"), [line], [target, guessed], "a hit" if hit else "a miss")


# -- the terminal, and the rules ---------------------------------------------------------------------------------------


def picture(state: State, seat: int, names: Names) -> str:
    """Both lines under their places, the drawn tile, and what past misses rule out, in 80 columns."""
    if not coda.lines_shown(state):
        return describe(state, seat)
    head = heading(state, inside(names.whose(int(state.turn))))
    longest = max(int(state.length[0]), int(state.length[1]))
    places = "".join(f"{place + 1:^5}" for place in range(longest))
    lines = [head, f"Place     {places}".rstrip()]
    for owner in (1 - seat, seat):
        tiles = "".join(
            f"{tile_in_line(state, owner, place, owner == seat):^5}" for place in range(state.length[owner])
        )
        lines.append(f"{names.column(owner, 9)} {tiles}".rstrip())
    if state.turn == seat and state.drawn != coda.NONE:
        lines.append(f"Drawn     {typed(tile_name(state, int(state.drawn)))} (not in your line yet)")
    misses = [f"{place} is not {names}" for place, names in ruled_out(state, seat)]
    if misses:
        lines.append("Misses    " + "; ".join(misses))
    jokers = "; B-, W-: the jokers" if state.jokers else ""
    lines.append(f"[brackets: face down; yours are hidden from the opponent{jokers}]")
    if state.phase == coda.OVER:
        lines.append(ending(state, seat, names))
    return "\n".join(lines)


def ending(state: State, seat: int, names: Names) -> str:
    if state.phase != coda.OVER:
        return ""
    winner = int(state.winner)
    if coda.count_hidden(state, 1 - winner) > 0:
        return f"{names.does(winner, 'win')}: the last tile is drawn"
    return f"{names.does(winner, 'win')}: all of {inside(names.whose(1 - winner))} tiles are face up"


def tip(state: State, seat: int) -> str:
    if state.phase == coda.GUESSING:
        may_stop = state.continuation == coda.OPTIONAL and state.hits > 0
        stop = " You may also stop, which keeps your drawn tile hidden." if may_stop else ""
        risk = " A wrong guess turns your drawn tile up." if state.drawn != coda.NONE else ""
        return f"Lines are sorted, low to high. Pick a hidden tile, then what you think it is.{risk}{stop}"
    if state.phase in (coda.PLACING, coda.SETTING):
        seen = "the place and the color" if state.color_visible == coda.YES else "the place"
        return f"Choose where it goes: your opponent sees {'the tile' if state.missed else seen}."
    if state.phase == coda.REVEALING:
        return "You have to turn up one of your tiles: choose one that tells little about the others."
    return ""


def examples() -> list[Reveal]:
    """How a line is sorted and what a place says."""
    return [
        _example("Sorted; black stands left of white", ("B2", "B5", "W5", "W9"), "2, 5, 5, 9"),
        _example("What can the white tile be?", ("B4", "back-W", "B6"), "white 4 or white 5"),
    ]


def _example(name: str, tiles: tuple[str, ...], total: str) -> Reveal:
    items: list[Item] = [
        {"id": f"example:{place}", "symbol": f"tile-{tile}", "label": tile} for place, tile in enumerate(tiles)
    ]
    return reveal(name, items=items, total=total)


# -- the tiles ---------------------------------------------------------------------------------------------------------


_STYLES = {  # Body, edge, ink, and the body's side, by color.
    "B": ("#232a38", "#0d1119", "#f7f4ea", "#0d1119"),
    "W": ("#fdfbf3", "#b7ad97", "#1d2330", "#c9bfa8"),
    "?": ("#78839a", "#535d72", "#f7f4ea", "#535d72"),
}


def _body(color: str) -> str:
    fill, edge, _, side = _STYLES[color]
    return box(2, 5, 76, 113, 10, side) + box(2, 2, 76, 111, 10, fill, edge, 1.5)


def tile(color: str, name: str) -> Symbol:
    """Get a tile, face up, with a number or the joker's dash. Six and nine are underlined, as on commercial tiles."""
    ink = _STYLES[color][2]
    parts = [_body(color), box(9, 9, 62, 97, 6, "none", ink, 0.8)]
    if name == "-":
        parts.append(box(20, 52, 40, 10, 3, ink) + path("M40 22l3 7 7 1-5 5 1 7-6-4-6 4 1-7-5-5 7-1z", "#d9a13b"))
    else:
        parts.append(text(name, 40, 74, 50 if len(name) == 1 else 42, ink))
        if name in ("6", "9"):
            parts.append(box(27, 82, 26, 4.5, 2, ink))
    return Symbol(80, 120, "".join(parts))


def back(color: str) -> Symbol:
    """Return a face-down tile in its color, or gray if colors are hidden."""
    ink = _STYLES[color][2]
    soft = {"B": "#39445c", "W": "#e7dfca", "?": "#8d98ae"}[color]
    return Symbol(80, 120, "".join([_body(color), lattice(12, 12, 68, 103, 14, soft), text("?", 40, 73, 44, ink)]))


def symbols() -> dict[str, Symbol]:
    """All tiles, `tile-B7` and the jokers `tile-B-`, and the backs."""
    names = [str(number) for number in range(13)] + ["-"]
    tiles = {f"tile-{color}{name}": tile(color, name) for color in "BW" for name in names}
    gap = Symbol(24, 120, box(2, 12, 20, 96, 8, "#f0c14b55", "#f0c14b", 2))
    return {**tiles, "tile-gap": gap, **{f"tile-back-{color}": back(color) for color in "BW"}, "tile-back": back("?")}


def _adviser(game: Game, options: Any) -> Adviser | None:
    from cardgym.games.coda.adviser import adviser

    return adviser(game, options)


TABLE = Presentation(
    view=view,
    reveals=reveals,
    board=picture,
    ending=ending,
    symbols=symbols,
    adviser=_adviser,
    examples=examples,
    possible=possible,
    tip=tip,
    lessons=lessons(__file__),
    options={
        "n": OptionWords("tiles, 0: all", "for study"),
        "n_start": OptionWords("tiles at the start", "table"),
        "continuation": OptionWords(
            "after a hit", choices={"forced": "guess again", "optional": "guess again or stop"}
        ),
        "jokers": OptionWords("jokers"),
        "empty": OptionWords("pool is empty", choices={"last_drawer_wins": "the last drawer wins"}),
        "first": OptionWords("who begins", "table"),
        "color_visible": OptionWords("colors of hidden tiles show"),
        "feasible": OptionWords("allowed guesses", "for study", {"unseen": "tiles not seen", "color": "of that color"}),
    },
    **measured(__file__),
)

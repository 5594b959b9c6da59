"""Coda in words: what a seat sees, its actions, and what just happened."""

from __future__ import annotations

from collections.abc import Callable

from cardgym.engine.contract import Names, State, Words
from cardgym.games.coda import state as coda
from cardgym.games.coda.rules import tile_to_place

_PHASES = {
    coda.FIRST: "who begins",
    coda.DEALING: "the deal",
    coda.SETTING: "placing jokers",
    coda.DRAWING: "drawing",
    coda.GUESSING: "guessing",
    coda.PLACING: "placing the drawn tile",
    coda.REVEALING: "turning up a tile",
    coda.OVER: "the game is over",
}


def tile_name(state: State, tile: int) -> str:
    """Return a tile by color and number, such as B7 or W0; a joker is B- or W-."""
    color = "BW"[tile % 2]
    return f"{color}-" if tile >= coda.num_numbers(state) else f"{color}{tile // 2}"


COLORS = {"B": "black", "W": "white"}


def spoken(name: str) -> str:
    """Return a tile's name in words: "white 0", "black joker"."""
    return f"{COLORS[name[0]]} {'joker' if name[1:] == '-' else name[1:]}"


def typed(name: str) -> str:
    """Return a tile's name on the terminal's board: W0, but black joker."""
    return spoken(name) if name.endswith("-") else name


def describe(state: State, seat: int) -> str:
    """Get the game as `seat` sees it: both lines by place, the drawn tile, the pool, and what past guesses rule out."""
    lines = [heading(state, "your" if state.turn == seat else "the opponent's")]
    visible = coda.lines_shown(state)
    lines.append("Opponent: " + (_line(state, 1 - seat, False) if visible else "not set up yet"))
    lines.append("You:      " + _line(state, seat, True) + "   (brackets: hidden from the opponent)")
    if state.turn == seat and state.drawn != coda.NONE:
        lines.append(f"You have drawn {typed(tile_name(state, int(state.drawn)))}")
    if visible and state.jokers:
        for whose, owner in (("Opponent's", 1 - seat), ("Your", seat)):
            places = sorted(range(state.length[owner]), key=lambda place: int(state.entered[state.line[owner, place]]))
            dealt, later = places[: state.n_start], places[state.n_start :]
            lines.append(f"{whose} places by entry: dealt {_list(dealt)}" + (f"; then {_list(later)}" if later else ""))
    if visible:
        lines += [f"Place {place} is none of {names}" for place, names in ruled_out(state, seat)]
    if state.phase == coda.OVER:
        lines.append("You have won" if state.winner == seat else "The opponent has won")
    return "\n".join(lines)


def heading(state: State, whose: str) -> str:
    """Return the phase, and whose turn it is."""
    turn = "" if state.phase == coda.OVER else f", {whose} turn"
    tiles = "1 tile" if state.pool_size == 1 else f"{state.pool_size} tiles"
    return f"{_PHASES[int(state.phase)].capitalize()}{turn}; {tiles} in the pool"


def ruled_out(state: State, seat: int) -> list[tuple[int, str]]:
    """Return the opponent's hidden places, counted from 1, each with the tiles that misses have ruled out there."""
    found = []
    for place in range(state.length[1 - seat]):
        denied = int(state.denied[state.line[1 - seat, place]])
        if coda.hidden(state, 1 - seat, place) and denied:
            names = ", ".join(typed(tile_name(state, tile)) for tile in range(state.n) if denied >> tile & 1)
            found.append((place + 1, names))
    return found


def _list(places: list[int]) -> str:
    return ", ".join(str(place + 1) for place in places)


def tile_in_line(state: State, owner: int, place: int, own: bool, naming: Callable[[str], str] = str) -> str:
    """Return a tile of a line; in brackets if hidden: by its name to its owner (`own`), by its back to the opponent."""
    tile = int(state.line[owner, place])
    name = naming(tile_name(state, tile))
    if not coda.hidden(state, owner, place):
        return name
    back = "BW"[tile % 2] if state.color_visible == coda.YES else "?"
    return f"[{name}]" if own else f"[{back}?]"


def _line(state: State, owner: int, own: bool) -> str:
    tiles = (tile_in_line(state, owner, place, own, typed) for place in range(state.length[owner]))
    return "  ".join(f"{place}:{tile}" for place, tile in enumerate(tiles, 1)) or "no tiles"


def action_text(state: State, action: int) -> str:
    if action < coda.stop_action(state):
        place, tile = divmod(action, int(state.n))
        return f"guess {spoken(tile_name(state, tile))} at place {place + 1}"
    if action == coda.stop_action(state):
        return "stop: keep the drawn tile hidden" if state.drawn != coda.NONE else "stop"
    place = action - coda.place_action(state, 0)
    if state.phase == coda.REVEALING:
        if place < state.length[state.turn]:
            name = spoken(tile_name(state, int(state.line[state.turn, place])))
            return f"turn up your {name} at place {place + 1}"
        return f"turn up your tile at place {place + 1}"
    if state.phase in (coda.PLACING, coda.SETTING):
        return f"put {spoken(tile_name(state, tile_to_place(state)))} at place {place + 1}"
    return f"use place {place + 1} of your line"


def narrate(before: State, move: int, after: State, seat: int, names: Names) -> str:
    """Return what `seat` saw of a move: guesses and their results, tiles turned up, its own draws."""
    messages = _messages(before, move, after, seat, names)
    if after.phase == coda.OVER and before.phase != coda.OVER:
        messages.append(names.does(int(after.winner), "win"))
    return "\n".join(messages)


def _messages(before: State, move: int, after: State, seat: int, names: Names) -> list[str]:
    turn = int(before.turn)
    if before.phase == coda.FIRST:
        return [f"{names.does(move, 'move')} first"]
    if before.phase in (coda.DEALING, coda.DRAWING):
        tile = int(after.held[turn]) & ~int(before.held[turn])
        does = names.does(turn, "are dealt", "is dealt") if before.phase == coda.DEALING else names.does(turn, "draw")
        last = "" if after.pool_size else ", the last one"
        if turn == seat:
            return [f"{does} {spoken(tile_name(before, tile.bit_length() - 1))}{last}"]
        return [f"{does} a tile{last}"] if before.phase == coda.DRAWING else []
    messages = []
    if before.phase == coda.GUESSING:
        if move == coda.stop_action(before):
            return [names.does(turn, "stop")]
        place, tile = divmod(move, int(before.n))
        hit = int(before.line[1 - turn, place]) == tile
        answer = "yes" if hit else "no"
        guess = f"{spoken(tile_name(before, tile))} at place {place + 1}: {answer}"
        messages.append(f"{names.does(turn, 'guess', 'guesses')} {guess}")
    turned_up = int(after.up[turn]) & ~int(before.up[turn])
    if turned_up:
        messages.append(f"{names.does(turn, 'turn')} up {spoken(tile_name(before, turned_up.bit_length() - 1))}")
    return messages


def rules_text(state: State) -> str:
    jokers = ""
    if state.jokers:
        jokers = " Two jokers, one black and one white, can go anywhere in a line and then stay there."
    stop = "you guess again"
    if state.continuation == coda.OPTIONAL:
        stop = "you guess again, or stop and put your drawn tile into your line face down"
    empty = "If you draw the last tile, you win immediately."
    if state.empty == coda.PLAY_ON:
        empty = "When the pool is empty, play continues without draws, and after a miss you turn up one of your tiles."
    highest, start = coda.num_numbers(state) // 2 - 1, int(state.n_start)
    lines = f"a line of {start}, sorted" if start > 1 else "one tile, and later ones make a line, sorted"
    backs = "the backs of the opponent's" + (", which show their color" if state.color_visible == coda.YES else "")
    return f"""\
CODA (Da Vinci Code), two players, {state.n} tiles

The tiles. They are black or white and numbered from 0 to {highest}. Each player starts with {lines}
from left to right, with black left of white for the same number.{jokers}
You see your own tiles and {backs}.

Your turn. You draw a tile, look at it, and guess one of the opponent's tiles: its place, counted from 1, and its
value. A hit turns that tile up, and {stop}.
A miss ends your turn: the tile you drew goes into your line face up.

The end. {empty}
The first player to turn up all of the other's tiles wins.

In words. B{highest} is the black {highest}, W0 the white 0. A guess can be as short as its place and tile."""


NEUTRAL = {
    "coda (da vinci code)": "a game", "tile": "token", "tiles": "tokens", "joker": "blank", "jokers": "blanks",
    "pool": "rest", "guess": "try", "guesses": "tries", "guessing": "trying", "draw": "take",
    "drawn": "taken", "draws": "takes", "drew": "took", "drawing": "taking", "deal": "start", "dealt": "given",
    "hit": "right try", "miss": "wrong try", "face up": "in the open", "face down": "hidden", "turn up": "open",
    "turns up": "opens",
}  # fmt: skip
"""The words that recall the game, for players that shall not know it."""

WORDS = Words(describe, action_text, narrate, "The opponent", rules_text=rules_text, neutral=NEUTRAL)

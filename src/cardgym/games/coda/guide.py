"""Coda for people at a table: both lines in 80 columns, the end in one line, and the rules."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.coda.state import NONE, OPTIONAL, OVER, PLAY_ON, YES, hidden, lines_shown
from cardgym.games.coda.text import describe, tile_name


def picture(state: State, seat: int) -> str:
    """Both lines under their places, the tile drawn, and what past misses rule out, in 80 columns."""
    if not lines_shown(state):
        return describe(state, seat)
    head = describe(state, seat).splitlines()[0]
    longest = max(int(state.length[0]), int(state.length[1]))
    places = "".join(f"{place:^5}" for place in range(longest))
    lines = [head, f"Place     {places}".rstrip()]
    for owner, name in ((1 - seat, "Opponent"), (seat, "You")):
        tiles = "".join(f"{_tile(state, owner, place, owner == seat):^5}" for place in range(state.length[owner]))
        lines.append(f"{name:<10}{tiles}".rstrip())
    if state.turn == seat and state.drawn != NONE:
        lines.append(f"Drawn     {tile_name(state, int(state.drawn))} (not in your line yet)")
    ruled_out = []
    for place in range(state.length[1 - seat]):
        denied = int(state.denied[state.line[1 - seat, place]])
        if hidden(state, 1 - seat, place) and denied:
            names = " ".join(tile_name(state, tile) for tile in range(state.n) if denied >> tile & 1)
            ruled_out.append(f"{place} is not {names}")
    if ruled_out:
        lines.append("Misses    " + "; ".join(ruled_out))
    lines.append("[brackets: face down; yours are hidden from the opponent]")
    if state.phase == OVER:
        lines.append(ending(state, seat))
    return "\n".join(lines)


def _tile(state: State, owner: int, place: int, own: bool) -> str:
    tile = int(state.line[owner, place])
    name = tile_name(state, tile)
    if not hidden(state, owner, place):
        return name
    back = "BW"[tile % 2] if state.colour_visible == YES else "?"
    return f"[{name}]" if own else f"[{back}?]"


def ending(state: State, seat: int) -> str:
    """The end in one line."""
    if state.phase != OVER:
        return ""
    return "You have won" if state.winner == seat else "The opponent has won"


def rules_text(state: State) -> str:
    """The rules with these options, for somebody who plays."""
    jokers = ""
    if state.jokers:
        jokers = " Two jokers, B- and W-, stand wherever their owner puts them, and keep their place."
    stop = "you guess again"
    if state.continuation == OPTIONAL:
        stop = "you guess again, or stop: then your drawn tile goes into your line face down"
    empty = "Whoever draws the last tile wins at once."
    if state.empty == PLAY_ON:
        empty = (
            "When the pool is empty, turns go on without a draw, and a miss turns up a tile of yours that you choose."
        )
    return f"""\
CODA (Da Vinci Code), two players, {state.n} tiles

Tiles are black or white and have the numbers 0 to 11: B7 is the black 7, W0 the white 0. Each player stands
{state.n_start} of them in a line, sorted from left to right; of one number, black stands left of white.{jokers}
You see your own tiles and the backs of the opponent's, which show their colour.

In your turn you draw a tile, look at it, and name a tile of the opponent's: its place, counted from 0, and what
it is. Type both, such as `3 W7`.
A hit turns that tile up, and {stop}.
A miss ends the turn: the tile you have drawn goes into your line face up.

{empty}
Whoever has turned up all of the other's tiles wins."""

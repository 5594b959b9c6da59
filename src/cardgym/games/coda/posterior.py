"""The posterior over the opponent's tiles, given what a seat has seen and how a known player acts.

The lines of the first turn are enumerated, with the probabilities that the player would have put dealt jokers where
they are. From then on the worlds are followed move by move, see `cardgym.experiments.exploit.posterior.Worlds`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardgym.arena.playouts import Decisions
from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Int64s, State, rule
from cardgym.experiments.exploit.posterior import Known, States, Worlds
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import tiles_by_place

_FIRST_LINES = 1 << 15
"""Room for the lines of a first turn, with the tile just drawn; there are fewer."""


class LinePosterior(Worlds):
    """The worlds of games that have too many deals to list."""

    def start(self, states: States, who: Int64s, deals: Int64s) -> None:
        """Begin once lines are shown. A seat that sets its own jokers before that knows nothing of the other's."""
        shown = states["phase"] >= coda.DRAWING
        super().start(states, np.where(shown, who, -1), deals)
        for game in np.flatnonzero((who == self._seats) & ~shown).tolist():
            self.known[game] = self._redraw(states[game : game + 1], int(self._seats[game]))

    def begin(self, state: States, seat: int, deal: int) -> Known:
        lines = np.repeat(state, _FIRST_LINES)
        worlds: States = lines[: _list_lines(lines, seat)].copy()
        chances = np.ones(len(worlds))
        for joker in range(int(state["jokers"][0])):
            before = worlds.copy()
            places = np.full(len(worlds), -1)
            _take_back(before, 1 - seat, joker, places)
            if (rows := np.flatnonzero(places >= 0)).size:
                draws, source = self._generator.random(len(rows)), self._generator.integers(0, 2**63, 2, np.uint64)
                decisions = Decisions(self.game, self.options, before.take(rows), np.full(len(rows), 1 - seat))
                shares = decisions.probabilities_of(self.player, draws, source)
                chances[rows] *= shares[np.arange(len(rows)), places[rows]]
        return Known(worlds, chances, exact=True).thinned(self._generator)


@compiled
def _list_lines(worlds: Any, seat: int) -> int:
    """Write every line that the other seat may have in a first turn, with the tile that it has just drawn.

    `worlds`, (room,), are copies of the game. Returns how many there are.
    """
    other = 1 - seat
    aside = worlds[0].turn == other and worlds[0].drawn != coda.NONE
    if aside:
        worlds[0].held[other] &= ~(1 << int(worlds[0].drawn))
    free = coda.unseen(worlds[0], seat)
    fits = tiles_by_place(worlds[0], other, free)
    size, numbers = fits.shape[0], coda.num_numbers(worlds[0])
    tiles = np.full(size + 1, -1, np.int64)
    count, place = 0, 0
    while place >= 0:
        tiles[place] += 1
        tile = tiles[place]
        if tile >= worlds[0].n:
            tiles[place] = -1
            place -= 1
            continue
        if place == size:  # A line is full: the tile is the one set aside, if there is one.
            if aside and (_used(tiles, size) | ~free) >> tile & 1:
                continue
            _write_line(worlds[count], other, tiles, aside)
            count += 1
            if not aside:
                tiles[place] = -1
                place -= 1
            continue
        if fits[place] >> tile & 1 and not _used(tiles, place) >> tile & 1 and _ascends(tiles, place, numbers):
            place += 1
    return count


@rule
def _used(tiles: Int64s, size: int) -> int:
    used = 0
    for place in range(size):
        used |= 1 << tiles[place]
    return used


@rule
def _ascends(tiles: Int64s, last: int, numbers: int) -> bool:
    """Whether the tile at `last` is a joker, or greater than all numbers before it."""
    smaller = True
    for place in range(last):
        smaller = smaller and not tiles[last] < tiles[place] < numbers
    return bool(smaller)


@rule
def _write_line(state: State, other: int, tiles: Int64s, aside: bool) -> None:
    """Give the other seat these tiles, the last one set aside, and the pool the rest; nobody has guessed yet."""
    size = int(state.length[other])
    mine = int(state.held[1 - other])
    for place in range(size):
        state.entered[state.line[other, place]] = 0
    state.held[other] = 0
    for place in range(size):
        state.line[other, place] = tiles[place]
        state.entered[tiles[place]] = max(int(state.n_start), 1)
        state.held[other] |= 1 << tiles[place]
    if aside:
        state.drawn = tiles[size]
        state.held[other] |= 1 << tiles[size]
    state.pool = ((1 << int(state.n)) - 1) & ~(mine | int(state.held[other]))


@compiled
def _take_back(states: Any, other: int, joker: int, places: Int64s) -> None:
    """Go back to where the other seat sets a dealt joker.

    Args:
        states: games in the first turn, (worlds,); they change.
        joker: its number, 0 or 1; the second is set after the first.
        places: filled in with the actions that set it, (worlds,); -1 where it was not dealt or had only one place.
    """
    for i in range(states.shape[0]):
        state = states[i]
        numbers = coda.num_numbers(state)
        kept, at = 0, -1
        for place in range(state.length[other]):
            tile = int(state.line[other, place])
            if tile == numbers + joker:
                at = kept
            if tile < numbers + joker:
                state.line[other, kept] = tile
                kept += 1
        if at < 0 or kept == 0:
            continue
        places[i] = coda.place_action(state, at)
        if state.drawn != coda.NONE:
            state.pool |= 1 << int(state.drawn)
            state.pool_size += 1
            state.held[state.turn] &= ~(1 << int(state.drawn))
            state.drawn = coda.NONE
        for place in range(kept, state.length[other]):
            state.line[other, place] = coda.NONE
        state.length[other] = kept
        for later in range(joker, 2):
            if int(state.held[other]) >> (numbers + later) & 1:
                state.waiting[other] |= 1 << (numbers + later)
                state.entered[numbers + later] = 0
        state.phase = coda.SETTING
        state.turn = other

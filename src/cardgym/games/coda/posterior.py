"""The posterior over the opponent's tiles, given what a seat has seen and how a known player acts.

The lines of the first turn are enumerated, with the probabilities that the player would have put dealt jokers where
they are. From then on the worlds are followed move by move, see `cardgym.experiments.exploit.posterior.Worlds`. Nobody
sees whether the other seat had a choice where to put its drawn tile, so a world with a choice is weighed by it, and one
without is not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Int64s, State, rule
from cardgym.experiments.exploit.posterior import Known, States, Worlds, compiled_for, views
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
                shares = self._probabilities(before.take(rows), 1 - seat)
                chances[rows] *= shares[np.arange(len(rows)), places[rows]]
        return Known(worlds, chances, exact=True).thinned(self._generator)

    def _follow(
        self, games: npt.NDArray[np.intp], states: States, before: Int64s, actions: Int64s, who: Int64s
    ) -> None:
        theirs = before[games] == 1 - self._seats[games]
        for game in games[theirs].tolist():
            self._answer(game, states, int(actions[game]))
        if not theirs.all():
            super()._follow(games[~theirs], states, before, actions, who)

    def _answer(self, game: int, states: States, action: int) -> None:
        """Weigh the worlds of a game by what the other seat did, then by where its drawn tile lies."""
        known, state = self.known[game], states[game : game + 1]
        worlds, weights, other = known.states, known.weights, 1 - self._seats[game]
        if not self._places(worlds, other).any() and (worlds["turn"] == other).all():
            shares = self._probabilities(worlds, int(other))[:, action]
            rows = np.flatnonzero(shares)
            worlds, weights = worlds.take(rows), weights[rows] * shares[rows]
            self._move(worlds, np.full(len(rows), action))
        if not self._places(state, other)[0]:
            choosing = self._places(worlds, other)
            asked = worlds.take(np.flatnonzero(choosing))
            shares = self._probabilities(asked, int(other))
            rows, moves = np.nonzero(shares)
            put = asked.take(rows)
            self._move(put, moves)
            worlds = np.concatenate([worlds.take(np.flatnonzero(~choosing)), put])
            weights = np.concatenate([weights[~choosing], weights[choosing][rows] * shares[rows, moves]])
            view = self._views(state, game)[0]
            same = np.flatnonzero([each == view for each in self._views(worlds, game)])
            worlds, weights = worlds.take(same), weights[same]
        self._keep(game, replace(known, states=worlds, weights=weights), states)

    def _places(self, states: States, other: int) -> npt.NDArray[np.bool_]:
        """Whether the other seat is to place its drawn tile, (worlds,)."""
        places: npt.NDArray[np.bool_] = (states["phase"] == coda.PLACING) & (states["turn"] == other)
        return places

    def _views(self, states: States, game: int) -> list[bytes]:
        return views(self.game, self.options, states, int(self._seats[game]))

    def _move(self, states: States, moves: Int64s) -> None:
        compiled_for(self.game)[1](states, moves)


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

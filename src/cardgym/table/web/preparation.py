"""Compiling what a game needs before a person sits down, in the background."""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
import time

from cardgym.errors import CardgymError
from cardgym.table.coach.coach import Coach
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

PAUSE = 5.0
"""Seconds between a table and its coach: whoever sits down meanwhile should not wait for the coach."""

_MAX_KINDS = 100
"""Kinds of tables that are prepared at most: others compile when they are opened."""


class Preparation:
    """Plays a few moves of each kind of table that is asked for, and asks its coach, once."""

    def __init__(self) -> None:
        self._waiting: queue.LifoQueue[GameSetup] = queue.LifoQueue()
        self._known: set[tuple[object, ...]] = set()

    def ask(self, setup: GameSetup) -> None:
        """Prepare tables of this kind next, and then those that were asked for before."""
        names = {player.name for player in setup.players if player is not None}
        kind = (setup.game.id, setup.options.num_players, setup.about.get("hints"), *sorted(names))
        full = len(self._known) == _MAX_KINDS or sys.platform == "emscripten"  # A page has no threads.
        if full or kind in self._known:
            return
        if not self._known:  # A daemon: whoever stops the server need not wait for what nobody has asked for.
            threading.Thread(target=self._work, daemon=True, name="preparation").start()
        self._known.add(kind)
        self._waiting.put(setup)

    def _work(self) -> None:
        while True:
            with contextlib.suppress(CardgymError):  # Whoever opens the table is told.
                _prepare(self._waiting.get())


def _prepare(setup: GameSetup) -> None:
    session = Session(setup)
    if session.watched:
        session.step()
        return
    session.play()
    time.sleep(PAUSE)
    if session.legal_actions() and setup.about.get("hints") != "off":
        Coach(session.game, session.options).advise(session.state, session.seat, session.names())

"""The tables: games in memory while somebody plays at them, in the record always.

A table that is idle is put away to make room, and comes back from the record when somebody asks for it: so does one
that another process has played on at, and so do all after a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.exceptions import HTTPException

from cardgym.table.coach import Coach
from cardgym.table.game_log import GameLog, StaleGameError
from cardgym.table.presentation import ending_of, reveals_of, view_of
from cardgym.table.session import Event, Session, Setup
from cardgym.table.web.lobby import player_called

T = TypeVar("T")

THREADS = 8
"""How many tables can be worked at at once; a player who thinks for long takes one."""

MAX_FOLLOWERS = 16
"""How many pages may follow one table."""

HEARTBEAT_SECONDS = 15.0


class Table:
    """A game that is in memory.

    Attributes:
        session: the game.
        hints: when the coach speaks.
        lock: held by whoever works at it.
        used: when it was last asked for, in seconds of the monotonic clock.
        ended: whether the page has been shown the end.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.hints = str(session.about.get("hints", "off"))
        self.lock = asyncio.Lock()
        self.used = time.monotonic()
        self.ended = False
        self._coach: Coach | None = None

    def advice(self) -> dict[str, Any]:
        """What the coach says of the person's decision."""
        session = self.session
        if self.hints == "off":
            raise HTTPException(403, "this table was opened without hints")
        if not session.legal_actions():
            raise HTTPException(409, "it is not your turn")
        if self._coach is None:
            self._coach = Coach(session.game, session.options)
        return self._coach.advise(session.state, session.seat).asdict()

    def shown(self) -> dict[str, Any]:
        """The table as its person may see it."""
        session = self.session
        game, state, actions, over = session.game, session.state, session.legal_actions(), session.over
        self.ended = over
        view = view_of(game, state, session.seat, actions)
        entry = session.entry() if over else None
        return {
            "table": session.id,
            "game": game.id,
            "options": session.options.asdict(),
            "seat": None if session.watched else session.seat,
            "names": session.names("you"),
            "hints": self.hints,
            "version": session.version,
            "ended": over,
            "view": view,
            "actions": [
                {
                    "action": action,
                    "text": game.words.action_text(state, action),
                    "items": view["actions"].get(action, []),
                    "key": str(number) if number < 10 else "",
                }
                for number, action in enumerate(actions, 1)
            ],
            "narration": [{"seat": seat, "text": text} for seat, text in session.narration],
            "result": entry
            and {
                "text": ending_of(game, state, session.viewer),
                "max_score": entry["max_score"],
                "players": entry["players"],
            },
            "undone": session.undone,
            "can_undo": session.can_undo,
            "seed": str(session.seed) if over else None,  # Whoever knows the seed knows all cards.
        }

    def shown_events(self, events: list[Event]) -> list[dict[str, Any]]:
        """Events as the person may see them, without those that cannot be seen."""
        session = self.session
        game = session.game
        return [
            {
                "seat": event.seat,
                "text": event.text,
                "view": view_of(game, event.after, session.seat),
                "reveals": reveals_of(game, event.before, event.move, event.after, session.viewer),
            }
            for event in events
            if event.text
        ]


class Tables:
    """All tables of a server."""

    def __init__(self, game_log: GameLog, most: int, idle_seconds: float) -> None:
        """Keep tables in this record, at most `most` in memory; those idle for so long may be put away."""
        self.game_log = game_log
        self._most = most
        self._idle_seconds = idle_seconds
        self._tables: OrderedDict[str, Table] = OrderedDict()  # Those asked for last at the end.
        self._threads = ThreadPoolExecutor(THREADS, "table")
        self._followers: dict[str, set[asyncio.Event]] = {}

    def __len__(self) -> int:
        """How many tables are in memory."""
        return len(self._tables)

    async def work(self, function: Callable[..., T], *given: Any) -> T:
        """Call a function that may take its time, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *given)

    async def open(self, setup: Setup, owner: str) -> Table:
        """Deal a game at a new table.

        Raises:
            HTTPException: if there is no room.
        """
        self._make_room()
        table = await self.work(self._deal, setup, owner)
        self._tables[table.session.id] = table
        return table

    def _deal(self, setup: Setup, owner: str) -> Table:
        session = Session(setup, self.game_log, owner)
        if not session.watched:
            session.play()
        return Table(session)

    @contextlib.asynccontextmanager
    async def at(self, id: str) -> AsyncIterator[Table]:
        """The table of that id, for one who works at it alone; from the record if need be.

        Raises:
            HTTPException: where there is none.
        """
        while True:
            table = self._tables.get(id) or await self._restore(id)
            async with table.lock:
                if self._tables.get(id) is not table:  # Put away while we waited.
                    continue
                if await self.work(self.game_log.num_rows, id) != table.session.version:
                    del self._tables[id]  # Another process has played on.
                    continue
                table.used = time.monotonic()
                self._tables.move_to_end(id)
                try:
                    yield table
                except StaleGameError:
                    self._tables.pop(id, None)
                    raise
                return

    async def _restore(self, id: str) -> Table:
        self._make_room()
        table = await self.work(self._take_out, id)
        return self._tables.setdefault(id, table)  # Somebody else may have been faster.

    def _take_out(self, id: str) -> Table:
        if not any(self.game_log.entries(id=id, moves=False)):
            raise HTTPException(404, "there is no such table")
        session = Session.restore(self.game_log, id, player_called)
        if not session.watched:
            session.play()  # What came next when the server ended.
        return Table(session)

    def _make_room(self) -> None:
        """If there are too many tables, put away one whose game is over, or that is idle for longest.

        Raises:
            HTTPException: where none is idle.
        """
        if len(self._tables) < self._most:
            return
        long_ago = time.monotonic() - self._idle_seconds
        for id, table in self._tables.items():
            if (table.ended or table.used <= long_ago) and not table.lock.locked():
                del self._tables[id]
                return
        raise HTTPException(503, f"all {self._most} tables are taken; try again later")

    # -- pages that follow a table ------------------------------------------------------------------------------------

    def changed(self, id: str) -> None:
        """Tell the pages that follow a table to look again."""
        for follower in self._followers.get(id, ()):
            follower.set()

    def followers(self, id: str) -> int:
        """How many pages follow a table."""
        return len(self._followers.get(id, ()))

    async def versions(self, id: str) -> AsyncIterator[int | None]:
        """The table's version now and whenever it changes; None where nothing has happened for a while."""
        followers = self._followers.setdefault(id, set())
        follower = asyncio.Event()
        followers.add(follower)
        try:
            told = -1
            while True:
                follower.clear()
                version = await self.work(self.game_log.num_rows, id)
                yield version if version != told else None
                told = version
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(follower.wait(), HEARTBEAT_SECONDS)
        finally:
            followers.discard(follower)
            if not followers:
                self._followers.pop(id, None)

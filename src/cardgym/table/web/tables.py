"""The tables of a server: games in memory while people play, and always in the game log.

A table may be evicted to make room. It is restored from the log when it is next requested, as are a table that another
process has continued and all tables after a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cached_property
from typing import Any

from starlette.exceptions import HTTPException

from cardgym.engine.contract import State
from cardgym.table.coach.coach import Coach
from cardgym.table.coach.review import decision
from cardgym.table.game_log import GameLog, StaleGameError
from cardgym.table.narration import PUBLIC, Event, knows, public_reveals, public_showdown, public_view
from cardgym.table.people import shown_name
from cardgym.table.presentation import offered, presentation_of, text_of, view_of
from cardgym.table.session import Session
from cardgym.table.setup import LESSON, LEVEL, PERSON, RESIGNED, TABLE, GameSetup, Resolve
from cardgym.table.views import Reveal, View, listed
from cardgym.table.web.requests import dump, paid_in, work, work_for
from cardgym.table.web.seats import JOIN, NONCE, REMATCH, by_link, commitment, copy_for, open_seats

MAX_FOLLOWERS = 16
"""The maximum number of pages of one browser, or of one client who watches, that follow a table."""

HEARTBEAT_SECONDS = 15.0

_VERDICT = ("seat", "text", "cost", "unit", "grade", "best_text")

_LEFT = "You have left the lesson: play on as you like, or undo to return to it."


class Table:
    """A game that is in memory.

    Attributes:
        guests: the owners of the records of those who joined by link, by seat, as far as their pages have asked.
        meanwhile: while a player may think for minutes, what a `look` found before, by viewer.
        coaching: held while the coach thinks; the game goes on meanwhile.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.guests: dict[int, str] = {}
        self.hints = str(session.about.get("hints", "off"))
        self.lock, self.coaching = asyncio.Lock(), asyncio.Lock()
        self.meanwhile: dict[int, tuple[dict[str, Any], list[Event]]] = {}

    def keep(self) -> None:
        """Keep how the table looks as `meanwhile`."""
        several = len(self.session.persons) > 1
        viewers = (*self.session.persons, PUBLIC) if several else (self.session.seat,)
        self.meanwhile = {viewer: self.look(viewer) for viewer in viewers}

    def look(self, viewer: int) -> tuple[dict[str, Any], list[Event]]:
        """Return the table as JSON for one viewer, and what happened so far, as far as that viewer knows of it."""
        return self.as_json(viewer), self.since(0, viewer)

    @cached_property
    def _coach(self) -> Coach:
        return Coach(self.session.game, self.session.options)

    def advice(self, viewer: int, glance: bool = False) -> Callable[[], dict[str, Any]]:
        """Return what asks the coach about the decision of the person at a seat; see `standing`.

        Args:
            glance: whether to give a first answer at a glance, if there is one.
        """
        session, coach = self.session, self._coach
        if self.hints == "off":
            raise HTTPException(403, "this table was opened without hints")
        if not session.legal_actions(viewer):
            raise HTTPException(409, "it is not your turn")
        state, names = session.state, session.names()
        session.note_help()

        def ask() -> dict[str, Any]:
            first = coach.glance(state, viewer) if glance else None
            return {**(first or coach.advise(state, viewer, names)).asdict(), "first": first is not None}

        return ask

    def standing(self, at: str = "", judge: bool = False) -> Callable[[], dict[str, Any]]:
        """Return what values every seat of a watched game, given all cards, and if asked to `judge`, the last decision.

        The caller holds the table's lock; what is returned needs `coaching` instead.

        Args:
            at: the number of a move among those that were told, as text: how the game stood then.
        """
        session, coach = self.session, self._coach
        if not session.watched:
            raise HTTPException(403, "only a watched game shows how the seats stand: it needs all cards")
        told = [event for event in session.events if event.text]
        place = min(int(at), len(told)) if at.isdecimal() and len(at) < 9 else len(told)
        state = told[place].after if place < len(told) else session.state
        made = next((event for event in reversed(told[: place + 1]) if event.is_choice), None) if judge else None
        version, names = self.version(session.seat), session.names()

        def ask() -> dict[str, Any]:
            found = {"version": version, "values": coach.standing(state), "unit": coach.standing_unit}
            if made is None:
                return found
            verdict = decision(0, 0, made, names[made.seat], coach.advise(made.before, made.seat, names))
            return {**found, "verdict": {name: getattr(verdict, name) for name in _VERDICT}}

        return ask

    def as_json(self, viewer: int) -> dict[str, Any]:
        """Return the table as JSON for one viewer; see `viewer_of`."""
        session = self.session
        game, state, over = session.game, session.state, session.over
        actions = offered(game, state, session.legal_actions(viewer))
        people = session.narrator.people(viewer)
        view = self._view_at_end(viewer) if over else self._view(state, viewer, actions)
        turn, mode = session.turn, session.about.get(TABLE, "one")
        others_turn = turn in session.persons and turn != viewer and not over
        return {
            "table": session.id,
            "game": game.id,
            "options": session.options.asdict(),
            "seat": viewer if viewer >= 0 else None,
            "people": mode,
            "host": session.viewer,
            "turn": turn if mode == "hot" and others_turn else None,
            "waits_for": people[turn] if others_turn else "",
            "code": session.about.get(JOIN, "") if viewer in session.persons else "",
            "rematch": session.about.get(REMATCH, "") if viewer in session.persons else "",
            "names": people,
            "kinds": ["" if name == PERSON else shown_name(name) for name in session.names()],
            "level": session.about.get(LEVEL, ""),
            "opponents": session.opponents,
            "hints": self.hints,
            "version": self.version(viewer),
            "ended": over,
            "view": view,
            "banners": self._banners(viewer) if over else [],
            "actions": listed(view, {action: text_of(game, state, action) for action in actions}),
            "narration": [{"seat": seat, "text": text} for seat, text in session.narrator.texts[self._reader(viewer)]],
            "tip": presentation_of(game).tip(state, viewer) if actions else "",
            "lesson": self._lesson(),
            "result": self._result(viewer) if over else None,
            "can_undo": session.can_undo,
            "seed": str(session.seed) if over else None,  # The seed determines all cards.
            "nonce": session.about.get(NONCE) if over else None,
            "commitment": commitment(session),
        }

    def own_copy(self, game_log: GameLog, viewer: int, owner: str) -> dict[str, str]:
        """Copy a game into the records of those who joined by link as soon as it is over; nothing for the owner."""
        if by_link(self.session) and viewer in self.session.persons[1:] and owner:
            self.guests[viewer] = owner
        if not self.session.over:
            return {}
        copies = {seat: copy_for(game_log, self.session, seat, guest) for seat, guest in self.guests.items()}
        return {"record": copies[viewer]} if viewer in copies else {}

    def _last(self, viewer: int) -> dict[str, Any] | None:
        """Return the event that ended the game; None if it was resigned."""
        resigned = RESIGNED in self.session.about
        return None if resigned else self._event_as_json(self.session.last, viewer)

    def _view_at_end(self, viewer: int) -> View:
        """Return the hands that the last move turned up, or all cards, as in the review."""
        session, last = self.session, self._last(viewer)
        opened = view_of(session.game, session.state, -1, (), session.narrator.people(viewer))
        return (last and last["showdown"]) or opened

    def _banners(self, viewer: int) -> list[Reveal]:
        """Who won by which rule."""
        last = self._last(viewer)
        return [reveal for reveal in last["reveals"] if reveal.get("banner")] if last else []

    def _result(self, viewer: int) -> dict[str, Any]:
        session, people = self.session, self.session.narrator.people(viewer)
        if RESIGNED in session.about:
            text = f"{people[session.about[RESIGNED]]} resigned"
        else:
            text = presentation_of(session.game).ending(session.state, max(viewer, 0), people)
        return {"text": text, "players": session.entry()["players"], **paid_in(session.game.id)}

    def version(self, viewer: int) -> int:
        """Count the moves that a viewer knows of: how many there are may tell what others hide."""
        return self.session.narrator.known[self._reader(viewer)]

    def seen(self, viewer: int) -> tuple[int, int]:
        """Return the version, and a number that changes with all that a viewer sees of the table."""
        return self.version(viewer), hash(dump([open_seats(self.session), self.as_json(viewer)]))

    def since(self, version: int, viewer: int) -> list[Event]:
        """Return what happened since a version, as far as a viewer knows of it."""
        reader = self._reader(viewer)
        return [event for event in self.session.events if knows(reader, event.seat, event.texts[reader])][version:]

    def events_as_json(self, events: list[Event], viewer: int) -> list[dict[str, Any]]:
        """Events as a viewer may see them, without those that cannot be seen."""
        reader = self._reader(viewer)
        return [self._event_as_json(event, viewer) for event in events if event.texts[reader]]

    def _event_as_json(self, event: Event, viewer: int) -> dict[str, Any]:
        game, transition = self.session.game, (event.before, event.move, event.after)
        people = self.session.narrator.people(viewer)
        if viewer == PUBLIC:
            showdown = public_showdown(game, *transition, people)
            reveals = public_reveals(game, *transition, people)
        else:
            table = presentation_of(game)
            showdown = table.showdown(*transition, viewer, people)
            reveals = table.reveals(*transition, viewer, people)
        text, view = event.texts[self._reader(viewer)], self._view(event.after, viewer)
        return {"seat": event.seat, "text": text, "view": view, "showdown": showdown, "reveals": reveals}

    def _view(self, state: State, viewer: int, actions: Sequence[int] = ()) -> View:
        game, people = self.session.game, self.session.narrator.people(viewer)
        return public_view(game, state, people) if viewer == PUBLIC else view_of(game, state, viewer, actions, people)

    def _lesson(self) -> dict[str, Any] | None:
        """Return what the lesson says now; None if there is none, or if the person has left it."""
        session = self.session
        lesson, made = presentation_of(session.game).lessons.get(session.game.id), session.choices
        if lesson is None or LESSON not in session.about or RESIGNED in session.about:
            return None
        if made != [action for action, _ in lesson.steps[: len(made)]]:
            just_left = made[:-1] == [action for action, _ in lesson.steps[: len(made) - 1]]
            return {"text": _LEFT, "action": None} if just_left else None
        if session.over:
            return {"text": lesson.closing, "action": None}
        if len(made) == len(lesson.steps):
            return None
        action, text = lesson.steps[len(made)]
        return {"text": f"{len(made) + 1} of {len(lesson.steps)}. {text}", "action": action}

    def _reader(self, viewer: int) -> int:
        """Whose texts a viewer reads."""
        texts = self.session.narrator.texts
        return viewer if viewer in texts else PUBLIC if PUBLIC in texts else self.session.viewer


class Tables:
    """All tables of a server."""

    def __init__(self, game_log: GameLog, resolve: Resolve, max_tables: int, max_unfinished: int) -> None:
        """Keep up to `max_tables` in memory; each person may have `max_unfinished` games.

        `resolve` finds the players of games in the log.
        """
        self.game_log = game_log
        self._resolve = resolve
        self._max_tables, self._max_unfinished = max_tables, max_unfinished
        self._tables: OrderedDict[str, Table] = OrderedDict()  # The latest requested at the end.
        self._dealing = 0  # Games whose players move before the table is kept.
        self._followers: dict[str, dict[asyncio.Event, str]] = {}  # Who follows, the first one first.

    def __len__(self) -> int:
        return len(self._tables)

    async def open(self, setup: GameSetup, owner: str) -> Table:
        """Deal a game at a new table, unless there is no room or the person has too many unfinished games."""
        await work(self._check_unfinished, owner)
        return await self._add(lambda: Session(setup, self.game_log, owner))

    async def branch(self, entry: dict[str, Any], move: int, owner: str) -> Table:
        """Continue a finished game at one of its decisions, at a new table; see `open`."""
        await work(self._check_unfinished, owner)
        return await self._add(lambda: Session.branch(entry, move, self.game_log, owner, self._resolve))

    async def _restore(self, id: str) -> Table:
        if not await work(lambda: any(self.game_log.entries(id=id))):
            raise HTTPException(404, "there is no such table")
        return await self._add(lambda: Session.restore(self.game_log, id, self._resolve))

    async def _add(self, make: Callable[[], Session]) -> Table:
        """Keep a game in memory, and let the players move; if all places are taken, evict the table idle longest."""
        if len(self._tables) + self._dealing >= self._max_tables:
            idle = next((id for id, table in self._tables.items() if not table.lock.locked()), None)
            if idle is None:
                raise HTTPException(503, f"all {self._max_tables} tables are taken; try again later")
            del self._tables[idle]

        self._dealing += 1
        try:
            session = await work(make)
            if not session.watched:
                await work_for(session, session.play)
        finally:
            self._dealing -= 1
        return self._tables.setdefault(session.id, Table(session))  # Another request may have restored it first.

    def _check_unfinished(self, owner: str) -> None:
        """Refuse too many unfinished games, once those in which nothing was decided are deleted, oldest first."""
        too_many = self.game_log.count(owner=owner, finished=False) + 1 - self._max_unfinished
        if too_many <= 0:
            return
        entries = self.game_log.entries(finished=False, owner=owner)
        untouched = [entry["id"] for entry in entries if not _is_decided(entry)]
        for id in untouched[:too_many]:
            self._tables.pop(id, None)
            self.game_log.remove(id)
        if len(untouched) < too_many:
            raise HTTPException(409, f"you have {self._max_unfinished} unfinished games: finish, resign or delete one")

    def meanwhile(self, id: str) -> Table | None:
        """Return the table of that id while a player may think for minutes."""
        table = self._tables.get(id)
        return table if table and table.meanwhile else None

    @contextlib.asynccontextmanager
    async def locked(self, id: str) -> AsyncIterator[Table]:
        """Lock the table of that id, restored from the game log if necessary."""
        while True:
            table = self._tables.get(id) or await self._restore(id)
            async with table.lock:
                if self._tables.get(id) is not table:  # Evicted while we waited.
                    continue
                if await work(self.game_log.num_rows, id) != table.session.version:
                    del self._tables[id]  # Another process has continued it.
                    continue
                self._tables.move_to_end(id)
                try:
                    yield table
                except StaleGameError:
                    self._tables.pop(id, None)
                    raise
                return

    async def remove(self, id: str) -> None:
        """Delete a game, and its table if it is in memory."""
        self._tables.pop(id, None)
        await work(self.game_log.remove, id)

    # -- pages that follow a table ------------------------------------------------------------------------------------

    def changed(self, id: str) -> None:
        """Notify the pages that follow a table."""
        for follower in self._followers.get(id, ()):
            follower.set()

    def followers(self, id: str, who: str) -> int:
        """How many pages of a client or browser, `who`, follow a table."""
        return list(self._followers.get(id, {}).values()).count(who)

    async def versions(self, id: str, who: str) -> AsyncIterator[int | None]:
        """Yield the table's version now, after every move and when a person joins; None as a heartbeat.

        It ends when `MAX_FOLLOWERS` later pages of `who` follow the table.
        """
        followers = self._followers.setdefault(id, {})
        if self.followers(id, who) >= MAX_FOLLOWERS:
            oldest = next(page for page, other in followers.items() if other == who)
            del followers[oldest]
            oldest.set()
        follower = asyncio.Event()
        followers[follower] = who
        try:
            sent, changed = -1, False
            while follower in followers:
                follower.clear()
                version = await work(self.game_log.num_rows, id)
                yield version if version != sent or changed else None
                sent = version
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(follower.wait(), HEARTBEAT_SECONDS)
                changed = follower.is_set()  # Without a move if a person has joined.
        finally:
            followers.pop(follower, None)
            if not followers and self._followers.get(id) is followers:
                del self._followers[id]


def _is_decided(entry: dict[str, Any]) -> bool:
    """Whether a person has decided anything in a game."""
    people = {player["seat"] for player in entry["players"] if player["name"] == PERSON}
    return any(seat in people for seat, _ in entry["moves"])

"""The server's application without a server: a page calls it in a worker, with a record in the browser's storage."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from cardgym.engine.registry import registered
from cardgym.errors import CardgymError
from cardgym.files.json_values import parse_json
from cardgym.table.game_entries import GAME_ID, KindTotal
from cardgym.table.game_log import GameLog, Move, check_current, seal_of
from cardgym.table.web.app import make_app

Save = Callable[[str, str | None], object]
"""Keeps a game's text under its id; None deletes it."""


class PageLog(GameLog):
    """A game log in memory; `save` gets the text of each game that has changed."""

    def __init__(self, stored: Mapping[str, str], save: Save) -> None:
        """Take the texts that were saved before, by id; damaged ones are left out when they are read."""
        self._what, self._replayed, self._named = "record", set(), set()
        self._save = save
        self._games: dict[str, tuple[Any, ...]] = {}  # As the database has them: id, env, finished, owner, entry, seal.
        self._moves: dict[str, list[Move]] = {}
        self._totals: dict[str, tuple[str, tuple[KindTotal, ...]]] = {}
        for id, text in sorted(stored.items(), key=lambda item: str(item[1])):  # A text begins with the time.
            self.take(id, text)

    def take(self, id: str, text: object) -> None:
        """Take a game's text as it was saved, perhaps by another window; what is no such text deletes the game."""
        self._games.pop(id, None)
        self._moves.pop(id, None)
        with contextlib.suppress(CardgymError, ValueError, TypeError):
            _, (_, env, finished, _, entry, seal), rows = parse_json(str(text), "a game")
            moves = [(seat, move) for seat, move in rows]
            self._games[id], self._moves[id] = (id, env, finished, "", entry, seal), moves

    def _keep(self, id: str, owner: str, entry: str) -> None:
        values = json.loads(entry)
        game = (id, values["env"], int(values["finished"]), owner, entry)
        self._games[id] = (*game, seal_of(game, self._moves[id]))
        self._save(id, json.dumps([values["time"], self._games[id], self._moves[id]]))

    @contextlib.contextmanager
    def _transaction(self, begin: str = "") -> Iterator[Any]:
        yield

    def _insert(self, id: str, entry: dict[str, Any], owner: str, moves: Sequence[Move]) -> bool:
        if id in self._games:
            return False
        self._moves[id] = [*moves]
        self._keep(id, owner, json.dumps(entry))
        return True

    def append(self, id: str, start: int, moves: Sequence[Move], entry: dict[str, Any] | None = None) -> None:
        stored = (self._games[id][2], self.num_rows(id)) if id in self._games else None
        check_current(stored, start, ends=not moves and bool(entry and entry["finished"]))
        self._moves[id] += moves
        self._keep(id, self._games[id][3], self._games[id][4] if entry is None else json.dumps(entry))

    def remove(self, id: str) -> None:
        self._games.pop(id, None)
        self._moves.pop(id, None)
        self._save(id, None)

    def num_rows(self, id: str) -> int:
        return len(self._moves.get(id, ()))

    def count(self, **wanted: Any) -> int:
        return len(self._matching(**wanted))

    def rows(self, id: str) -> list[Move]:
        return list(self._moves.get(id, ()))

    def _stored(self, wanted: Mapping[str, Any], limit: int) -> list[tuple[tuple[Any, ...], list[Move]]]:
        games = self._matching(**wanted)
        return [(game, self._moves[game[0]]) for game in games[0 if limit < 0 else max(0, len(games) - limit) :]]

    def _matching(self, **wanted: Any) -> list[tuple[Any, ...]]:
        order = [wanted.get(name) for name in ("id", "env", "finished", "owner")]
        return [game for game in self._games.values() if all(map(_is_wanted, order, game))]

    def waiting(self, key: str, value: str) -> str | None:
        """See `GameLog.waiting`: nobody joins a table in a page."""
        return None

    def totals(self, version: str, owner: str | None = None) -> dict[str, tuple[KindTotal, ...]]:
        return {id: totals for id, (made_by, totals) in self._totals.items() if made_by == version}

    def save_totals(self, id: str, version: str, totals: Sequence[KindTotal]) -> None:
        """See `GameLog.save_totals`; a new page computes them again."""
        self._totals[id] = (version, tuple(totals))

    def envs(self, ids: Iterable[str] | None = None) -> set[str]:
        """Return the ids of the games that some entries, or all, are of."""
        return {str(self._games[id][1]) for id in (self._games if ids is None else ids) if id in self._games}


def _is_wanted(wanted: object, value: object) -> bool:
    return wanted is None or wanted == value


class Page:
    """Answers what the server's own page asks."""

    def __init__(self, game_log: PageLog) -> None:
        self._game_log = game_log
        self._app = make_app(game_log)

    def games(self, path: str, body: str) -> list[str]:
        """Return the ids of the games that a request is about: their compiled code should be loaded before it is
        answered.
        """
        words = re.findall(r"[\w.-]+", f"{unquote(path)} {body}")
        logged = self._game_log.envs(word for word in words if re.fullmatch(GAME_ID, word))
        if path.startswith(("/api/lobby", "/api/history")):  # Their games are compared with the rules.
            logged |= self._game_log.envs()
        return [name for name in registered() if name in {*words, *logged}]

    def take(self, id: str, text: object = None) -> None:
        """Take what the same page in another window has saved; nothing if it has deleted the game."""
        self._game_log.take(id, text)

    async def answer(self, method: str, path: str, body: str = "") -> tuple[int, str]:
        """Return the status and the text of the answer."""
        place, _, query = path.partition("?")
        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope: dict[str, Any] = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method}
        scope |= {"path": unquote(place), "raw_path": place.encode(), "query_string": query.encode(), "root_path": ""}
        scope |= {"scheme": "http", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "headers": headers}
        content, status = bytearray(), 500

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body.encode(), "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            content.extend(message.get("body", b""))

        await self._app(scope, receive, send)
        return status, content.decode()

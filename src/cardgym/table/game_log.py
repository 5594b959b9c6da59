"""The record: every game that a person played or watched, in one SQLite file, move by move as they are made.

Several processes may use the file at once. A game is an entry, in plain values, and a list of moves that replays it to
the bit. The moves are only ever added to: taking moves back adds a row that says how many are left.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from cardgym.errors import CardgymError
from cardgym.files.atomic import replacing, user_folder
from cardgym.table.entries import read_entries

Move = tuple[int, int]
"""A move as it is kept: the seat that decided, CHANCE or UNDO, and the action, outcome or number of moves left."""

CHANCE, UNDO = -1, -2

_VERSION = 2
_SCHEMA = """
create table if not exists games (
    id text primary key, env text not null, finished integer not null, owner text not null, entry text not null);
create table if not exists moves (
    game text not null references games (id), n integer not null, seat integer not null, move integer not null,
    primary key (game, n)) without rowid;
create table if not exists totals (
    game text primary key references games (id), version text not null, totals text not null) without rowid;
"""
_WAIT_SECONDS = 30.0
"""How long to wait for another process that is writing."""


class StaleGameError(CardgymError):
    """Another process has played on in this game; restore it and look again."""


def data_folder() -> Path:
    """The user's data folder for cardgym; `CARDGYM_DATA_DIR` moves it.

    Raises:
        CardgymError: for a user without a home folder.
    """
    folder = user_folder("CARDGYM_DATA_DIR", platformdirs.user_data_path)
    if folder is None:
        raise CardgymError("there is no home folder to keep games in; name a folder with CARDGYM_DATA_DIR")
    return folder


def live_moves(rows: Iterable[Move]) -> list[Move]:
    """The moves that were not taken back."""
    moves: list[Move] = []
    for seat, move in rows:
        if seat == UNDO:
            del moves[move:]
        else:
            moves.append((seat, move))
    return moves


class GameLog:
    """The file of games.

    An entry is a dictionary with `env`, `settings` (the options), `seed`, `game` (its number among the games of that
    seed), `time` (of its start, ISO 8601), `finished`, `max_score`, `players` (name, seat, score, return and metrics of
    each, the person first), `person` (the seat; None where it was watched), `seat_drawn`, `versions`, and with
    `id`, `moves` (seat and action; -1 is chance) and `undone` (how often moves were taken back) when it is read.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Open the file, and make it if need be.

        Args:
            path: the file; None for the one in the user's data folder.

        Raises:
            CardgymError: for a file that cannot be written, or is no record.
        """
        self.path = path or data_folder() / "record.sqlite"
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CardgymError(f"cannot write {self.path}: {error.strerror or error}") from None
        with self._errors():
            self._database = sqlite3.connect(
                self.path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            # A killed process loses nothing, and each write costs no wait for the disk.
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = normal")
            [(version,)] = self._database.execute("pragma user_version")
            if version > _VERSION:
                raise CardgymError(f"record {self.path}: written by a later cardgym; update cardgym")
            if version < _VERSION:
                self._database.executescript(f"begin; {_SCHEMA} pragma user_version = {_VERSION}; commit;")
        if version == 0 and path is None:
            self._import_old_logs()

    def close(self) -> None:
        """Close the file."""
        with self._lock:  # A thread may be writing.
            self._database.close()

    def add(self, id: str, entry: dict[str, Any], owner: str = "", moves: Sequence[Move] = ()) -> bool:
        """Add a game; whether it is new. `owner` is whose table it is, where a server has several people's."""
        with self._writing() as database:
            values = (id, entry["env"], entry["finished"], owner, _text(entry))
            new = database.execute("insert or ignore into games values (?, ?, ?, ?, ?)", values).rowcount == 1
            if new:
                database.executemany("insert into moves values (?, ?, ?, ?)", _rows(id, 0, moves))
        return new

    def append(self, id: str, start: int, moves: Sequence[Move], entry: dict[str, Any] | None = None) -> None:
        """Add moves to a game that holds `start` of them, and where it has ended, its last entry.

        Raises:
            StaleGameError: where the game holds more moves by now.
            CardgymError: where the file cannot be written.
        """
        with self._writing() as database:
            try:
                database.executemany("insert into moves values (?, ?, ?, ?)", _rows(id, start, moves))
            except sqlite3.IntegrityError:
                raise StaleGameError("another window has played on in this game; look again") from None
            if entry is not None:
                values = (entry["finished"], _text(entry), id)
                database.execute("update games set finished = ?, entry = ? where id = ?", values)

    def remove(self, id: str) -> None:
        """Forget a game."""
        with self._writing() as database:
            database.execute("delete from moves where game = ?", (id,))
            database.execute("delete from totals where game = ?", (id,))
            database.execute("delete from games where id = ?", (id,))

    def length(self, id: str) -> int:
        """How many rows of moves a game has, those taken back included."""
        [(length,)] = self._read("select count(*) from moves where game = ?", (id,))
        return int(length)

    def rows(self, id: str) -> list[Move]:
        """All rows of moves of a game, with those taken back."""
        return [
            (seat, move) for seat, move in self._read("select seat, move from moves where game = ? order by n", (id,))
        ]

    def moves(self, id: str) -> list[Move]:
        """The moves of a game, without those taken back."""
        return live_moves(self.rows(id))

    def game(self, id: str, owner: str | None = None) -> dict[str, Any]:
        """The entry of a game, with its moves.

        Raises:
            CardgymError: for a game that is not in the record.
        """
        for entry in self.games(id=id, owner=owner):
            return entry
        raise CardgymError("no such game in the record")

    def games(
        self,
        env: str | None = None,
        *,
        finished: bool | None = None,
        owner: str | None = None,
        id: str | None = None,
        moves: bool = True,
        most: int = -1,
    ) -> Iterator[dict[str, Any]]:
        """Entries of the games asked for, those begun first first.

        Args:
            env: of this game only.
            finished: only those that ended, or that did not.
            owner: only those of this owner.
            id: only this one.
            moves: whether to read `moves` and `undone` too.
            most: only so many, those begun last.
        """
        wanted = {"env": env, "finished": finished, "owner": owner, "id": id}
        given = {name: value for name, value in wanted.items() if value is not None}
        where = " and ".join(f"{name} = ?" for name in given) or "1"
        query = f"select id, entry from games where {where} order by rowid desc limit ?"
        for game_id, text in reversed(self._read(query, (*given.values(), most))):
            entry = {"id": game_id, **json.loads(text)}
            if moves:
                rows = self.rows(game_id)
                entry["moves"] = [list(move) for move in live_moves(rows)]
                entry["undone"] = sum(seat == UNDO for seat, _ in rows)
            yield entry

    # -- totals of reviews --------------------------------------------------------------------------------------------

    def totals(self, version: str) -> dict[str, Any]:
        """What `keep_totals` kept for each game's id under this version; that of other versions is left out."""
        rows = self._read("select game, totals from totals where version = ?", (version,))
        return {game_id: json.loads(text) for game_id, text in rows}

    def keep_totals(self, id: str, version: str, totals: Any) -> None:
        """Keep plain values that are dear to compute for a game, in place of those of an earlier version.

        Raises:
            CardgymError: where the file cannot be written, or the game is not in the record.
        """
        with self._writing() as database:
            if not database.execute("select 1 from games where id = ?", (id,)).fetchone():
                raise CardgymError("no such game in the record")
            database.execute("insert or replace into totals values (?, ?, ?)", (id, version, _text(totals)))

    # -- JSON lines ---------------------------------------------------------------------------------------------------

    def export(self, path: Path) -> int:
        """Write all games as JSON lines, a game a line; returns how many.

        Raises:
            CardgymError: where the file cannot be written.
        """
        count = 0
        with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
            for count, entry in enumerate(self.games(), 1):  # noqa: B007
                file.write(_text(entry) + "\n")
        return count

    def import_lines(self, path: Path) -> int:
        """Add the games of a file of JSON lines that are not in the record yet; returns how many.

        Logs of earlier versions hold no moves: their games count in reports, but cannot be replayed.

        Raises:
            CardgymError: for a file that is missing, or a line that is no game; then nothing is added.
        """
        count = 0
        for entry in read_entries(path):
            moves = [(seat, move) for seat, move in entry.pop("moves", ())]
            rows = [*moves, *[(UNDO, len(moves))] * entry.pop("undone", 0)]
            id = entry.pop("id", None) or f"log-{hashlib.sha256(_text(entry).encode()).hexdigest()[:22]}"
            count += self.add(id, entry, moves=rows)
        return count

    def _import_old_logs(self) -> None:
        """Add what earlier versions logged, when the record is made."""
        for log in sorted((data_folder() / "play").glob("*.jsonl")):
            try:
                self.import_lines(log)
            except CardgymError as error:
                print(f"cardgym: not in the record: {error}", file=sys.stderr)

    # -- the database -------------------------------------------------------------------------------------------------

    def _read(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._lock, self._errors():
            return self._database.execute(query, tuple(values)).fetchall()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it or nothing."""
        with self._lock, self._errors():
            self._database.execute("begin immediate")
            try:
                yield self._database
                self._database.execute("commit")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._database.execute("rollback")
                raise

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CardgymError(f"cannot write {self.path}: {error}") from None


def _rows(id: str, start: int, moves: Sequence[Move]) -> Iterator[tuple[str, int, int, int]]:
    for n, (seat, move) in enumerate(moves, start):
        yield id, n, seat, move


def _text(value: Any) -> str:
    return json.dumps(value, allow_nan=False)

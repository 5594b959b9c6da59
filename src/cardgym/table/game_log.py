"""The game log: every game that people play or watch, saved move by move in one SQLite file, and its JSON export.

Several processes may use the file at once. A game is an entry of plain values and a list of moves that replays it
exactly. Moves are only ever added: taking moves back adds a row with the number of moves that remain.
"""

from __future__ import annotations

import contextlib
import functools
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from cardgym.engine.cache import user_folder
from cardgym.engine.contract import Game
from cardgym.engine.registry import find
from cardgym.errors import CardgymError, printable
from cardgym.files import opened, replacing
from cardgym.files.documents import parse_document
from cardgym.files.json_values import digest_of, parse_json, sealed
from cardgym.table.game_entries import KindTotal, SavedTotals, checked, export_line, print_left_out
from cardgym.table.setup import is_secret

with contextlib.suppress(ImportError):  # A page has no SQLite; it keeps its games elsewhere.
    import sqlite3

Move = tuple[int, int]
"""The seat that decided, CHANCE or UNDO; and the action, the outcome, or the number of moves that remain."""

UNDO = -3
"""In place of a seat: moves were taken back. CHANCE is the engine's."""

_APPLICATION, _VERSION = 0x6361_7264, 1
"""What SQLite's header says about a game log: its application id, `card` in ASCII, and the version of its tables."""
_SCHEMA = f"""
create table games (
    id text primary key, env text not null, finished integer not null, owner text not null, entry text not null,
    seal text not null default '');
create table moves (
    game text not null references games (id), n integer not null, seat integer not null, move integer not null,
    primary key (game, n)) without rowid;
create table totals (
    game text primary key references games (id), version text not null, totals text not null) without rowid;
pragma application_id = {_APPLICATION};
pragma user_version = {_VERSION};
"""
_WAIT_SECONDS = 30.0
"""How long to wait while another process writes."""


class StaleGameError(CardgymError):
    """Another process has added moves to this game; restore it and look again."""


def data_folder() -> Path:
    """Return the user's data folder for cardgym; `CARDGYM_DATA_DIR` moves it.

    Raises:
        CardgymError: if the user has no home folder.
    """
    folder = user_folder("CARDGYM_DATA_DIR", platformdirs.user_data_path)
    if folder is None:
        raise CardgymError("there is no home folder to keep games in; name a folder with CARDGYM_DATA_DIR")
    return folder


def default_path() -> Path:
    """Return the user's own game log."""
    return data_folder() / "games.sqlite"


def live_moves(rows: Iterable[Move]) -> list[Move]:
    """Return the moves that were not taken back; `CardgymError` if a row takes back what is not there."""
    moves: list[Move] = []
    for seat, move in rows:
        if seat == UNDO:
            if not isinstance(move, int) or not 0 <= move < len(moves):
                raise CardgymError(f"moves: {len(moves)} moves cannot be taken back to {move}")
            del moves[move:]
        else:
            moves.append((seat, move))
    return moves


class GameLog:
    """A file of games.

    An entry is a dictionary with `env`, `options`, `seed`, `game` (its number among the games of that seed), `time` (of
    its start, ISO 8601), `finished`, `max_score`, `players` (name, seat, score, return and metrics of each; a person
    first, then in order of play), `person` (the person's seat; None if the game was watched), `versions` and `about`.
    Those read back also have `id`, `moves` (pairs of seat and move, without those taken back) and `undone` (how many
    times moves were taken back, as far as `most_undone` allows).

    Each game has a digest of its entry and its moves. What is read back went through `checked`; others are left out.
    """

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        """Open the file; create it, for this account alone, if it does not exist, unless it is opened read-only.

        Args:
            path: the file; None for the user's own.
            read_only: write nothing to the file or its folder.

        Raises:
            CardgymError: if the file cannot be written or is not a game log; it is then left as it was.
        """
        self.path = path or default_path()
        self._what, self._lock = f"game log {self.path}", threading.Lock()
        self._replayed, self._named = set[str](), set[str]()  # Digests of games replayed; games left out and named.
        if read_only or self.path.exists() or self.path.is_symlink():
            opened(self.path, self._what).close()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not (read_only or self.path.exists()):
                self.path.touch(mode=0o600)
        except OSError as error:
            raise CardgymError(f"cannot write {self.path}: {error.strerror or error}") from None
        address = f"{self.path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        if read_only and not self.path.with_name(f"{self.path.name}-wal").exists():
            address += "&immutable=1"  # Nothing writes to it, and SQLite then needs no side files.
        with self._errors():
            self._database = sqlite3.connect(
                address, uri=True, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._database.text_factory = lambda text: text.decode(errors="replace")
            try:
                self._check(read_only)
            except BaseException:
                self._database.close()
                raise

    def _check(self, read_only: bool) -> None:
        """Check that the file is a game log, before anything is written; make its tables if it is empty."""
        if not read_only and self._kind() == (0, 0, 0):
            # With these, a killed process loses nothing, and a write does not wait for the disk.
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("begin immediate")
            if self._kind() == (0, 0, 0):  # No other process was faster.
                for statement in _SCHEMA.split(";"):
                    self._database.execute(statement)
            self._database.execute("commit")
        application, version, _ = self._kind()
        if application != _APPLICATION:
            raise CardgymError(f"{self._what}: not a game log of cardgym; name another file, or move it away")
        if version != _VERSION:
            what = "a later cardgym; update cardgym" if version > _VERSION else "an earlier cardgym; move it away"
            raise CardgymError(f"{self._what}: written by {what}")
        self._database.execute("select id, env, finished, owner, entry, seal, seat, move from games, moves limit 1")
        if not read_only:
            self._database.execute("pragma synchronous = normal")

    def _kind(self) -> tuple[int, int, int]:
        """Return the application id, the version, and how many tables there are."""
        tables = "(select count(*) from sqlite_master)"
        query = f"select application_id, user_version, {tables} from pragma_application_id, pragma_user_version"
        [(application, version, count)] = self._database.execute(query)
        return application, version, count

    def close(self) -> None:
        """Close the file."""
        with self._lock:  # A thread may be writing.
            self._database.close()

    # -- games --------------------------------------------------------------------------------------------------------

    def add(self, id: str, entry: dict[str, Any], owner: str = "", moves: Sequence[Move] = ()) -> bool:
        """Add the game `id`, an `entry` and its `moves`; return whether it is new. `owner` is whose it is."""
        with self._transaction():
            return self._insert(id, entry, owner, moves)

    def append(self, id: str, start: int, moves: Sequence[Move], entry: dict[str, Any] | None = None) -> None:
        """Add moves to the game `id`, which has `start` rows; when the game has ended, `entry` is its final one.

        Raises:
            StaleGameError: if the game has other rows by now, has ended or is deleted.
            CardgymError: if the file cannot be written.
        """
        with self._transaction() as database:
            ends = not moves and bool(entry and entry["finished"])  # Such as with the code for a rematch.
            check_current(database.execute(_ROWS, (id,)).fetchone(), start, ends=ends)
            database.executemany("insert into moves values (?, ?, ?, ?)", _rows(id, start, moves))
            if entry is not None:
                values = (entry["finished"], json.dumps(entry, allow_nan=False), id)
                database.execute("update games set finished = ?, entry = ? where id = ?", values)
            _set_seal(database, id)

    def remove(self, id: str) -> None:
        """Delete the game `id`."""
        with self._transaction() as database:
            for table, key in (("moves", "game"), ("totals", "game"), ("games", "id")):
                database.execute(f"delete from {table} where {key} = ?", (id,))

    def num_rows(self, id: str) -> int:
        """Return the number of rows of moves of the game `id`, including those taken back."""
        [(count,)] = self._read("select count(*) from moves where game = ?", (id,))
        return int(count)

    def count(self, **wanted: Any) -> int:
        """Return how many games match `wanted`, readable or not; see `read`."""
        where, values = _matching(wanted)
        [(count,)] = self._read(f"select count(*) from games where {where}", values)
        return int(count)

    def rows(self, id: str) -> list[Move]:
        """Return the rows of moves of the game `id`, including those taken back."""
        return self._read(_MOVES, (id,))

    def entry(self, id: str) -> dict[str, Any]:
        """Return the game `id` with its moves.

        Raises:
            CardgymError: if the log has no such game.
        """
        entries, unreadable = self.read(id=id)
        if not entries:
            raise CardgymError(*unreadable.values() or ["no such game in the log"])
        return entries[0]

    def entries(self, env: str | None = None, **wanted: Any) -> list[dict[str, Any]]:
        """Return the games that `read` finds by `env` and `wanted`; unreadable ones are named on stderr once."""
        entries, unreadable = self.read(env, **wanted)
        print_left_out([f"{self._what}: {reason}" for id, reason in unreadable.items() if id not in self._named])
        self._named |= set(unreadable)
        return entries

    def read(
        self,
        env: str | None = None,
        *,
        finished: bool | None = None,
        owner: str | None = None,
        id: str | None = None,
        limit: int = -1,
    ) -> tuple[list[dict[str, Any]], dict[str, str]]:
        """Return the latest `limit` games by `env`, `finished` and `owner`, oldest first; by id, why some fail."""
        wanted = {"env": env, "finished": finished, "owner": owner, "id": id}
        entries, unreadable, found = [], {}, functools.cache(find)
        for game, moves in self._stored(wanted, limit):
            try:
                entries.append(self._entry(game, moves, found))
            except CardgymError as error:
                unreadable[str(game[0])] = str(error)
        return entries, unreadable

    def _stored(self, wanted: Mapping[str, Any], limit: int) -> list[tuple[tuple[Any, ...], list[Move]]]:
        """Return the rows that `read` makes entries of, each with its moves."""
        where, values = _matching(wanted)
        query = f"select {_GAME} from games where {where} order by rowid desc limit ?"
        with self._transaction("begin") as database:
            games = database.execute(query, (*values, limit)).fetchall()
            return [(game, database.execute(_MOVES, game[:1]).fetchall()) for game in games[::-1]]

    def _entry(self, game: tuple[Any, ...], rows: list[Move], found: Callable[[str], Game]) -> dict[str, Any]:
        """Return a game as an entry; `CardgymError` if it was damaged or is not what cardgym writes."""
        id, env, finished, _, text, seal = game
        where = f"game {printable(str(id), 60)}"
        try:
            whole = isinstance(text, str) and seal == seal_of(game[:-1], rows)
            moves = live_moves(rows)
        except (CardgymError, TypeError):  # The latter for bytes, which no column holds.
            whole = False
        if not whole:
            raise CardgymError(f"{where}: damaged or changed by hand")
        values = parse_json(text, where)
        if not isinstance(values, dict) or (values.get("env"), values.get("finished")) != (env, finished):
            raise CardgymError(f"{where}: its entry and its row disagree")
        values |= {"id": id, "moves": moves}
        undone = sum(seat == UNDO for seat, _ in rows)
        entry = checked(values, where, undone=undone, replayed=seal in self._replayed, found=found)
        self._replayed.add(seal)
        return entry

    def waiting(self, key: str, value: str) -> str | None:
        """Return the id of an unfinished game whose `about` has this value under `key`; None if there is none."""
        about = "case when json_valid(entry) then json_extract(entry, '$.about.' || ?) end"
        found = self._read(f"select id from games where finished = 0 and {about} = ? limit 1", (key, value))
        return str(found[0][0]) if found else None

    # -- what reviews found -------------------------------------------------------------------------------------------

    def totals(self, version: str, owner: str | None = None) -> dict[str, tuple[KindTotal, ...]]:
        """Return what `save_totals` saved by game's id under this version of cardgym, for one `owner` or all."""
        found, (where, values) = {}, _matching({"version": version, "owner": owner})
        query = f"select game, totals from totals join games on game = id where {where}"
        for game_id, text in self._read(query, values):
            with contextlib.suppress(CardgymError):  # Damaged ones are computed again.
                found[game_id] = parse_document(SavedTotals, text, "totals").totals
        return found

    def save_totals(self, id: str, version: str, totals: Sequence[KindTotal]) -> None:
        """Save the totals of the review of the game `id`, replacing any that another version saved.

        Raises:
            CardgymError: if the file cannot be written or the log has no such game.
        """
        with self._transaction() as database:
            if not database.execute("select 1 from games where id = ?", (id,)).fetchone():
                raise CardgymError("no such game in the log")
            values = (id, version, json.dumps(sealed({"totals": totals}), allow_nan=False))
            database.execute("insert or replace into totals values (?, ?, ?)", values)

    # -- JSON lines ---------------------------------------------------------------------------------------------------

    def export(self, path: Path) -> int:
        """Write all games as JSON lines, one game per line; return how many.

        Unfinished games of several people are left out: the seed would tell each the cards of the others.

        Raises:
            CardgymError: if the file cannot be written, or there are no games.
        """
        entries = [entry for entry in self.entries() if not is_secret(entry)]
        if not entries:
            raise CardgymError(f"{self._what}: it has no games to export")
        with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
            file.writelines(map(export_line, entries))
        return len(entries)

    def import_entries(self, entries: Iterable[dict[str, Any]], owner: str = "") -> int:
        """Add `entries` of an export that are not in the log yet, as games of `owner`; return how many."""
        added = 0
        with self._transaction():
            for entry in entries:
                bare = {name: value for name, value in entry.items() if name not in ("id", "moves")}
                added += self._insert(entry["id"], bare, owner, entry["moves"])
        return added

    # -- the database -------------------------------------------------------------------------------------------------

    def _insert(self, id: str, entry: dict[str, Any], owner: str, moves: Sequence[Move]) -> bool:
        """Add a game within a transaction; return whether it is new."""
        values = (id, entry["env"], entry["finished"], owner, json.dumps(entry, allow_nan=False), "")
        new = self._database.execute("insert or ignore into games values (?, ?, ?, ?, ?, ?)", values).rowcount == 1
        if new:
            self._database.executemany("insert into moves values (?, ?, ?, ?)", _rows(id, 0, moves))
            _set_seal(self._database, id)
        return new

    def _read(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._lock, self._errors():
            return self._database.execute(query, tuple(values)).fetchall()

    @contextlib.contextmanager
    def _transaction(self, begin: str = "begin immediate") -> Iterator[sqlite3.Connection]:
        """Open a transaction: all of it is written or none of it, and it sees no writes of other processes."""
        with self._lock, self._errors():
            self._database.execute(begin)
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
        except (sqlite3.Error, UnicodeDecodeError) as error:  # The latter for errors that name damaged tables.
            raise CardgymError(f"{self._what}: cannot be read or written ({printable(str(error))})") from None


def check_current(stored: tuple[int, int] | None, start: int, *, ends: bool) -> None:
    """Refuse to change a game, `stored` as (finished, rows), that is not as it was with `start` rows."""
    if stored is None or stored[1] != start or (stored[0] and not ends):
        raise StaleGameError("this game was continued in another window; look again")


_ROWS = "select finished, (select count(*) from moves where game = id) from games where id = ?"
_GAME = "id, env, finished, owner, entry, seal"
_MOVES = "select seat, move from moves where game = ? order by n"


def _matching(wanted: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return a condition of SQL on columns of the games, and its values; None allows any."""
    given = {name: value for name, value in wanted.items() if value is not None}
    return " and ".join(f"{name} = ?" for name in given) or "1", list(given.values())


def seal_of(game: Sequence[Any], rows: Sequence[Move]) -> str:
    """Return the digest of a game's id, env, finished, owner, entry and rows."""
    return digest_of([*game, rows])


def _set_seal(database: sqlite3.Connection, id: str) -> None:
    """Set the digest of a game as it is now; without that game, nothing."""
    for *game, _ in database.execute(f"select {_GAME} from games where id = ?", (id,)).fetchall():
        seal = seal_of(game, database.execute(_MOVES, (id,)).fetchall())
        database.execute("update games set seal = ? where id = ?", (seal, id))


def _rows(id: str, start: int, moves: Sequence[Move]) -> list[tuple[str, int, int, int]]:
    return [(id, n, seat, move) for n, (seat, move) in enumerate(moves, start)]

"""Games that cannot be, at every door through which the entry of a game comes in: files, uploads and copied logs."""

import asyncio
import contextlib
import copy
import datetime
import functools
import io
import json
import random
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Route

import cardgym.cli
from cardgym import CardgymError, find
from cardgym.cli import main
from cardgym.files.json_values import digest_of
from cardgym.players import CompiledPlayer
from cardgym.table.coach.puzzles import find_puzzle
from cardgym.table.game_entries import checked, parse_entries
from cardgym.table.game_log import GameLog
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup
from cardgym.table.web.app import make_app

ENV = "KuhnPoker-v0"
BAD_ID = "b" * 22


@functools.cache
def _good(env: str) -> str:
    game = find(env)
    options = game.parse_options()
    players = [CompiledPlayer("random")] * (options.num_players - 1)
    session = Session(GameSetup(game, options, players, seed=5, seat=0))
    session.play()
    while not session.over:
        session.act(session.legal_actions()[0])
    entry = {**session.entry(), "id": session.id, "moves": session.moves}
    entry["undone"] = int(any(seat == session.seat for seat, _ in session.moves))
    return json.dumps({**entry, "about": {"hints": "off", "name 0": "Ann"}})


def good(env: str = ENV, **changes: Any) -> dict[str, Any]:
    return {**json.loads(_good(env)), **changes}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values in plain values, the whole included."""
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*path, key))


MISSING, EXTRA = "(missing)", "(extra)"
JUNK: list[Any] = [
    *(None, True, False, -1, 0, 1, 5, 2**31, 2**63, 2**64, 10**19, 1.5, -1e308, float("nan"), float("inf")),
    *("", "\ud800", "\x1b[2J\n", "x" * 5000, "os:x", "human", "honest", "0", [], [[]], [[[0]]], {}, {"a": {"b": []}}),
    *(MISSING, EXTRA, [0] * 5000, {"resigned": 9}, {"resigned": 0}, {"lesson": True}, {"table": "link"}),
]


def changed(entry: dict[str, Any], path: tuple[Any, ...], value: Any) -> Any:
    """An entry with another value at a place."""
    if not path:
        return value
    entry = copy.deepcopy(entry)
    *lead, last = path
    part: Any = functools.reduce(lambda inside, key: inside[key], lead, entry)
    if value is MISSING:
        del part[last]
    elif value is EXTRA and isinstance(part, dict):
        part["\ud800 extra"] = [value]
    elif value is EXTRA:
        part.append(part[last])
    else:
        part[last] = value
    return entry


# -- the doors --------------------------------------------------------------------------------------------------------

COMMANDS = {
    "report": [
        ["report"],
        ["report", "--json"],
        ["report", "FILE"],
        ["report", "--import", "FILE"],
        ["report", "--export", "OUT"],
    ],
    "review": [
        ["review", "FILE", "--list"],
        ["review", "--list"],
        ["review", "LOG", "--list", "--json"],
        ["review", "FILE"],
        ["review", "--step"],
    ],
    "play": [["play", "ENV", "--resume"]],
    "serve": [],  # Its doors are the routes.
}
BODIES: dict[str, list[dict[str, Any]]] = {
    "/api/tables": [{"game": "ENV", "seat": 0}],
    "/api/join": [{"code": "AAAAAA", "name": "Ann"}],
    "/api/tables/{id}/action": [{"version": 0, "action": 0}],
    "/api/tables/{id}/undo": [{"version": 0}],
    "/api/tables/{id}/step": [{"version": 0}],
    "/api/tables/{id}/resign": [{"seat": 0}],
    "/api/puzzles/{id}/solve": [{"action": 0}],
    "/api/history/import": [{"lines": "LINES"}],
    "/api/history/{id}/delete": [{}],
    "/api/history/{id}/again": [{"move": 0}, {"move": 2}],
    "/api/explore": [{"record": "ID"}, {"record": "\ud800"}, {"record": "ID", "move": 1}],
    "/api/explore/outcomes": [{"record": "ID", "at": 0}, {"record": "\ud800", "at": 0}],
}


def ask(app: Starlette, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Ask the application, without a server; an exception in it fails the test."""
    sent: list[Mapping[str, Any]] = []
    content = b"" if body is None else json.dumps(body).encode()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content}

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode()}
    scope |= {"query_string": b"", "headers": headers, "scheme": "http", "server": ("127.0.0.1", 80), "root_path": ""}
    asyncio.run(app({**scope, "client": ("127.0.0.1", 9)}, receive, send))
    answer = b"".join(part.get("body", b"") for part in sent)
    is_json = any(value == b"application/json" for _, value in sent[0]["headers"])
    return sent[0]["status"], json.loads(answer) if is_json else answer


def routes(app: Starlette) -> list[tuple[str, str]]:
    """Method and path of every route but pages, and the stream, which does not end."""
    found = [(method, route.path) for route in app.routes if isinstance(route, Route) for method in route.methods or ()]
    return [(method, path) for method, path in found if method != "HEAD" and "/api/" in path and "stream" not in path]


def copy_into(path: Path, entry: Any, id: str) -> None:
    """Put an entry into a log by hand, with the right digest, as far as a database can hold it."""
    values = dict(entry) if isinstance(entry, dict) else {}
    moves, undone = values.pop("moves", []), values.pop("undone", 0)
    rows = [tuple(move) for move in moves if isinstance(move, list)] if isinstance(moves, list) else []
    values["undone"] = undone
    game = [id, values.get("env"), int(values.get("finished") is True), "", json.dumps(values)]
    plain = [part if isinstance(part, str | int) else str(part) for part in game]
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        kept = [row for row in rows if len(row) == 2 and all(type(part) is int and abs(part) < 2**63 for part in row)]
        with contextlib.suppress(UnicodeEncodeError):
            database.execute("insert into games values (?, ?, ?, ?, ?, ?)", (*plain, digest_of([*plain, kept])))
            database.executemany("insert into moves values (?, ?, ?, ?)", [(id, n, *row) for n, row in enumerate(kept)])


MAKES_A_GAME = ("/api/tables", "/api/history/{id}/again", "/api/history/import")
CHANGES_ITS_GAME = ("/action", "/undo", "/step", "/resign", "/tables/{id}")


def content_of(path: Path) -> dict[str, list[Any]]:
    """All rows of a log by the id of their game, without what reviews found."""
    found: dict[str, list[Any]] = {}
    with contextlib.closing(sqlite3.connect(path)) as database:
        for table in ("games", "moves"):
            for row in database.execute(f"select * from {table} order by 1, 2"):
                found.setdefault(row[0], []).append(row)
    return found


def check_changes(before: dict[str, list[Any]], after: dict[str, list[Any]], path: str, readable: bool) -> None:
    """A door makes one game, changes the game that it is about if that can be read, or changes nothing."""
    changed = {id for id in {*before, *after} if before.get(id) != after.get(id)}
    if path in MAKES_A_GAME:
        assert len(changed) <= 1, path
        assert not changed & {*before}, path
    elif path.endswith("/delete"):
        assert changed == {BAD_ID} - {*after}, path
    else:
        assert changed <= ({BAD_ID} if readable and path.endswith(CHANGES_ITS_GAME) else set()), path


# -- tests ------------------------------------------------------------------------------------------------------------


def test_every_door_is_known(tmp_path: Path) -> None:
    """A command that reads games, or a route with a body, has to be added above."""
    folder = Path(cardgym.cli.__file__).parent
    reads = re.compile(r"GameLog|saved_games|read_entries|open_log")
    assert {path.stem for path in folder.glob("*.py") if reads.search(path.read_text("utf-8"))} == {*COMMANDS, "flags"}
    found = routes(make_app(GameLog(tmp_path / "games.sqlite")))
    assert {path for method, path in found if method == "POST"} == {*BODIES, "/api/prepare"}  # No game.


REFUSED: list[tuple[str, Any]] = [
    *(("seed", value) for value in (-1, 2**63, 2**64, 1.0, "1")),
    *(("person", value) for value in (5, -1, 1, None, True)),
    *(("players.1.seat", value) for value in (0, 5, -1)),
    *(("players.1.name", value) for value in ("human", "", "\ud800")),
    *(("players.0.score", value) for value in (0.5, 7, -1, float("nan"))),
    ("players.0.return", 100),
    *(("max_score", value) for value in (0, 2, -1)),
    *(("undone", value) for value in (-1, 100_000, 401, "x")),
    *(("about.resigned", value) for value in (0, 1, 9, "x")),
    *(("about.name 0", value) for value in ("", 5, "x" * 65)),
    *(("about.table", value) for value in ("", "several", 3)),
    *(("time", value) for value in ("", "yesterday", "0001-01-01T00:00:00", "9999-12-31T23:59:59")),
    *(("env", value) for value in ("os:x", "", "Nothing-v0")),
    *(("id", value) for value in ("", "a", "a" * 27, "../" * 8)),
    *(("options", value) for value in ({"hands": 3}, {"": 1})),
    *(
        ("moves", value)
        for value in ([], [[-2, 0]], [[0, 0]] * 100, [[-2, 0], [-2, 0], [1, 0]], [[-2, 10**9]], [[-3, 0]])
    ),
    *((name, MISSING) for name in ("seed", "game", "time", "env", "options", "players", "moves", "finished")),
    ("finished", False),
    ("players.0.metrics", {"points": 1.0}),
]


@pytest.mark.parametrize(("place", "value"), REFUSED)
def test_what_cannot_be_is_refused_in_one_line_with_its_field(place: str, value: Any) -> None:
    entry = good()
    path = tuple(int(key) if key.isdecimal() else key for key in place.split("."))
    assert checked(entry, "game")["id"] == entry["id"]
    line = json.dumps(changed(entry, path, value)).encode()
    with pytest.raises(CardgymError) as caught:
        parse_entries(line, "file x")
    message = str(caught.value)
    assert message.startswith("file x: line 1 is not a game that cardgym wrote: ")
    assert message.isprintable()
    surrogate = isinstance(value, str) and not value.isascii()
    assert surrogate or value != value or re.search(rf": ({path[0]}|players|undone|finished|moves)\b", message)


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_broken_entry_breaks_nothing(data: st.DataObject) -> None:
    valid = good(
        id=BAD_ID,
        seed=data.draw(st.integers(0, 2**63 - 1)),
        time=data.draw(st.datetimes(datetime.datetime(2000, 1, 1), datetime.datetime(2999, 1, 1))).isoformat(),
        undone=data.draw(st.integers(0, 100)),
        versions=data.draw(st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=3)),
    )
    assert checked(valid, "game")["seed"] == valid["seed"]
    path = data.draw(st.sampled_from(list(places(valid))))
    entry = changed(valid, path, data.draw(st.sampled_from(JUNK)))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARDGYM_DATA_DIR", folder)
        patch.setattr("cardgym.table.web.puzzles.find_puzzle", functools.partial(find_puzzle, seconds=0.1))
        through_every_door(Path(folder), entry)


@pytest.mark.slow
@pytest.mark.parametrize("env", [env for env in cardgym.registered() if env != "SpikeMini-v0"])  # It is solved first.
def test_no_answer_takes_a_second(env: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second of processor time, whatever else the machine does, once all code is compiled."""
    monkeypatch.setattr("cardgym.table.web.puzzles.find_puzzle", functools.partial(find_puzzle, seconds=0.1))
    choose, answers = random.Random(env), []
    for number in range(31):
        valid = good(env, id=BAD_ID)
        entry = changed(valid, choose.choice(list(places(valid))), choose.choice(JUNK)) if number else valid
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.setenv("CARDGYM_DATA_DIR", str(folder))
        seconds = through_every_door(folder, entry, env)
        answers += seconds if number else []
    slowest = max(answers)
    print(f"{env}: {len(answers)} answers, the slowest after {slowest[0]:.2f} s: {slowest[1]}")
    assert slowest[0] < 1.0, slowest


def through_every_door(folder: Path, entry: Any, env: str = ENV) -> list[tuple[float, str]]:
    """Send an entry through every door, next to a good one; nothing may break, and the good one is always there.

    Returns the seconds of processor time of each answer of the server, and its path.
    """
    try:
        checked(json.loads(json.dumps(entry)), "game")
        accepted = "\\ud" not in json.dumps(entry) and "NaN" not in json.dumps(entry)
    except CardgymError:
        accepted = False
    log, file = folder / "games.sqlite", folder / "some.jsonl"
    file.write_text(json.dumps(entry) + "\n" + json.dumps(good(env)) + "\n")
    with contextlib.closing(GameLog(log)) as game_log:
        game_log.import_entries([checked(good(env), "game")])
    copy_into(log, entry, BAD_ID)
    copied = content_of(log)
    for command in COMMANDS.values():
        for words in command:
            assert run(words, log, file, env) in ((0,) if "--import" in words else (0, 2)), words
            imported = accepted and "--import" in words
            check_changes(copied, content_of(log), "/api/history/import" if imported else words[0], readable=False)
            copied = content_of(log)
    seconds = []
    with contextlib.closing(GameLog(log)) as game_log:
        app = make_app(game_log)
        readable, unreadable = game_log.read(finished=True)
        record = ask(app, "GET", "/api/history")[1]
        assert sum(report["games"] for report in record["reports"]) == len(readable) >= 1
        assert {game["table"] for game in record["unreadable"]} >= set(unreadable)
        for method, path in sorted(routes(app), key=lambda door: "delete" in door[1]):
            where = path.format(id=BAD_ID, game=env)
            for body in BODIES.get(path, [{}]):
                values = {"ID": BAD_ID, "LINES": json.dumps(entry), "ENV": env}
                sent = {key: values.get(str(value), value) for key, value in body.items()}
                before, began = content_of(log), time.process_time()
                status, answer = ask(app, method, where, sent if method == "POST" else None)
                seconds.append((time.process_time() - began, where))
                check_changes(before, content_of(log), path, accepted)
                assert status < 500, (where, answer)
                assert status < 400 or answer["error"].isprintable()
        assert ask(app, "GET", "/api/history")[1]["unreadable"] == []
    return seconds


def run(words: list[str], log: Path, file: Path, env: str) -> int:
    """Run a command; one line at most for each game left out, and no traceback."""
    names = {"LOG": log, "FILE": file, "OUT": file.with_suffix(".out.jsonl"), "ENV": env}
    errors = io.StringIO()
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(errors),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sys.stdin", io.StringIO())
        code = main([str(names.get(word, word)) for word in words])
    assert "Traceback" not in errors.getvalue(), errors.getvalue()
    return code

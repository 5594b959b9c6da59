"""Malformed and hostile requests: each gets a 4xx answer of one line."""

import contextlib
import json
import random
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

GAME = "CorellianSpike-v0"
JUNK: list[Any] = json.loads(
    """[null, true, false, -1, 0, 1, 1.5, 1e308, -9223372036854775808, 2147483648, 9007199254740992, "", "x", "0",
    "NaN", [], {}, [[]], {"a": 1}, {"": ""}, "../../etc/passwd", "checkpoints/dqn.safetensors", "\\u0000", "\\ud800",
    "%s%n", "' or 1", "cardgym.cli:CorellianSpike-v0", "os:system", "Corellian Spike-v0", "__class__"]"""
)
JUNK += [2**64, 10**400, "é" * 50, "a" * 9000, [None] * 100]
BAD = [value for value in JUNK if value not in (0, 1, 2**31, [], {}, None)]
"""Values that none of the explorer's fields can have."""
PATHS = """
    /.. /../../etc/passwd /static/../app.py /static/%2e%2e/app.py /static/..%2f..%2fapp.py /static/%00
    /static//etc/passwd /static/. /static/%5c..%5capp.py /static /API/lobby //api/lobby /symbols/../x.svg /symbols/.svg
    /symbols/os:system.svg /api /api/ /api/lobby/x /api/tables/ /api/tables/x /api/tables/%ff /api/tables/ID
    /api/tables/ID/action /api/tables/ID/stream /api/history/x/review /api/history/ID/replay /api/tables/../../../..
    /%0d%0aSet-Cookie:x /.git/config /.env * /;/ \x7f /\x7f /static/%C0%AE%C0%AE/ /\u202e
""".replace("ID", "A" * 22).split()
PATHS += ["/static/" + "a" * 280, "/a" * 150, "/api/tables/" + "a" * 9000, "/static/\t"]


@dataclass(frozen=True)
class Target:
    """A server with an unfinished game: its id, its version and a legal action."""

    port: int
    table: str
    version: int
    action: int


def requests(target: Target, count: int, seed: int) -> Iterator[bytes]:
    """Invalid requests."""
    rng = random.Random(seed)
    for _ in range(count):
        yield rng.choice((*KINDS, *[_bad_form] * 7))(rng, target)


def _request(target: Target, method: str, path: str, body: bytes | None = None, **headers: str | None) -> bytes:
    fields: dict[str, str | None] = {"Host": f"127.0.0.1:{target.port}", "Connection": "close"}
    if body is not None:
        fields |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value is not None)]
    return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + (body or b"")


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _right(target: Target) -> tuple[str, bytes]:
    """A valid request."""
    return f"/api/tables/{target.table}/action", _json({"action": target.action, "version": target.version})


def _noise(rng: random.Random, target: Target) -> bytes:
    return rng.randbytes(rng.randrange(1, 400)) + b"\r\n\r\n"


def _bad_line(rng: random.Random, target: Target) -> bytes:
    line = rng.choice(
        ("GET", "GET /", "GET / HTTQ/1.1", " GET / HTTP/1.1", "G\x00T / HTTP/1.1", "GET  / HTTP/1.1", "/")
    )
    return f"{line}\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()


def _bad_path(rng: random.Random, target: Target) -> bytes:
    path = rng.choice(PATHS) if rng.random() < 0.7 else "/x" + "".join(chr(rng.randrange(33, 127)) for _ in range(30))
    return _request(target, rng.choice(("GET", "POST", "PUT")), path, b"{}" if rng.random() < 0.5 else None)


def _bad_method(rng: random.Random, target: Target) -> bytes:
    method = rng.choice(("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", "A" * 200))
    return _request(target, method, rng.choice(("/api/lobby", "/api/tables", _right(target)[0])), b"{}")


def _foreign(rng: random.Random, target: Target) -> bytes:
    """A valid action from another origin."""
    path, body = _right(target)
    here = f"127.0.0.1:{target.port}"
    elsewhere = f"http://127.0.0.1:{target.port + 1}"
    origins = ("null", "http://evil.example", f"http://{here}.evil.example", "", elsewhere, f"ftp://{here}")
    hosts = (None, "", "evil.example", "127.0.0.1.evil.example", "[::", "a" * 5000, "127.1")
    headers: list[tuple[str, str | None]] = [
        *(("Origin", origin) for origin in (*origins, f"http://{here}/")),
        *(("Sec_Fetch_Site", site) for site in ("cross-site", "same-site", "x")),
        *(("Host", host) for host in hosts),
        *(("Content_Type", kind) for kind in ("text/plain", "application/x-www-form-urlencoded", "", "text/json")),
    ]
    name, value = rng.choice(headers)
    return _request(target, "POST", path, body, **{name: value})


NUMBERS = [value for value in JUNK if value not in (0, 1)] + [10**6, 2**31 - 1]
LINE = {"game": GAME, "options": {}, "moves": [], "seed": 1}
PEOPLE = {"game": GAME, "seat": 0, "opponents": ["human"], "people": "hot", "names": ["Ann", "Bob"]}
FORMS: list[tuple[str, dict[str, Any], dict[str, list[Any]]]] = [
    ("/api/tables/TABLE/action", {"action": 0, "version": 0}, {"action": NUMBERS, "version": NUMBERS, "seed": [1]}),
    ("/api/tables/TABLE/undo", {"version": 0}, {"version": NUMBERS}),
    ("/api/tables/TABLE/step", {"version": 0}, {"version": BAD, "state": [1], "__proto__": [1]}),
    ("/api/tables/TABLE/resign", {"seat": 0}, {"extra": BAD, "seat": [[], {}, 1.5]}),
    (
        "/api/tables",
        {"game": GAME, "seat": 0},
        {
            "game": JUNK,
            "options": [[], 1, {"hands": 0}, {"hands": 1e9}, {"hands": True}, {"nothing": 1}, {"hands": [1]}],
            "opponents": ["heuristic", [1], ["../x"], ["a.safetensors"], ["random"] * 9, ["random"] * 99, {"a": 1}],
            "seat": [-1, 2, 1.5, True, "0", "ANY", [], 10**30],
            "seed": [-1, 1.5, "1", True, 2**53, 10**300, []],
            "hints": [None, 1, "ALWAYS", [], "x" * 3000],
            "extra": [1],
        },
    ),
    (
        "/api/tables",
        PEOPLE,  # Tables of several people.
        {
            "people": ["one", "link", "", 1, None, []],
            "names": ["Ann", [1], ["Seat 1"], ["<b>"], ["a" * 21], ["a", "b", "c"], {"a": 1}, ["\u202e"]],
            "opponents": [["human", "human"], ["heuristic"], "human", [None]],
        },
    ),
    ("/api/join", {"code": "AAAAAA", "name": "Ann"}, {"code": JUNK, "name": JUNK}),
    ("/api/explore", LINE, {name: BAD for name in ("game", "options", "moves", "seed", "change", "record")}),
    ("/api/explore", LINE, {"moves": [[value] for value in BAD], "change": [{"step": 1.5, "outcome": 0}, {"step": 0}]}),
    ("/api/explore/outcomes", {"game": GAME, "moves": [], "at": 0}, {"at": BAD, "extra": [1]}),
    ("/api/history/import", {"lines": ""}, {"lines": [*filter(None, BAD), "{}\n" * 3000]}),
    (f"/api/puzzles/{'A' * 22}/solve", {"action": 0}, {"mu": BAD, "sigma": BAD}),
]
"""Paths, valid bodies, and values that make them invalid; `version` and `action` are those of the target."""


def _bad_form(rng: random.Random, target: Target) -> bytes:
    path, valid, wrong = rng.choice(FORMS)
    body = {name: getattr(target, name, value) for name, value in valid.items()}
    name = rng.choice(list(wrong))
    body[name] = rng.choice(wrong[name])
    return _request(target, "POST", path.replace("TABLE", target.table), _json(body))


def _bad_body(rng: random.Random, target: Target) -> bytes:
    path, right = _right(target)
    bodies: tuple[Callable[[], bytes], ...] = (
        lambda: b"",
        lambda: rng.randbytes(200),
        lambda: right[: rng.randrange(1, len(right))],
        lambda: b"[" * 8000,
        lambda: b'{"a":' * 2500 + b"1" + b"}" * 2500,
        lambda: b'{"action": ' + b"9" * 6000 + b"}",
        lambda: b'{"action": NaN, "version": Infinity}',
        lambda: _json(rng.choice(JUNK)),
        lambda: b" " * 20_000 + right,
        lambda: "\ufeff{}".encode("utf-16"),
    )
    return _request(target, "POST", path, rng.choice(bodies)())


def _bad_framing(rng: random.Random, target: Target) -> bytes:
    path, body = _right(target)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nContent-Type: application/json\r\n".encode()
    return head + rng.choice(
        (
            b"Content-Length: -1\r\n\r\n",
            b"Content-Length: 1e3\r\n\r\n" + body,
            b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + body,
            b"Content-Length: 99999999999999999999\r\n\r\n" + b"a" * 20_000,
            b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + body,
            b"Transfer-Encoding: chunked\r\n\r\n" + b"4000\r\n%b\r\n" % (b"a" * 0x4000) * 2 + b"0\r\n\r\n",
            b"X: " + b"a" * 30_000 + b"\r\n\r\n",
            b"X: a\r\n" * 4000 + b"\r\n",
            b"X\x00Y: a\r\n\r\n",
            b": a\r\n\r\n",
            b" folded\r\n\r\n",
        )
    )  # fmt: skip


KINDS = (_noise, _bad_line, _bad_path, _bad_path, _bad_method, _foreign, _foreign, _bad_body, _bad_body, _bad_framing)


def answer_to(target: Target, request: bytes) -> bytes:
    """The server's answer to a request."""
    answer = bytearray()
    with socket.create_connection(("127.0.0.1", target.port), timeout=30) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(request)
        with contextlib.suppress(ConnectionError):
            while chunk := connection.recv(65536):
                answer += chunk
                if _complete(answer):
                    break
    return bytes(answer)


def _complete(answer: bytearray) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    sizes = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(end) and bool(sizes) and len(body) >= int(sizes[0].partition(b":")[2])


def fault(answer: bytes) -> str | None:
    """What is wrong with the answer to an invalid request; None if it is a 4xx of one line."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 4"):
        return f"no 4xx: {head[:100]!r}"
    if b"Invalid HTTP request received." in body:
        return None  # From uvicorn, in chunks.
    if head.startswith(b"HTTP/1.1 409"):  # This answer includes the game.
        body = json.dumps({"error": json.loads(body)["error"]}).encode()
    if b"\n" in body.strip() or len(body) > 700 or b"Traceback" in body:
        return f"not one line: {body[:200]!r}"
    if body[:1] == b"{" and list(json.loads(body)) != ["error"]:
        return f"not an error: {body[:200]!r}"
    return None

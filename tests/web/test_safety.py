"""The server refuses requests that it should refuse."""

from pathlib import Path

import pytest
from browsing import Server
from hostile import Target, answer_to, fault, requests
from web_server import SPIKE, Client, Served, serving

from cardgym.table.web.app import STATIC


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_requests_get_one_line_and_the_server_survives(tmp_path: Path, count: int) -> None:
    with (tmp_path / "stderr").open("w") as errors:
        server = Server(tmp_path, errors)
        state = Client(server.port).sit_down(game=SPIKE, seed=1)
        target = Target(server.port, state["table"], state["version"], state["actions"][0]["action"])
        for request in requests(target, count, seed=7):
            assert fault(answer_to(target, request)) is None, request
        assert Client(server.port).get(f"/api/tables/{state['table']}") == state
        server.stop()
    assert [line for line in (tmp_path / "stderr").read_text().splitlines() if "compiling" not in line] == []


OURS = ("LocalHost.:1", "127.0.0.1", "[::1]:PORT", "[0:0:0:0:0:0:0:1]", "localhost:")
NOT_OURS = (
    *("[::1]:x", "[::1", "::1", "[::1]]", "[127.0.0.1]", "[localhost]", "[::1%lo]", "x[::1]", "[::1]x", "", ":1"),
    *("user:pw@127.0.0.1", "@localhost", "127.0.0.1/evil", "127.0.0.1?", "127.0.0.1#", "127.0.0.1:65536"),
    *("evil.example\\@127.0.0.1", "localhost,evil.example", "localhost evil", "127.0.0.1:+1", "127.0.0.1:1:1"),
    *("127.1", "0x7f.0.0.1", "2130706433", "127.0.0.1..", "localhost..", "127.0.0.01"),
)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1:PORT", "Sec_Fetch_Site": "same-origin"}, 200),
        ({"Host": "localhost:PORT", "Origin": "http://localhost:PORT"}, 200),
        ({"Host": "localhost:9999"}, 200),  # A forwarded port.
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:PORT"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 400),
        ({"Host": "192.168.1.7:PORT"}, 400),
        *(({"Host": host}, 200) for host in OURS),
        *(({"Host": host}, 400) for host in NOT_OURS),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_origins_and_hosts_are_refused(server: Served, method: str, headers: dict[str, str], status: int) -> None:
    given = {name: value.replace("PORT", str(server.port)) for name, value in headers.items()}
    if method == "GET":
        assert server.client.raw("GET", "/api/lobby", **given)[0] == status
    else:
        body = {"game": SPIKE, "seat": 0}
        assert server.client.raw("POST", "/api/tables", body, **given)[0] == (201 if status == 200 else status)


def test_shared_server_accepts_only_addresses_and_its_own_name(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite", hosts=None, shared=True) as served:
        for host in ("192.168.1.7:8000", "[fe80::1]:8000", "localhost:8000"):
            assert served.client.raw("GET", "/api/lobby", Host=host)[0] == 200
        for host in (
            "rebound.example:8000",
            "192.168.1.7/x",
            "a@192.168.1.7",
            "[192.168.1.7]",
            "fe80::1",
            "[fe80::1]:y",
        ):
            assert served.client.raw("GET", "/api/lobby", Host=host)[0] == 400
    with serving(tmp_path / "games.sqlite", hosts=("Table.Lan.", "localhost"), shared=True) as served:
        for host in ("table.lan", "TABLE.LAN.:80", "localhost:1"):
            assert served.client.raw("GET", "/api/lobby", Host=host)[0] == 200
        assert served.client.raw("GET", "/api/lobby", Host="table.lan.evil")[0] == 400


def test_answers_must_not_be_framed_sniffed_or_cached(client: Client) -> None:
    _, headers, _ = client.raw("GET", "/api/lobby")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_the_page_asks_for_all_modules_at_once_and_a_browser_keeps_them(client: Client) -> None:
    page = client.raw("GET", "/")[2].decode()
    modules = [path.name for path in STATIC.glob("*.js")]
    assert len(modules) == page.count("modulepreload") > 10
    for name in modules:
        assert f'<link rel="modulepreload" href="/static/{name}">' in page
    _, headers, _ = client.raw("GET", "/static/main.js")
    assert headers["cache-control"] == "no-cache"
    again, _, body = client.raw("GET", "/static/main.js", If_None_Match=headers["etag"])
    assert (again, body) == (304, b"")


def test_ids_are_long_and_random(client: Client) -> None:
    ids = {client.sit_down(game=SPIKE, seed=1)["table"] for _ in range(20)}
    assert len(ids) == 20
    assert all(len(id) == 22 for id in ids)


@pytest.mark.parametrize(
    ("path", "zipped"),
    [("/", True), ("/symbols/Cribbage-v0.svg", True), ("/static/table.js", True), ("/api/lobby", False)],
)
def test_only_responses_that_are_the_same_for_everyone_are_compressed(client: Client, path: str, zipped: bool) -> None:
    status, headers, body = client.raw("GET", path, Accept_Encoding="gzip")
    assert status == 200
    assert (headers.get("content-encoding") == "gzip") == (body[:2] == b"\x1f\x8b") == zipped
    assert headers["x-content-type-options"] == "nosniff"

"""The server refuses requests that it should refuse and sends nothing that a seat cannot know."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from browsing import Server
from hostile import Target, answer_to, fault, requests
from web_server import SPIKE, Client, Served, everything, other_cards, resampled, serving, settled

import cardgym
from cardgym.table.narration import Event
from cardgym.table.presentation import view_of
from cardgym.table.session import Session
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


def test_opponents_and_games_come_from_lists(client: Client, tmp_path: Path) -> None:
    (tmp_path / "player.json").write_text("{}")
    for name in (str(tmp_path / "player.json"), "checkpoints/dqn.safetensors", "heuristc"):
        refused = client.post("/api/tables", {"game": SPIKE, "seat": 0, "opponents": [name]}, 400)
        assert refused["error"].startswith("no such player; CorellianSpike-v0 has random, ")
    assert "no such game" in client.post("/api/tables", {"game": f"os:{SPIKE}", "seat": 0}, 404)["error"]


def test_ids_are_long_and_random(client: Client) -> None:
    ids = {client.sit_down(game=SPIKE, seed=1)["table"] for _ in range(20)}
    assert len(ids) == 20
    assert all(len(id) == 22 for id in ids)


# -- what a seat cannot know ------------------------------------------------------------------------------------------


QUICK = ("CodaOfficial-v0", "CorellianSpike-v0", "Cribbage-v0", "KuhnPoker-v0", "OnePlayPoker-v0")
"""One game of each kind."""
QUICK_COACH = ("Coda-v0", "OnePlayPoker-v0", "KuhnPoker-v0")


@pytest.mark.parametrize(
    ("env", "hints", "games", "decisions"),
    [
        *(
            pytest.param(env, "off", 2, 25, marks=() if env in QUICK else pytest.mark.slow)
            for env in cardgym.registered()
        ),
        *(
            pytest.param(env, "always", 3, 8, marks=() if env in QUICK_COACH else pytest.mark.slow)
            for env in cardgym.registered()
        ),
    ],
)
def test_no_byte_depends_on_what_the_seat_cannot_know(
    server: Served, env: str, hints: str, games: int, decisions: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """At every decision the hidden cards are replaced by others; no byte of any answer changes.

    The coach's advice is asked for as well where there are hints; it takes time, so fewer decisions are compared.
    """
    client, choose = server.client, random.Random(1)
    changed = 0
    for game in range(games):
        settled(client)  # The history changes while finished games are reviewed.
        seed = 987_654_321_012_345 + game
        state = client.sit_down(game=env, seat="any", seed=seed, hints=hints)
        for decision in range(decisions):
            if state["ended"]:
                break
            session = server.tables._tables[state["table"]].session
            asked = {"table": state["table"], "version": state["version"], "advice": hints != "off"}
            before = everything(client, **asked)
            assert any(b'"reason"' in content for *_, content in before) == (hints != "off")
            assert str(seed) not in str(before)
            with other_cards(session, session.seat, decision) as differ:
                changed += differ
                assert everything(client, **asked) == before
            made = listen(session)
            answer = client.act(state, choose.choice(state["actions"])["action"])
            assert answer["state"]["ended"] or str(seed) not in json.dumps(answer)
            check_events(session, made, answer, decision)
            state = answer["state"]
        server.tables.game_log.remove(state["table"])  # Its review would take seconds.
    assert changed or cardgym.find(env).parse_options().num_players == 1  # Alone, without a hidden order.
    out, err = capfd.readouterr()
    assert out == ""
    assert [line for line in err.splitlines() if "compiling" not in line] == []


def listen(session: Session) -> list[Event]:
    """A list that receives the events of the person's next action."""
    events: list[Event] = []

    def act(action: int, *, others: bool = True) -> list[Event]:
        events.extend(Session.act(session, action, others=others))
        return events

    session.act = act  # type: ignore[method-assign]
    return events


def check_events(session: Session, events: list[Event], answer: dict[str, Any], key: int) -> None:
    """Views in events do not depend on hidden cards either, and no event contains chance's move."""
    made = [event for event in events if event.text]
    assert len(made) == len(answer["events"])
    for event, sent in zip(made, answer["events"], strict=True):
        assert sent.keys() == {"seat", "text", "view", "showdown", "reveals"}
        if session.game.rules.num_chance_outcomes(event.after) or session.game.rules.current_player(event.after) >= 0:
            other = resampled(session, event.after, session.seat, key)
            view = view_of(session.game, other, session.seat, (), session.people)
            assert json.loads(json.dumps(view)) == sent["view"]


@pytest.mark.parametrize(
    ("path", "zipped"),
    [("/", True), ("/symbols/Cribbage-v0.svg", True), ("/static/table.js", True), ("/api/lobby", False)],
)
def test_only_responses_that_are_the_same_for_everyone_are_compressed(client: Client, path: str, zipped: bool) -> None:
    status, headers, body = client.raw("GET", path, Accept_Encoding="gzip")
    assert status == 200
    assert (headers.get("content-encoding") == "gzip") == (body[:2] == b"\x1f\x8b") == zipped
    assert headers["x-content-type-options"] == "nosniff"

"""Several people at one table: by link, each seeing only their own seat, and at one screen."""

import hashlib
import json
import random
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_hostile_entries import good
from web_server import SPIKE, Client, Served, serving, slow_player

import cardgym
from cardgym.table.narration import PUBLIC

COOKIES = ("h" * 22, "g" * 22, "s" * 22)
"""The browsers of the host, of the guest and of a spectator."""
SHORT_IDS = ("CorellianSpike-v0", "CodaOfficial-v0", "CribbageDeal-v0")
IDS = [
    env if env in SHORT_IDS else pytest.param(env, marks=pytest.mark.slow)
    for env in cardgym.registered()
    if cardgym.find(env).parse_options().num_players > 1
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("shared") / "games.sqlite", shared=True) as served:
        yield served


def clients(served: Served) -> list[Client]:
    return [Client(served.port, cookie) for cookie in COOKIES]


def open_by_link(host: Client, env: str = SPIKE, **wanted: Any) -> tuple[str, str]:
    """A table with a free seat: its id and its code."""
    body = {"game": env, "seat": 0, "opponents": ["human"], "people": "link", "names": ["Ann"], **wanted}
    table = host.post("/api/tables", body, 201)["table"]
    state = host.get(f"/api/tables/{table}")
    assert state["free"] == 1
    return table, state["code"]


def test_each_person_by_link_sees_only_their_own_seat(shared: Served) -> None:
    """In turn; what the others' cards are, no answer tells: see test_secrets."""
    browsers, choose = clients(shared), random.Random(3)
    table, code = open_by_link(browsers[0], "KuhnPoker-v0")
    assert browsers[1].post("/api/join", {"code": code, "name": "Bob"}) == {"table": table}
    session = shared.tables._tables[table].session
    while not session.over:
        seats = [browser.get(f"/api/tables/{table}") for browser in browsers]
        assert [state["seat"] for state in seats] == [0, 1, None]
        turn = session.turn
        assert [bool(state["actions"]) for state in seats] == [turn == 0, turn == 1, False]
        action = choose.choice(seats[turn]["actions"])["action"]
        for refused, status in ((browsers[1 - turn], 409), (browsers[2], 403)):
            refused.act(seats[turn], action, status)
        browsers[turn].act(seats[turn], action)
    for line in (text for _, text in session.narrator.texts[PUBLIC]):
        assert "You " not in line


def test_a_person_sees_the_others_move_while_a_player_thinks(shared: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    thinking, go_on = slow_player(monkeypatch)
    people = clients(shared)[:2]
    table, code = open_by_link(people[0], opponents=["human", "slow"], options={"num_players": 3})
    people[1].post("/api/join", {"code": code})
    session = shared.tables._tables[table].session
    while session.turn != 2:
        states = [person.get(f"/api/tables/{table}") for person in people]
        mover = session.turn
        state = people[mover].act(states[mover], states[mover]["actions"][1]["action"], others=False)["state"]
    stepping = threading.Thread(target=people[mover].step, args=(state,))
    stepping.start()
    assert thinking.wait(60)
    seen = people[1 - mover].get(f"/api/tables/{table}?since={states[1 - mover]['version']}")
    assert [event["seat"] for event in seen["events"]] == [mover]
    assert seen["events"][0]["text"] == seen["state"]["narration"][-1]["text"]
    go_on.set()
    stepping.join()


def test_names_and_texts_are_those_of_each_person(shared: Served) -> None:
    host, guest, spectator = clients(shared)
    table, code = open_by_link(host)
    assert host.get(f"/api/tables/{table}")["names"] == ["You", "Player 2"]
    guest.post("/api/join", {"code": code.lower(), "name": "रवि O\u2019B"})  # Phones write this apostrophe.
    names = [browser.get(f"/api/tables/{table}")["names"] for browser in (host, guest, spectator)]
    assert names == [["You", "रवि O'B"], ["Ann", "You"], ["Ann", "रवि O'B"]]
    logs = [browser.get(f"/api/tables/{table}")["narration"] for browser in (host, guest, spectator)]
    dealt = [[line["text"] for line in log if "dealt" in line["text"]] for log in logs]
    assert len(dealt[0]) == len(dealt[1]) == 2
    assert dealt[0] != dealt[1]
    assert dealt[2] == []


def test_a_code_is_for_one_person_and_a_seat_stays_theirs(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite", shared=True) as served:
        host, guest, other = clients(served)
        table, code = open_by_link(host)
        assert "no table waits" in guest.post("/api/join", {"code": "AAAAAA"}, 404)["error"]
        assert "names" in guest.post("/api/join", {"code": code, "name": "<b>"}, 400)["error"]
        guest.post("/api/join", {"code": code})
        other.post("/api/join", {"code": code}, 404)
        assert other.get(f"/api/tables/{table}")["seat"] is None
        before = guest.get(f"/api/tables/{table}")
        assert (before["seat"], before["code"]) == (1, "")
        nobody = Client(served.port)
        assert "cookies" in nobody.post("/api/join", {"code": code}, 400)["error"]
    with serving(tmp_path / "games.sqlite", shared=True) as served:
        assert clients(served)[1].get(f"/api/tables/{table}") == before


def test_wrong_codes_shut_out_who_guesses_and_nobody_else(tmp_path: Path) -> None:
    """Clients are told apart by address, behind a proxy of this machine by the one that it names; so are /64s."""
    with serving(tmp_path / "games.sqlite", shared=True) as served:
        host, guest, _ = clients(served)
        _, code = open_by_link(host)
        for number in range(20):
            guesses = {"X-Forwarded-For": f"2001:db8::{number:x}"}
            assert guest.raw("POST", "/api/join", {"code": "wrong"}, **guesses)[0] == 404
        for address, status in (("2001:db8::ffff", 429), ("2001:db8:0:1::1", 404), ("198.51.100.7", 404)):
            found = guest.raw("POST", "/api/join", {"code": "wrong"}, **{"X-Forwarded-For": address})
            assert found[0] == status, found
        assert guest.post("/api/join", {"code": f"{code[:5]}-{code[5:].lower()}"})["table"]


def test_a_code_is_found_among_many_waiting_tables_and_cannot_be_guessed(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite", shared=True) as served:
        host, guest, _ = clients(served)
        table, code = open_by_link(host, "KuhnPoker-v0")
        log = served.tables.game_log
        entry = {name: value for name, value in log.entry(table).items() if name not in ("id", "moves", "undone")}
        for number in range(600):
            log.add(f"{number:022}", {**entry, "about": {"join": f"{number:010}"}})
        assert guest.post("/api/join", {"code": code}) == {"table": table}
        assert re.fullmatch("[A-Z2-9]{10}", code)


def test_a_finished_game_by_link_is_in_both_records(shared: Served) -> None:
    browsers = clients(shared)
    table, code = open_by_link(browsers[0], options={"hands": 1})
    browsers[1].post("/api/join", {"code": code, "name": "Bob"})
    session, choose = shared.tables._tables[table].session, random.Random(1)
    while not session.over:
        actor = browsers[session.turn]
        state = actor.get(f"/api/tables/{table}")
        actor.act(state, choose.choice(state["actions"])["action"])
    told = [browser.get(f"/api/tables/{table}?since=0")["events"] for browser in browsers]
    assert told[2] == json.loads(json.dumps(told[2]).replace("You", ""))  # Nobody's own words.
    banner = next(reveal for event in told[2] for reveal in event["reveals"] if reveal.get("banner"))
    assert banner["name"].startswith(("Ann wins the pool", "Bob wins the pool"))
    assert banner["lines"] in [reveal["lines"] for event in told[0] for reveal in event["reveals"]]
    own = browsers[1].get(f"/api/tables/{table}")
    assert own["record"] == browsers[1].get(f"/api/tables/{table}")["record"] != table
    records = [browser.get("/api/history")["games"] for browser in browsers[:2]]
    assert [(games[0]["table"], games[0]["person"]) for games in records] == [(table, 0), (own["record"], 1)]
    assert [games[0]["people"] for games in records] == [["You", "Bob"], ["Ann", "You"]]
    review = browsers[1].get(f"/api/history/{own['record']}/review")
    assert review["seats"] == [1]
    assert "cookie" not in json.dumps(review)
    assert not any(cookie in browsers[0].raw("GET", "/api/history/export")[2].decode() for cookie in COOKIES[1:])


def test_a_rematch_is_for_the_people_of_a_finished_game(shared: Served) -> None:
    browsers = clients(shared)
    host, guest, spectator = browsers
    table, code = open_by_link(host, "KuhnPoker-v0")
    guest.post("/api/join", {"code": code, "name": "Bob"})
    wanted = {"game": "KuhnPoker-v0", "seat": 0, "opponents": ["human"], "people": "link", "rematch": table}
    assert "finished" in host.post("/api/tables", wanted, 403)["error"]
    guest.post(f"/api/tables/{table}/resign", {})
    spectator.post("/api/tables", wanted, 403)
    again = host.post("/api/tables", wanted, 201)["table"]
    codes = [browser.get(f"/api/tables/{table}")["rematch"] for browser in browsers]
    assert codes == [codes[0], codes[0], ""]
    assert "join it" in guest.post("/api/tables", wanted, 409)["error"]
    assert guest.post("/api/join", {"code": codes[1], "name": "Bob"}) == {"table": again}
    assert [browser.get(f"/api/tables/{again}")["seat"] for browser in browsers] == [0, 1, None]


def test_nobody_can_take_the_place_of_a_guests_record(shared: Served) -> None:
    """Someone who knows the table and the seats uploads games with ids made of them before the game ends."""
    browsers = clients(shared)
    table, code = open_by_link(browsers[0], "KuhnPoker-v0")
    browsers[1].post("/api/join", {"code": code, "name": "Bob"})
    ids = [hashlib.sha256(f"{table} {rest}".encode()).hexdigest()[:26] for rest in (1, f"1 {COOKIES[0]}")]
    lines = "".join(json.dumps(good(id=id)) + "\n" for id in ids)
    assert browsers[0].post("/api/history/import", {"lines": lines})["added"] == 2
    while not (state := browsers[1].get(f"/api/tables/{table}"))["ended"]:
        actor = browsers[shared.tables._tables[table].session.turn]
        actor.act(actor.get(f"/api/tables/{table}"), 0)
    assert state["record"] not in ids
    assert browsers[1].get(f"/api/history/{state['record']}/replay")["seed"] == state["seed"]


def test_a_guests_record_is_made_when_the_game_ends(shared: Served) -> None:
    """Before the guest's page asks, the host deletes the game and puts another one in its place."""
    host, guest, _ = clients(shared)
    table, code = open_by_link(host, "KuhnPoker-v0")
    guest.post("/api/join", {"code": code, "name": "Bob"})
    assert guest.get(f"/api/tables/{table}")["seat"] == 1
    host.post(f"/api/tables/{table}/resign", {})
    lines = host.raw("GET", "/api/history/export")[2].decode().splitlines()
    entry = next(entry for entry in map(json.loads, lines) if entry["id"] == table)
    host.post(f"/api/history/{table}/delete", {})
    about = {**entry.pop("about"), "name 0": "Eve"}
    line = json.dumps({name: value for name, value in entry.items() if name != "sha256"} | {"about": about})
    assert host.post("/api/history/import", {"lines": line})["added"] == 1
    state = guest.get(f"/api/tables/{table}")
    assert (state["seat"], state["names"], "record" in state) == (None, ["Eve", "Bob"], False)
    assert guest.get("/api/history")["games"][0]["people"] == ["Ann", "You"]


@pytest.mark.parametrize("env", IDS)
def test_at_one_screen_each_seat_is_shown_on_request(client: Client, env: str) -> None:
    body = {"game": env, "seat": 0, "opponents": ["human"], "people": "hot", "names": ["Ann", "Bob"]}
    table = client.post("/api/tables", body, 201)["table"]
    choose = random.Random(1)
    covered = client.get(f"/api/tables/{table}")
    for _ in range(40):
        if covered["ended"]:
            break
        assert (covered["seat"], covered["actions"], covered["can_undo"]) == (None, [], False)
        assert covered["names"] == ["Ann", "Bob"]
        seat = covered["turn"]
        shown = client.get(f"/api/tables/{table}?seat={seat}")
        assert (shown["seat"], shown["names"][seat]) == (seat, "You")
        action = choose.choice(shown["actions"])["action"]
        client.act(shown, action, 403)
        assert client.act(shown, action, seat=seat)["state"]["version"] > shown["version"]
        covered = client.get(f"/api/tables/{table}")


@pytest.mark.slow
def test_people_and_players_can_share_a_table(client: Client) -> None:
    body = {
        "game": SPIKE, "options": {"num_players": 4, "hands": 1}, "opponents": ["heuristic", "human", "random"],
        "people": "hot", "seat": 1, "names": ["Ann", "Bob"],
    }  # fmt: skip
    table = client.post("/api/tables", body, 201)["table"]
    state = client.get(f"/api/tables/{table}")
    assert state["names"] == ["Random", "Ann", "Heuristic", "Bob"]
    while not state["ended"]:
        seat = state["turn"]
        shown = client.get(f"/api/tables/{table}?seat={seat}")
        client.act(shown, shown["actions"][0]["action"], seat=seat)
        state = client.get(f"/api/tables/{table}")
    review = client.get(f"/api/history/{table}/review")
    assert review["seats"] == [1, 3]
    assert not review["again"]


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ({"people": "hot"}, "name human"),
        ({"opponents": ["human"]}, "name human"),
        ({"people": "link", "opponents": ["human"]}, "cookies"),
        ({"people": "hot", "opponents": ["human"], "names": ["a", "b", "c"]}, "at most 2"),
        ({"people": "hot", "opponents": ["human"], "names": ["Seat 1"]}, "up to 20 letters"),
        ({"people": "hot", "opponents": ["human"], "names": ["Yo\ufe0fu"]}, "up to 20 letters"),  # It looks like You.
        ({"people": "hot", "opponents": ["human"], "names": ["\u3164"]}, "up to 20 letters"),  # It shows nothing.
        ({"people": "hot", "opponents": ["human", "human"], "seat": None}, "name human"),
        ({"people": "ours"}, "'one', 'hot' or 'link'"),
        ({"people": "hot", "opponents": ["human"], "seed": 7}, "seed: where several people play, the server draws it"),
    ],
)
def test_tables_of_several_people_are_checked(client: Client, wanted: dict[str, Any], error: str) -> None:
    assert error in client.post("/api/tables", {"game": SPIKE, "seat": 0, **wanted}, 400)["error"]

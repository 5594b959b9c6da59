"""No request tells anyone what another seat hides, until the game is over: every route, from every seat and beside it.

Two servers have the same table with two deals that differ only in what a requester cannot know. All their answers to
that requester have to be equal, byte for byte.
"""

import hashlib
import http.client
import inspect
import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from web_server import Client, Served, serving

import cardgym
from cardgym.engine.contract import CHANCE, Names
from cardgym.engine.sight import looks_same, narrate
from cardgym.engine.states import SingleGame, new_state
from cardgym.players import CompiledPlayer
from cardgym.table.coach.history import saved_games
from cardgym.table.session import Session, first_of, is_dealt
from cardgym.table.setup import GameSetup
from cardgym.table.web import lobby, puzzles
from cardgym.table.web.tables import Table

COOKIES = ("h" * 22, "g" * 22, "f" * 22)
"""The browsers of the people, the one who opens the table first."""
STRANGER = "s" * 22
EXAMPLE = "KuhnPoker-v0"
SEED = 2**52 + 4
"""Of tables of one person: no short text that answers have anyway, and no game that ends at once."""
TWO_JOKERS = 35
"""A seed of CodaOfficial that deals both jokers to the first seat."""
TABLES = [(EXAMPLE, 2, "link"), (EXAMPLE, 2, "hot")]
TABLES += [(env, 2, "one") for env in ("Coda-v0", "CorellianSpike-v0", "CribbageDeal-v0", EXAMPLE)]
MORE = [
    (env, seats, people)
    for env in cardgym.registered()
    for seats in (2, 3)
    for people in ("link", "hot", "one")
    if (env, seats, people) not in TABLES
    and (env, seats) != ("SpikeMini-v0", 3)  # Its deck is too small.
    and env != "LeducPoker-v0"  # Its picture shows suits, which no observation has: twins differ in the own suit.
    and cardgym.find(env).options.__dataclass_fields__["num_players"].metadata.get("high", 2) >= seats > 1
    and cardgym.find(env).parse_options().num_players > 1
]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Served]]:
    with serving(tmp_path / "1.sqlite", shared=True) as one, serving(tmp_path / "2.sqlite", shared=True) as other:
        yield [one, other]


# -- every route ------------------------------------------------------------------------------------------------------


def asked_of(app: Starlette, known: dict[str, list[Any]], seated: bool) -> Iterator[tuple[str, str, Any]]:
    """What someone can ask of each route: method, path and body, with every value they know for every field.

    Someone `seated` neither plays, nor takes a move back, nor resigns, nor deletes the game, which would end it.
    """
    for route in app.routes:
        if not isinstance(route, Route):
            continue  # Files that are the same for everyone.
        names = re.findall(r"{(\w+)}", route.path)
        for values in itertools.product(*(known[name] for name in names)):
            path = route.path.format(**dict(zip(names, values, strict=True)))
            if "POST" not in (route.methods or ()):
                yield from (("GET", f"{path}{query}", None) for query in known["query"])
            elif not (seated and path.endswith(("/resign", "/delete", "/undo"))):
                model = inspect.getclosurevars(route.endpoint).nonlocals["model"]
                yield from (("POST", path, body) for body in bodies(list(model.model_fields), known))


def bodies(fields: list[str], known: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Bodies with the first value of every field, and with each other value of one of them."""
    usual = {field: known[field][0] for field in fields}
    yield usual
    for field in fields:
        yield {name: value for name, value in usual.items() if name != field}
        yield from (usual | {field: value} for value in known[field][1:])


def answer_to(client: Client, request: tuple[str, str, Any]) -> tuple[int, dict[str, str], bytes]:
    """An answer without its date; of a stream that does not end, the first event."""
    method, path, body = request
    if not path.partition("?")[0].endswith("/stream"):
        status, headers, content = client.raw(method, path, body)
    else:
        client.connection.request(method, path, headers=client.cookie)
        response: http.client.HTTPResponse = client.connection.getresponse()
        status, headers = response.status, dict(response.getheaders())
        content = b"".join(response.readline() for _ in range(3)) if status == 200 else response.read()
        client.connection.close()
    return status, headers | {"date": ""}, content


# -- deals that a seat cannot tell apart ------------------------------------------------------------------------------


def twin(entry: dict[str, Any], seat: int, choose: random.Random) -> list[tuple[int, int]] | None:
    """Other moves of chance and of others, after each of which `seat` knows and reads the same; None if it fails."""
    game = cardgym.find(entry["env"])
    options = game.parse_options(entry["options"])
    true, other = (SingleGame(game, options, new_state(game, options)) for _ in range(2))
    people, found = Names("ABC"[: options.num_players]), []
    for game_ in (true, other):
        game_.refresh()
    for mover, move in entry["moves"]:
        before = first_of(true.states)
        true.apply_action(move)
        read = narrate(game, before, move, first_of(true.states), seat, people)
        choices = [*range(other.num_chance_outcomes)] if mover == CHANCE else other.legal_actions()
        choose.shuffle(choices)
        if mover == seat or choose.random() < 0.5:
            choices = [move, *([] if mover == seat else choices)]
        states = other.states.copy()
        for choice in filter(other.allows, choices):
            other.apply_action(choice)
            same = narrate(game, first_of(states), choice, first_of(other.states), seat, people) == read
            if same and looks_same(true, other, seat):
                break
            other.states[:] = states
            other.refresh()
        else:
            return None
        found.append((mover, choice))
    return found


def copied(entry: dict[str, Any], moves: list[Any], served: Served) -> None:
    """Put a game with these moves onto a server, in place of the one with its id."""
    log, id = served.tables.game_log, entry["id"]
    served.tables._tables.pop(id, None)
    log.remove(id)
    log.add(id, {key: entry[key] for key in entry if key not in ("id", "moves", "undone")}, COOKIES[0], moves)


def seated_table(served: Served, env: str, seats: int, people: str) -> tuple[dict[str, Any], str]:
    """A table with a person at every seat, or `one` against players: its state at the start, and its joining code."""
    host, *guests = (Client(served.port, cookie) for cookie in COOKIES[:seats])
    options = {"num_players": seats} if seats > 2 else {}
    others = ["random" if people == "one" else "human"] * (seats - 1)
    body = {"game": env, "options": options, "seat": 0, "opponents": others, "people": people}
    fixed = {"seed": SEED} if people == "one" else {}
    table = host.post("/api/tables", {**body, **fixed, "hints": "demand"}, 201)["table"]
    state = host.get(f"/api/tables/{table}")
    for guest in guests if people == "link" else ():
        address = f"198.51.100.{random.randrange(256)}"  # Others have sent wrong codes.
        assert guest.raw("POST", "/api/join", {"code": state["code"]}, X_Forwarded_For=address)[0] == 200
    return state, state["code"]


@pytest.mark.parametrize(
    ("env", "seats", "people"), TABLES + [pytest.param(*case, marks=pytest.mark.slow) for case in MORE]
)
def test_no_answer_depends_on_what_its_reader_cannot_know(
    servers: list[Served], env: str, seats: int, people: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = SimpleNamespace(randbits=lambda bits: 1, token_urlsafe=lambda size: "p" * 22)
    monkeypatch.setattr(puzzles, "secrets", same)  # The same puzzles on both servers.
    one, other = servers
    choose, compared = random.Random(5), 0
    start, code = seated_table(one, env, seats, people)
    table, session = start["table"], one.tables._tables[start["table"]].session
    seed, nonce = str(session.seed), session.about.get("nonce", "no nonce")
    for _ in range(1 if env == EXAMPLE else 2 if (env, seats, people) in TABLES else 6):
        if session.over:
            break
        entry = one.tables.game_log.entry(table)
        line = json.dumps({**entry, "env": EXAMPLE, "finished": True})
        own = (f"{table} {seat} {cookie}" for seat, cookie in enumerate(COOKIES[:seats]))
        copies = [hashlib.sha256(text.encode()).hexdigest()[:26] for text in own]
        known = {
            "id": [table, *copies],
            "game": [EXAMPLE],
            "query": ["?seat=0", "?since=0&seat=1", f"?record={table}&move=1"],
            "version": [0, session.version], "action": [2**31 - 1], "seat": [0, 1, ""],
            "code": ["AAAAAAAAAA", code], "name": ["Eve"], "seed": [1], "others": [False], "record": [table, None],
            "options": [{}], "opponents": [["human"] * 9], "hints": ["always"], "people": ["link", "hot"],
            "names": [[]], "lesson": [False], "rematch": ["", table],
                "lines": ["", line.replace(seed, "5").replace(nonce, "n")],
            "move": [0, 1], "moves": [[]], "against": [[]], "change": [None], "at": [0], "mu": [25.0], "sigma": [8.0],
        }  # fmt: skip
        owners = {"link": COOKIES[:seats], "hot": (), "one": COOKIES[:1]}[people]
        requesters = [(cookie, seat) for seat, cookie in enumerate(owners)]
        requesters += [(STRANGER, seat) for seat in range(1 if people == "one" else seats)]
        for cookie, seat in requesters:
            tried = (twin(entry, seat, choose) for _ in range(30))
            moves = next((moves for moves in tried if moves and moves != session.moves), None)
            if moves is None:
                continue  # It knows everything by now.
            copied(entry, entry["moves"], one)
            copied(entry, moves, other)
            pages = [Client(served.port, cookie) for served in servers]
            for request in asked_of(one.app, known, cookie in COOKIES or people == "one"):
                answers = [answer_to(page, request) for page in pages]
                headers = [{**headers, "set-cookie": ""} for _, headers, _ in answers]
                assert (answers[0][0], headers[0], answers[0][2]) == (answers[1][0], headers[1], answers[1][2]), request
                assert not any(secret in str(answers) for secret in (seed, nonce, f"{int(seed):x}")), request
                compared += 1
        session = Session.restore(one.tables.game_log, table)
        assert not session.over
        assert session.moves == [tuple(move) for move in entry["moves"]]  # No stranger has played.
        actor = Client(one.port, COOKIES[session.turn if people == "link" else 0])
        state = actor.get(f"/api/tables/{table}?seat={session.turn}")
        actor.act(
            state, choose.choice(state["actions"])["action"], **({} if people == "link" else {"seat": session.turn})
        )
        session = one.tables._tables[table].session
    assert compared > 100


def test_nobody_counts_the_decisions_that_they_are_not_told_of() -> None:
    """At Coda a seat places its jokers in secret: neither a table's version nor the number of steps tells of them."""
    game, jokers = cardgym.find("CodaOfficial-v0"), set()
    for seed in range(40):
        session = Session(GameSetup(game, game.parse_options(), [CompiledPlayer("random")], seed, seat=0))
        dealt = session.step()
        if not session.state.starter and not session.state.held[0] >> 24:
            assert Table(session).version(0) == 6  # Who is first, its four tiles, one drawn.
            jokers.add(int(session.state.held[1] >> 24))
        while session.turn == 1:
            assert any(event.seat == 1 and event.text for event in dealt)
            dealt = session.step()
    assert len(jokers) > 1


def test_a_stream_says_nothing_of_a_decision_that_its_reader_is_not_told_of(
    servers: list[Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of two jokers is placed in secret: an event for it would tell the opponent that there are two."""
    monkeypatch.setattr(lobby, "secrets", SimpleNamespace(randbits=lambda bits: TWO_JOKERS))
    state, _ = seated_table(servers[0], "CodaOfficial-v0", 2, "link")
    path = f"/api/tables/{state['table']}"
    host, guest = (Client(servers[0].port, cookie) for cookie in COOKIES[:2])
    assert int(servers[0].tables._tables[state["table"]].session.state.waiting[0]).bit_count() == 2
    guest.connection.request("GET", f"{path}/stream", headers=guest.cookie)
    stream = guest.connection.getresponse()
    before = [stream.readline() for _ in range(3)][1]
    for _ in range(2):
        host.act(state, state["actions"][0]["action"])
        state = host.get(path)
    assert [stream.readline() for _ in range(3)][1] != before
    guest.connection.close()


def test_the_seed_is_sealed_at_the_start_and_opened_at_the_end(servers: list[Served]) -> None:
    """Nobody names it, and at the end everybody can check the cards."""
    served = servers[0]
    browsers = [Client(served.port, cookie) for cookie in (*COOKIES[:2], STRANGER)]
    named = {"game": EXAMPLE, "seat": 0, "opponents": ["human"], "people": "link", "seed": 5}
    assert "the server draws it" in browsers[0].post("/api/tables", named, 400)["error"]
    start, _ = seated_table(served, EXAMPLE, 2, "link")
    path = f"/api/tables/{start['table']}"
    assert {browser.get(path)["commitment"] for browser in browsers} == {start["commitment"]}
    state = start
    while not state["ended"]:
        assert (state["seed"], state["nonce"]) == (None, None)
        actor = next(browser for browser in browsers if browser.get(path)["actions"])
        state = actor.act(actor.get(path), actor.get(path)["actions"][0]["action"])["state"]
    for browser in browsers:
        end = browser.get(path)
        assert hashlib.sha256(f"{end['seed']} {end['nonce']}".encode()).hexdigest() == start["commitment"]
    lines = browsers[0].raw("GET", "/api/history/export")[2].decode().splitlines()
    entry = next(entry for entry in map(json.loads, lines) if entry["id"] == start["table"])
    assert (str(entry["seed"]), entry["about"]["nonce"]) == (end["seed"], end["nonce"])
    assert is_dealt(entry)
    assert not all(is_dealt(entry | {"seed": seed}) for seed in range(10))


def test_a_shared_screen_is_that_of_the_browser_that_opened_it(servers: list[Served]) -> None:
    """On a server that others can reach, someone who has the address looks at no hand."""
    start, _ = seated_table(servers[0], EXAMPLE, 2, "hot")
    for cookie in (COOKIES[1], STRANGER, ""):
        other = Client(servers[0].port, cookie)
        for seat in (0, 1):
            assert other.get(f"/api/tables/{start['table']}?seat={seat}")["seat"] is None
            body = {"action": 0, "version": start["version"], "seat": seat}
            other.post(f"/api/tables/{start['table']}/action", body, 403)
            other.post(f"/api/tables/{start['table']}/resign", {"seat": seat}, 403)
    assert Client(servers[0].port, COOKIES[0]).get(f"/api/tables/{start['table']}?seat=1")["seat"] == 1


def test_a_forced_move_waits_for_its_person() -> None:
    """A move made at once would tell the others that there was no choice."""
    game = cardgym.find("CribbageDeal-v0")
    choose, forced = random.Random(2), 0
    for seed in range(3):
        session = Session(GameSetup(game, game.parse_options(), [None], seed, 0))
        session.play()
        while not session.over:
            legal = session.legal_actions(session.turn)
            forced += len(legal) == 1
            assert (
                sum(event.seat >= 0 for event in session.act(choose.choice(session.legal_actions(session.turn)))) == 1
            )
    assert forced > 3


def test_commands_leave_unfinished_games_of_several_people_alone(servers: list[Served]) -> None:
    """`cardgym review` shows no hand of a game that goes on."""
    tables = [seated_table(servers[0], EXAMPLE, 2, "link")[0]["table"] for _ in range(2)]
    for count in (1, 2):
        Client(servers[0].port, COOKIES[0]).post(f"/api/tables/{tables[count - 1]}/resign", {})
        assert [entry["id"] for entry in saved_games(servers[0].tables.game_log.path)] == tables[:count]


def test_strangers_streams_shut_out_strangers(servers: list[Served]) -> None:
    """A person at a table always gets their stream; their newest pages are the ones that are followed."""
    start, _ = seated_table(servers[0], EXAMPLE, 2, "link")
    path = f"/api/tables/{start['table']}/stream"
    followed = []

    def follow(cookie: str) -> int:
        client = Client(servers[0].port, cookie)
        client.connection.request("GET", path, headers=client.cookie)
        followed.append((client, client.connection.getresponse()))
        response = followed[-1][1]
        return response.status if response.status != 200 or b"retry" in response.readline() else 0

    assert [follow(f"{number:022}") for number in range(20)] == [200] * 16 + [429] * 4
    assert [follow(cookie) for cookie in COOKIES[:2] * 20] == [200] * 40
    for client, _ in followed:
        client.connection.close()

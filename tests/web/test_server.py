"""The server of the page: requests and answers."""

import asyncio
import http.client
import logging
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from web_server import SHORT, SPIKE, Client, Served, finish, serving, slow_player, watch

import cardgym
from cardgym.players import player_names
from cardgym.players.resolver import checkpoints
from cardgym.table.presentation import IN_WORDS, presentation_of
from cardgym.table.web import puzzles


@pytest.mark.parametrize("env", cardgym.registered())
def test_every_game_can_be_played_to_its_end(client: Client, env: str) -> None:
    state = client.sit_down(game=env, seat="any", seed=3)
    assert state["names"][state["seat"]] == "You"
    assert (state["seed"] is None) == (not state["ended"])  # A small game may end before a choice.
    end = finish(client, state)
    assert (end["actions"], end["seed"]) == ([], "3")
    assert len(end["result"]["players"]) == len(end["names"])
    shown = [item["label"] for zone in end["view"]["zones"] for item in zone["items"]]
    assert not [label for label in shown if label.startswith("hidden")]  # All tiles of Coda are turned up.
    steps = client.get(f"/api/history/{state['table']}/replay")["events"]
    assert [step["move"] for step in steps] == sorted(step["move"] for step in steps)
    assert state["table"] in [game["table"] for game in client.get("/api/history")["games"]]


def test_lobby_lists_games_options_and_opponents(client: Client) -> None:
    games = {game["id"]: game for game in client.get("/api/lobby")["games"]}
    assert set(games) == set(cardgym.registered())
    spike = games[SPIKE]
    assert (spike["seats"], spike["opponent"]) == ([2, 8], "heuristic")
    assert {player["name"] for player in spike["players"]} >= {"random", "initial", "heuristic"}
    options = {option["name"]: option for option in spike["options"]}
    assert options["hands"].items() >= {"name": "hands", "default": 10, "low": 1, "high": 10_000, "step": 1}.items()
    assert options["betting"]["choices"] == ["flat", "matched", "no"]
    assert all(option["help"] for option in spike["options"])
    assert not [option for game in games.values() for option in game["options"] if option["name"] == "reward"]


def test_undo_is_counted(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardgym.table.narration._UNDONE", 2**40)  # As after very many.
    client = server.client
    state = client.sit_down(**SHORT, seed=1)
    undo = f"/api/tables/{state['table']}/undo"
    after = client.act(state, state["actions"][0]["action"])["state"]
    assert (state["can_undo"], after["can_undo"]) == (False, True)
    back = client.post(undo, {"version": after["version"]})["state"]
    assert (back["view"], back["actions"]) == (state["view"], state["actions"])
    client.post(undo, {"version": back["version"]}, 400)
    client.act(back, back["actions"][0]["action"])
    assert server.tables.game_log.entry(state["table"])["undone"] == 1


def test_second_tab_cannot_act_on_an_old_state(server: Served) -> None:
    tab, other = server.client, Client(server.port)
    state = tab.sit_down(**SHORT)
    assert other.get(f"/api/tables/{state['table']}") == state
    after = tab.act(state, state["actions"][0]["action"])["state"]
    assert other.act(state, state["actions"][0]["action"], 409)["state"] == after
    step = other.post(f"/api/tables/{state['table']}/step", {"version": state["version"]})
    assert step["state"] == after  # It learns how the table is now, and moves nobody.


def test_leaving_a_lesson_is_said_once(client: Client) -> None:
    state = client.get(f"/api/tables/{client.post('/api/tables', {'game': 'Coda-v0', 'lesson': True}, 201)['table']}")
    assert "1 of " in state["lesson"]["text"]
    other = next(move["action"] for move in state["actions"] if move["action"] != state["lesson"]["action"])
    state = client.act(state, other)["state"]
    assert "left the lesson" in state["lesson"]["text"]
    assert state["lesson"]["action"] is None
    while not state["ended"] and state["lesson"]:
        state = client.act(state, state["actions"][0]["action"])["state"]
    assert not state["lesson"]


def test_stream_reports_changes_and_closed_streams_are_cleaned_up(server: Served) -> None:
    state = server.client.sit_down(**SHORT)
    path, table = f"/api/tables/{state['table']}/stream", state["table"]
    followers = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=30) for _ in range(16)]
    pages = []
    for follower in followers:
        follower.request("GET", path)
        lines = follower.getresponse()
        pages.append(lines)
        assert lines.readline() == b"retry: 2000\n"
        assert lines.readline() == b'data: {"version": %d}\n' % state["version"]
        assert lines.readline() == b"\n"
    followers.append(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30))
    followers[-1].request("GET", path)
    latest = followers[-1].getresponse()
    assert [latest.readline() for _ in range(3)][1] == b'data: {"version": %d}\n' % state["version"]
    assert pages[0].read() == b""  # The oldest page of a person makes room; the browser connects it again.
    after = server.client.act(state, state["actions"][0]["action"])["state"]
    assert lines.readline() == b"retry: 2000\n"
    assert lines.readline() == b'data: {"version": %d}\n' % after["version"]
    for follower in followers:
        follower.close()
    deadline = time.monotonic() + 30
    while server.tables.followers(table, "127.0.0.1") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert server.tables.followers(table, "127.0.0.1") == 0


def test_two_servers_share_a_game_log(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite") as one, serving(tmp_path / "games.sqlite") as two:
        state = one.client.sit_down(**SHORT)
        assert two.client.get(f"/api/tables/{state['table']}") == state
        after = one.client.act(state, state["actions"][0]["action"])["state"]
        assert two.client.get(f"/api/tables/{state['table']}") == after
        two.client.act(state, state["actions"][0]["action"], 409)
        last = two.client.act(after, after["actions"][0]["action"])["state"]
        assert one.client.get(f"/api/tables/{state['table']}") == last


def test_tables_are_evicted_and_restored_unless_they_are_worked_on(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite", max_tables=2) as served:
        states = [served.client.sit_down(**SHORT) for _ in range(5)]
        assert len(served.tables) == 2
        for state in states:
            assert served.client.get(f"/api/tables/{state['table']}") == state
        for table in served.tables._tables.values():
            asyncio.run(table.lock.acquire())
        refused = served.client.post("/api/tables", SHORT, 503)
        assert refused["error"] == "all 2 tables are taken; try again later"


def test_watched_games_advance_step_by_step_and_show_how_the_seats_stand(client: Client) -> None:
    state = watch(client, **SHORT | {"opponents": ["heuristic", "random"]})
    assert (state["seat"], state["names"], state["actions"]) == (None, ["Heuristic", "Random"], [])
    standing = f"/api/tables/{state['table']}/standing"
    before, told = client.get(standing), len(state["narration"])
    assert len(before["values"]) == 2
    while not state["ended"]:
        state = client.step(state)["state"]
    after = client.get(standing)
    events = client.get(f"/api/tables/{state['table']}?since=0")["events"]
    assert [event["text"] for event in events] == [line["text"] for line in state["narration"]]
    assert client.get(f"{standing}?at={told}")["values"] != after["values"]
    assert client.get(f"{standing}?at=99999") == after
    verdict = client.get(f"{standing}?judge=1")["verdict"]
    entry = client.get(f"/api/history/{state['table']}/review")["decisions"][-1]
    assert verdict == {name: entry[name] for name in verdict}
    assert after["version"] == state["version"] > before["version"]
    assert after["values"] != before["values"]
    person = client.sit_down(**SHORT)
    assert client.step(person) == {"events": [], "state": person}  # It is the person's turn.
    client.get(f"/api/tables/{person['table']}/standing", 403)


def test_slow_player_does_not_block_other_tables(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    thinking, go_on = slow_player(monkeypatch)
    state = server.client.sit_down(**{**SHORT, "opponents": ["slow"]})
    other = Client(server.port)
    acting = threading.Thread(target=server.client.act, args=(state, state["actions"][1]["action"]))
    acting.start()
    assert thinking.wait(60)
    finish(other, other.sit_down(**SHORT))
    again = other.get(f"/api/tables/{state['table']}")  # A page that is loaded again shows the table.
    assert (again, acting.is_alive()) == (state, True)
    assert other.get(f"/api/tables/{state['table']}?since=0") == {"events": [], "state": state}
    go_on.set()
    acting.join()


def test_on_a_shared_server_browsers_list_only_their_own_tables_and_see_no_paths(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite", shared=True, max_unfinished=3) as served:
        owners = [Client(served.port, letter * 22) for letter in "ab"]
        tables = [owner.sit_down(**SHORT)["table"] for owner in owners]
        for owner, table in zip(owners, tables, strict=True):
            assert [listed["table"] for listed in owner.get("/api/lobby")["tables"]] == [table]
        for _ in range(
            5
        ):  # Without a cookie, and so like any other browser that keeps none: their games count together.
            served.client.sit_down(**SHORT)
        assert sum(not entry["finished"] for entry in served.tables.game_log.entries()) == len(owners) + 3
        assert served.client.get("/api/lobby")["tables"] == []
        served.tables.game_log.close()
        refused = served.client.get("/api/lobby", 400)
        assert "game log ..." in refused["error"]
        assert str(tmp_path) not in refused["error"]


def test_serve_needs_its_packages_and_a_free_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from cardgym.cli import main

    monkeypatch.setenv("CARDGYM_DATA_DIR", str(tmp_path))
    with serving(tmp_path / "other.sqlite") as served:
        assert main(["serve", "--port", str(served.port)]) == 2
    assert "try another --port" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    assert "pip install '.[web]'" in capsys.readouterr().err


def test_a_server_leaves_the_log_handlers_of_its_process_open(tmp_path: Path) -> None:
    closed = []

    class Handler(logging.NullHandler):
        def close(self) -> None:
            closed.append(self)
            super().close()

    handlers = [Handler()]
    with serving(tmp_path / "games.sqlite"):
        assert (closed, len(handlers)) == ([], 1)


@pytest.mark.parametrize("env", cardgym.registered())
def test_opponents_and_rules_of_every_game(client: Client, env: str) -> None:
    game = cardgym.find(env)
    found = client.get(f"/api/games/{env}/opponents")
    names = [player["name"] for player in found]
    assert set(names) >= {*player_names(game), *checkpoints(game, game.parse_options())}
    levels = [player["level"] for player in found if player["level"]]
    assert len(set(levels)) == len(levels)
    if levels:
        ordered = [name for name in presentation_of(game).levels[env] if name in names]
        assert (levels[-1], names[: len(levels)]) == ("Master", ordered)
    assert all(player["strength"] != "not measured" for player in found if player["level"])
    answer = client.get(f"/api/games/{env}/rules")
    assert sum(len(text) for _, text in answer["rules"]) > 100
    assert IN_WORDS not in [heading for heading, _ in answer["rules"]]
    symbols = presentation_of(game).symbols()
    assert {item["symbol"] for reveal in answer["examples"] for item in reveal["items"]} <= set(symbols)


def test_levels_follow_the_options(client: Client) -> None:
    for query, name in (("", "ppo"), ("?num_players=3", "ppo_three_players"), ("?num_players=5", "heuristic")):
        found = client.get(f"/api/games/{SPIKE}/opponents{query}")
        assert [player["name"] for player in found if player["level"] == "Master"] == [name]
    refused = client.get(f"/api/games/{SPIKE}/opponents?num_players=99", 400)
    assert "num_players" in refused["error"]


def test_a_shipped_network_can_be_chosen_as_an_opponent(client: Client) -> None:
    state = client.sit_down(game=SPIKE, opponents=["ppo"], seed=1)
    assert state["names"] == ["You", "PPO"]
    end = finish(client, state)
    assert "PPO " in "\n".join(line["text"] for line in end["narration"])
    refused = client.post("/api/tables", {"game": SPIKE, "opponents": ["ppo_three_players"], "seat": 0}, 400)
    assert "no such player" in refused["error"]


def test_other_players_move_one_request_at_a_time(client: Client) -> None:
    """The person's move is answered before the others move; steps then play their decisions."""
    wanted = {"game": SPIKE, "options": {"num_players": 3, "hands": 2}, "opponents": ["heuristic"], "seed": 2}
    state, whole = client.sit_down(**wanted), client.sit_down(**wanted)
    action = state["actions"][1]["action"]
    told = client.act(whole, action)
    expected = [event["text"] for event in told["events"]]
    assert [line["text"] for line in told["state"]["narration"]][-len(expected) :] == expected
    assert told["events"][-1]["view"]["zones"]
    answer = client.act(state, action, others=False)
    texts = [event["text"] for event in answer["events"]]
    assert texts[0].startswith("You ")
    assert texts == expected[: len(texts)]
    assert answer["state"]["actions"] == []
    while not answer["state"]["actions"]:
        answer = client.step(answer["state"])
        assert answer["events"]
        texts += [event["text"] for event in answer["events"]]
    assert texts == expected


def test_tables_and_others_do_not_wait_for_slow_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client with many of them has one worked on at a time."""
    begun, may_end = [], threading.Event()

    def find(game: Any, *_: Any, **__: Any) -> Any:
        begun.append(game.id)
        may_end.wait(60)
        raise cardgym.CardgymError("no puzzle")

    monkeypatch.setattr(puzzles, "find_puzzle", find)
    with serving(tmp_path / "games.sqlite", shared=True) as served:

        def ask(env: str, address: str) -> threading.Thread:
            words = {"X_Forwarded_For": address}
            asking = threading.Thread(target=lambda: Client(served.port).raw("GET", f"/api/puzzles/{env}", **words))
            asking.start()
            return asking

        asked = [ask("KuhnPoker-v0", "198.51.100.1") for _ in range(20)]
        asked.append(ask("LeducPoker-v0", "198.51.100.2"))
        state = served.client.sit_down(game="KuhnPoker-v0", seed=1)
        assert served.client.act(state, state["actions"][0]["action"])
        while len(begun) < 2:
            time.sleep(0.01)
        assert sorted(begun) == ["KuhnPoker-v0", "LeducPoker-v0"]
        may_end.set()
        for thread in asked:
            thread.join()
    assert len(begun) == 21


def test_a_decision_can_be_tried_again(server: Served) -> None:
    """The new game has the same position, opponents and cards to come; it does not count in the record."""
    client = server.client
    first = client.sit_down(**SHORT, seed=9)
    after = client.act(first, first["actions"][1]["action"])["state"]
    end = finish(client, after)
    path = f"/api/history/{first['table']}/again"
    seats = [seat for seat, _ in server.tables.game_log.entry(first["table"])["moves"]]
    second = [number for number, seat in enumerate(seats) if seat == 0][1]
    again = client.get(f"/api/tables/{client.post(path, {'move': second}, 201)['table']}")
    assert (again["view"], again["actions"]) == (after["view"], after["actions"])
    assert finish(client, again)["view"] == end["view"]
    entries = server.tables.game_log.entries(finished=True)
    games = sum(report["games"] for report in client.get("/api/history")["reports"])
    assert games == len([entry for entry in entries if not entry["about"].get("again")])
    for move in (next(number for number, seat in enumerate(seats) if seat < 0), len(seats)):
        assert "not a decision of yours" in client.post(path, {"move": move}, 400)["error"]

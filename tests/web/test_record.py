"""The record of a browser: export, import, deletion, ratings."""

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from web_server import SHORT, Client, finish, serving

from cardgym.games.coda.view import TABLE
from cardgym.table.game_entries import read_entries
from cardgym.table.web import record


def test_the_record_can_be_exported_and_games_deleted(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite") as served:
        client = served.client
        end = finish(client, client.sit_down(**SHORT, seed=1))
        unfinished = client.sit_down(**SHORT, seed=2)
        for page in ("review", "replay"):
            refused = client.get(f"/api/history/{unfinished['table']}/{page}", 409)
            assert refused["error"] == "the game is not over yet"
        record = client.get("/api/history")
        assert record["reviewing"] == 1 or record["costs"]  # In the background.
        assert [game["table"] for game in record["unfinished"]] == [unfinished["table"]]
        assert [(report["games"], report["options"]["hands"]) for report in record["reports"]] == [(1, 2)]
        assert record["games"][0]["people"] == ["You", "Heuristic"]
        assert record["games"][0]["unit"] == "credits"
        status, headers, lines = client.raw("GET", "/api/history/export")
        assert (status, headers["content-type"]) == (200, "application/x-ndjson")
        (tmp_path / "games.jsonl").write_bytes(lines)
        assert [entry["id"] for entry in read_entries(tmp_path / "games.jsonl")] == [end["table"]]
        pages = [f"/api/history/{end['table']}/{page}" for page in ("review", "replay")]
        for page in pages:
            client.get(page)
        for table in (end["table"], unfinished["table"]):
            client.post(f"/api/history/{table}/delete", {})
            client.get(f"/api/tables/{table}", 404)
        record = client.get("/api/history")
        assert record["games"] == record["unfinished"] == []
        for page in pages:
            client.get(page, 404)
        client.post(f"/api/history/{end['table']}/delete", {}, 404)


def test_the_record_has_ratings_and_puzzles_rate_their_solver(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite") as served:
        client = served.client
        for _ in range(2):  # The second time, the person knows the cards.
            finish(client, client.sit_down(game="CodaOfficial-v0", opponents=["random"], seed=1))
        [rating] = client.get("/api/history")["ratings"]
        assert (rating["env"], rating["games"]) == ("CodaOfficial-v0", 1)
        assert rating["players"]["Random"] == TABLE.ratings["CodaOfficial-v0"]["random"]
        puzzle = client.get("/api/puzzles/OnePlayPoker-v0")
        path, action = f"/api/puzzles/{puzzle['puzzle']}/solve", puzzle["actions"][0]["action"]
        first = client.post(path, {"action": action})
        again = client.post(path, {"action": action, **first["skill"]})
        assert (first["rating"] > 0) == first["right"]
        assert (again["rating"] > first["rating"]) == first["right"]
        assert again["half_width"] < first["half_width"]
        for wrong in ({"mu": "1"}, {"sigma": 0}, {"mu": 1e9}, {"mu": True}):
            client.post(path, {"action": action, **wrong}, 400)
        daily = [client.get("/api/puzzles/OnePlayPoker-v0?day=1") for _ in range(2)]
        assert daily[0]["view"] == daily[1]["view"]
        assert "the puzzle of 2" in daily[0]["origin"]


def test_the_decisions_of_a_finished_game_are_asked_again(client: Client) -> None:
    end = finish(client, client.sit_down(game="OnePlayPoker-v0", seed=1))
    review = client.get(f"/api/history/{end['table']}/review")
    decision = review["decisions"][-1]
    asked = f"/api/puzzles/OnePlayPoker-v0?record={end['table']}&move="
    puzzle = client.get(f"{asked}{decision['move']}")
    solved = client.post(f"/api/puzzles/{puzzle['puzzle']}/solve", {"action": decision["chosen"]})
    assert solved["cost"] == decision["cost"]
    assert solved["advice"]["actions"][0]["action"] == decision["best"]
    line = client.post("/api/explore", {"game": "OnePlayPoker-v0", "moves": solved["moves"]})
    assert line["seat"] == decision["seat"]
    for move in ("", "0", "-1", "1e3", "99999", "9" * 30, "x", "%00", "\u0661"):
        client.get(asked + quote(move, safe="%"), 400)
    client.get(f"/api/puzzles/OnePlayPoker-v0?record={'x' * 22}&move=0", 404)
    opened = client.sit_down(game="OnePlayPoker-v0", seed=1)
    client.get(f"/api/puzzles/OnePlayPoker-v0?record={opened['table']}&move={decision['move']}", 409)


def test_an_export_can_be_imported_into_another_game_log(tmp_path: Path) -> None:
    with serving(tmp_path / "one.sqlite") as one, serving(tmp_path / "other.sqlite", shared=True) as other:
        end = finish(one.client, one.client.sit_down(**SHORT, seed=1))
        one.client.sit_down(**SHORT, seed=2)
        lines = one.client.raw("GET", "/api/history/export")[2].decode()
        owner = Client(other.port, "o" * 22)
        assert "keeps no cookies" in other.client.post("/api/history/import", {"lines": lines}, 400)["error"]
        assert owner.post("/api/history/import", {"lines": lines}) == {"added": 1, "refused": []}
        assert owner.post("/api/history/import", {"lines": lines}) == {"added": 0, "refused": []}
        assert [game["table"] for game in owner.get("/api/history")["games"]] == [end["table"]]
        assert other.client.get("/api/history")["games"] == []
        assert owner.get(f"/api/history/{end['table']}/review")["decisions"]
        assert "line 1 is not a game" in owner.post("/api/history/import", {"lines": "{}"}, 400)["error"]
        assert "lines" in owner.post("/api/history/import", {"lines": 1}, 400)["error"]
    for log in tmp_path.glob("*.sqlite*"):
        assert b"o" * 22 not in log.read_bytes(), "the log holds a browser's cookie"
        assert os.name == "nt" or log.stat().st_mode & 0o077 == 0, "other accounts may read the log"


def test_games_can_be_resigned(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite") as served:
        client = served.client
        state = client.sit_down(**SHORT, seed=1)
        after = client.act(state, state["actions"][1]["action"])["state"]
        assert client.post(f"/api/tables/{state['table']}/resign", {}) == {"deleted": False}
        end = client.get(f"/api/tables/{state['table']}")
        assert (end["ended"], end["actions"], end["result"]["text"]) == (True, [], "You resigned")
        assert [player["score"] for player in end["result"]["players"]] == [0.0, 1.0]
        client.act(after, after["actions"][0]["action"], 400)
        client.post(f"/api/tables/{state['table']}/resign", {}, 400)
        untouched = client.sit_down(**SHORT, seed=2)
        assert client.post(f"/api/tables/{untouched['table']}/resign", {}) == {"deleted": True}
        client.get(f"/api/tables/{untouched['table']}", 404)
        record = client.get("/api/history")
        assert [game["resigned"] for game in record["games"]] == [True]
        assert record["unfinished"] == []
        assert client.get(f"/api/history/{state['table']}/review")["decisions"]
    with serving(tmp_path / "games.sqlite") as served:
        assert served.client.get(f"/api/tables/{state['table']}") == end


def test_the_record_counts_the_latest_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a visit costs does not grow without end; the export has all games."""
    monkeypatch.setattr(record, "_MAX_COUNTED", 2)
    with serving(tmp_path / "games.sqlite") as served:
        client = served.client
        ends = [finish(client, client.sit_down(game="KuhnPoker-v0", seed=seed)) for seed in range(3)]
        found = client.get("/api/history")
        assert [game["table"] for game in found["games"]] == [end["table"] for end in ends[:0:-1]]
        assert (found["older"], sum(report["games"] for report in found["reports"])) == (1, 2)
        assert len(client.raw("GET", "/api/history/export")[2].splitlines()) == 3


def test_only_games_of_a_usual_length_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "MAX_MOVES", 2)
    with serving(tmp_path / "games.sqlite") as served:
        client = served.client
        id = finish(client, client.sit_down(game="KuhnPoker-v0", seed=1))["table"]
        for answer in (
            client.get(f"/api/history/{id}/replay", 409),
            client.get(f"/api/history/{id}/review", 409),
            client.post("/api/explore", {"record": id}, 409),
            client.post(f"/api/history/{id}/again", {"move": 0}, 409),
        ):
            assert "games of up to 2 moves are shown" in answer["error"]


def test_unfinished_games_are_capped(tmp_path: Path) -> None:
    """Those in which nothing was decided make room; otherwise the person has to finish one."""
    with serving(tmp_path / "games.sqlite", max_unfinished=2) as served:
        tables = [served.client.sit_down(**SHORT) for _ in range(3)]
        served.client.get(f"/api/tables/{tables[0]['table']}", 404)
        for state in tables[1:]:
            served.client.act(state, state["actions"][1]["action"])
        refused = served.client.post("/api/tables", {**SHORT, "seat": 0}, 409)
        assert refused["error"] == "you have 2 unfinished games: finish, resign or delete one"
        served.client.post(f"/api/tables/{tables[1]['table']}/resign", {})
        again = f"/api/history/{tables[1]['table']}/again"
        decision = next(n for n, (seat, _) in enumerate(served.tables.game_log.rows(tables[1]["table"])) if seat == 0)
        state = served.client.get(f"/api/tables/{served.client.post(again, {'move': decision}, 201)['table']}")
        served.client.act(state, state["actions"][1]["action"])
        assert "2 unfinished games" in served.client.post("/api/tables", {**SHORT, "seat": 0}, 409)["error"]
        assert "2 unfinished games" in served.client.post(again, {"move": decision}, 409)["error"]

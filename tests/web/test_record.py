"""The record of a browser: export, import, deletion, ratings."""

from __future__ import annotations

from pathlib import Path

from web_server import finish, serving

from cardgym.table.game_entries import read_entries

SHORT = {"game": "CorellianSpike-v0", "options": {"hands": 2}, "opponents": ["heuristic"]}


def test_the_record_can_be_exported_and_games_deleted(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite") as served:
        client = served.client
        end = finish(client, client.sit_down(**SHORT, seed=1))
        unfinished = client.sit_down(**SHORT, seed=2)
        record = client.get("/api/history")
        assert [game["table"] for game in record["unfinished"]] == [unfinished["table"]]
        assert record["games"][0]["people"] == ["You", "Heuristic"]
        assert record["games"][0]["unit"] == "credits"
        status, headers, lines = client.raw("GET", "/api/history/export")
        assert (status, headers["content-type"]) == (200, "application/x-ndjson")
        (tmp_path / "games.jsonl").write_bytes(lines)
        assert [entry["id"] for entry in read_entries(tmp_path / "games.jsonl")] == [end["table"]]
        for table in (end["table"], unfinished["table"]):
            client.post(f"/api/history/{table}/delete", {})
            client.get(f"/api/tables/{table}", 404)
        record = client.get("/api/history")
        assert record["games"] == record["unfinished"] == []
        client.post(f"/api/history/{end['table']}/delete", {}, 404)


def test_the_record_has_ratings_and_puzzles_rate_their_solver(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite") as served:
        client = served.client
        finish(client, client.sit_down(game="CodaOfficial-v0", opponents=["random"], seed=1))
        [rating] = client.get("/api/history")["ratings"]
        assert (rating["env"], rating["games"]) == ("CodaOfficial-v0", 1)
        assert rating["players"]["Random"] == -714
        puzzle = client.get("/api/puzzles/OnePlayPoker-v0")
        path, action = f"/api/puzzles/{puzzle['puzzle']}/solve", puzzle["actions"][0]["action"]
        first = client.post(path, {"action": action})
        again = client.post(path, {"action": action, **first["skill"]})
        assert (first["rating"] > 0) == first["right"]
        assert (again["rating"] > first["rating"]) == first["right"]
        assert again["half_width"] < first["half_width"]
        for wrong in ({"mu": "1"}, {"sigma": 0}, {"mu": 1e9}, {"mu": True}):
            client.post(path, {"action": action, **wrong}, 400)

"""Players that whoever starts the server names: on the lobby, at a table, and nowhere else."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_server import Client, Served, serving

from cardgym import CardgymError
from cardgym.table.game_log import GameLog
from cardgym.table.web.app import make_app
from cardgym.table.web.preparation import Preparation

POKER, KUHN = "CorellianSpike-v0", "KuhnPoker-v0"
BOT = """
from cardgym.players import Player
class Bold(Player):
    def act(self, observations, masks): return masks.argmax(axis=1)
class Fails(Player):
    def act(self, observations, masks): raise KeyError(f"the card is {observations.tolist()}")
def choose(observation, mask): return int(mask.argmax())
def fails(observation, mask): raise KeyError(f"the card is {observation.tolist()}")
"""
WAITS = """
import time
from pathlib import Path
from cardgym.players import Player
HERE = Path(__file__).parent
class Waits(Player):
    def act(self, observations, masks):
        (HERE / "asked").touch()
        start = time.monotonic()
        while not (HERE / "go").exists():
            time.sleep(0.01)
            if time.monotonic() > start + 30:
                (HERE / "gave up").touch()
                break
        return masks.argmax(axis=1)
"""
NET = Path(__file__).parents[2] / "checkpoints" / "corellian_spike" / "ppo.safetensors"
NAMES = ("mine", "bad", "bold", "worse", "net:greedy")


@pytest.fixture
def players(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bot.py").write_text(BOT)
    bots = [f"{tmp_path}/bot.py:{name}" for name in ("choose", "fails", "Bold", "Fails")]
    return dict(zip(NAMES, (*bots, f"{NET}:greedy"), strict=True))


@pytest.fixture
def server(tmp_path: Path, players: dict[str, str]) -> Iterator[Served]:
    with serving(tmp_path / "games.sqlite", players=players, shared=True) as served:
        yield served


def test_players_that_take_their_time_keep_no_other_table_waiting(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(WAITS)
    with serving(tmp_path / "games.sqlite", players={"waits": f"{tmp_path}/bot.py:Waits"}, shared=True) as served:
        body = {"game": KUHN, "opponents": ["waits"], "seat": 1}
        opened: list[dict[str, Any]] = []

        def ask() -> None:
            opened.append(Client(served.port).post("/api/tables", body, 201))

        asked = [threading.Thread(target=ask, daemon=True) for _ in range(9)]
        for asking in asked:
            asking.start()
        end = time.monotonic() + 60
        while not (tmp_path / "asked").exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        served.client.sit_down(game=KUHN, seed=1)
        assert not (tmp_path / "gave up").exists()
        waiting = [thread for thread in threading.enumerate() if "(answering)" in thread.name]
        assert waiting
        assert all(thread.daemon for thread in waiting)  # Ctrl-C ends the server without them.
        (tmp_path / "go").touch()
        for asking in asked:
            asking.join(60)
        assert len(opened) == 9


def test_they_are_offered_where_they_fit_and_play(server: Served, tmp_path: Path, players: dict[str, str]) -> None:
    offered = {
        game["id"]: {one["name"] for one in game["players"]} for game in server.client.get("/api/lobby")["games"]
    }
    assert offered[POKER] >= set(NAMES)
    assert offered[KUHN] & set(NAMES) == {*NAMES} - {"net:greedy"}
    assert server.client.sit_down(game=KUHN, opponents=["bold"], seat=1, seed=1)["opponents"] == ["bold"]
    state = server.client.sit_down(game=KUHN, opponents=["mine"], seat=1, seed=1)
    assert (state["opponents"], state["names"]) == (["mine"], ["Mine", "You"])
    ended = server.client.act(state, 0)["state"]
    assert "pass" in json.dumps(ended["narration"]).lower() or ended["ended"]
    assert str(tmp_path) not in json.dumps([ended, server.client.get("/api/lobby")])
    unfinished = server.client.sit_down(game=KUHN, opponents=["mine"], seat=0, seed=1)["table"]
    for names, status in (({}, 400), (players, 200)):  # Started again, without it and with it.
        with serving(tmp_path / "games.sqlite", players=names, shared=True) as again:
            again.client.get(f"/api/tables/{unfinished}", status)


def test_nobody_asks_them_before_a_person_sits_down(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[Any] = []
    monkeypatch.setattr(Preparation, "ask", lambda self, setup: prepared.extend(setup.players))
    for name in ("mine", "honest"):
        assert server.client.post("/api/prepare", {"game": KUHN, "opponents": [name], "seat": 1}) == {}
    assert [player.name for player in prepared] == ["honest"]


@pytest.mark.parametrize("name", ["bad", "worse"])
def test_a_failure_shows_nobody_what_the_player_saw(server: Served, name: str, capfd: Any) -> None:
    refused = server.client.post("/api/tables", {"game": KUHN, "opponents": [name], "seat": 1}, 400)
    assert refused == {"error": f"player {name} failed at its decision: KeyError"}
    assert capfd.readouterr().err == ""


def test_no_request_names_a_program_or_a_path(server: Served, tmp_path: Path, players: dict[str, str]) -> None:
    mark = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w')\ndef choose(observation, mask): return 0\n")
    mixture = {"format": "cardgym mixture 1", "env": KUHN, "options": {},
               "players": [{"player": "./evil.py:choose", "weight": 1}]}  # fmt: skip
    (tmp_path / "evil.mixture.json").write_text(json.dumps(mixture))
    names = [f"{tmp_path}/evil.py:choose", "evil:choose", "os:system", "json:loads", *players.values(), str(NET)]
    names += [f"mine={tmp_path}/evil.py:choose", f"{tmp_path}/evil.mixture.json", "../evil.py:choose", "mine:greedy"]
    client, stranger = (Client(server.port, letter * 22) for letter in "ba")
    client.post("/api/tables", {"game": f"os:{KUHN}", "seat": 0}, 404)
    ended = client.act(client.sit_down(game=KUHN, opponents=["mine"], seat=0, seed=1), 0)["state"]
    exported = client.raw("GET", "/api/history/export")[2].decode()
    for name in names:
        client.post("/api/tables", {"game": KUHN, "opponents": [name], "seat": 0}, 400)
        client.post("/api/tables", {"game": KUHN, "opponents": [name, name], "seat": None}, 400)
        client.raw("POST", "/api/explore", {"game": KUHN, "against": ["human", name]})
        client.raw("GET", f"/api/games/{KUHN}/opponents?opponent={name}")
        entry = json.loads(exported.splitlines()[0])
        entry = {key: value for key, value in entry.items() if key != "sha256"} | {"id": "b" * 22}
        entry["players"][1]["name"] = name
        added = stranger.post("/api/history/import", {"lines": json.dumps(entry)})
        assert added["added"] + len(added["refused"]) == 1
        for game in stranger.get("/api/history")["games"]:
            for path in ("review", "replay"):
                stranger.raw("GET", f"/api/history/{game['table']}/{path}")
            stranger.post(f"/api/history/{game['table']}/again", {"move": 2}, 400)
            stranger.post(f"/api/history/{game['table']}/delete", {})
    assert ended["ended"]
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("ppo", "bot.py:choose", "that no player of a game is called by"),
        ("human", "bot.py:choose", "that no player of a game is called by"),
        ("a\nb", "bot.py:choose", "that no player of a game is called by"),
        ("x" * 41, "bot.py:choose", "that no player of a game is called by"),
        ("mine", "heuristic", "people can choose heuristic without another name"),
        ("mine", "none.safetensors", "no such file"),
        ("mine", "bot.py:chose", "unknown player in bot.py 'chose': did you mean 'choose'?"),
    ],
)
def test_what_cannot_be_offered_is_refused_at_the_start(
    name: str, spec: str, message: str, players: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CardgymError) as caught:
        make_app(GameLog(tmp_path / "games.sqlite"), players={name: spec})
    assert message in str(caught.value)

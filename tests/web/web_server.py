"""A server in a thread, and a client."""

import contextlib
import http.client
import json
import random
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import cardgym
from cardgym.table.game_log import GameLog
from cardgym.table.web.app import make_app
from cardgym.table.web.protocol import uvicorn_config
from cardgym.table.web.tables import Tables

SPIKE = "CorellianSpike-v0"
SHORT = {"game": SPIKE, "options": {"hands": 2, "rounds": 1}, "opponents": ["heuristic"]}


class Client:
    """A client that behaves like a page, or does not; `cookie` is its browser's."""

    def __init__(self, port: int, cookie: str = "") -> None:
        self.port = port
        self.cookie = {"Cookie": f"cardgym_owner={cookie}"} if cookie else {}
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)  # The first request compiles.

    def raw(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        content = None if body is None else json.dumps(body)
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        headers = {"Content-Type": "application/json", **self.cookie, **more}
        for last in (False, True):
            try:
                self.connection.request(method, path, content, headers)
                response = self.connection.getresponse()
                break
            except (http.client.RemoteDisconnected, BrokenPipeError):  # Closed after being idle.
                self.connection.close()
                if last:
                    raise
        return response.status, dict(response.getheaders()), response.read()

    def get(self, path: str, status: int = 200) -> Any:
        return self._parsed("GET", path, None, status)

    def post(self, path: str, body: Any, status: int = 200) -> Any:
        return self._parsed("POST", path, body, status)

    def _parsed(self, method: str, path: str, body: Any, status: int) -> Any:
        given, _, content = self.raw(method, path, body)
        assert given == status, content
        return json.loads(content)

    def sit_down(self, **wanted: Any) -> dict[str, Any]:
        """Open a table; returns it as its person sees it."""
        id = self.post("/api/tables", {"seat": 0, **wanted}, 201)["table"]
        return dict(self.get(f"/api/tables/{id}"))

    def act(self, state: dict[str, Any], action: int, status: int = 200, **more: Any) -> Any:
        body = {"action": action, "version": state["version"], **more}
        return self.post(f"/api/tables/{state['table']}/action", body, status)

    def step(self, state: dict[str, Any]) -> Any:
        return self.post(f"/api/tables/{state['table']}/step", {"version": state["version"]})


def watch(client: Client, **wanted: Any) -> dict[str, Any]:
    """Open a table to watch; returns it."""
    table = client.post("/api/tables", {"seat": None, "seed": 1, **wanted}, 201)["table"]
    return dict(client.get(f"/api/tables/{table}"))


def finish(client: Client, state: dict[str, Any], seed: int = 0) -> dict[str, Any]:
    """Play a game to its end with random actions; returns its last state. Tiles are face down as often as is said."""
    choose = random.Random(seed)
    while not state["ended"]:
        for counter in state["view"]["counters"]:
            if counter["name"] == "Face down" and counter["value"] != "?":
                lines = [zone["items"] for zone in state["view"]["zones"] if zone["seat"] == counter["seat"]]
                down = [item for line in lines for item in line if re.search("hidden|face down", item["label"])]
                assert len(down) == counter["value"]
        state = client.act(state, choose.choice(state["actions"])["action"])["state"]
    return state


def slow_player(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Add the player `slow` to Corellian Spike; returns the events of its thinking and of what lets it go on."""
    thinking, go_on = threading.Event(), threading.Event()

    class Slow:
        name, observation_name = "slow", None

        def act(self, observations: Any, masks: Any) -> Any:
            thinking.set()
            go_on.wait(60)
            return masks.argmax(axis=1)

    game = cardgym.find(SPIKE)
    monkeypatch.setitem(vars(game), "players", {**game.players, "slow": lambda options: Slow()})
    return thinking, go_on


class Served:
    """A server in a thread.

    Attributes:
        client: a page of it.
        app, tables: its application and its tables, to look behind the scenes.
    """

    def __init__(self, game_log: Path, **settings: Any) -> None:
        self.app = make_app(GameLog(game_log), **settings)
        self.tables: Tables = self.app.state.tables
        self._server = uvicorn.Server(uvicorn_config(self.app, "127.0.0.1", 0, 100))
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]
        self.client = Client(self.port)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self.tables.game_log.close()


@contextlib.contextmanager
def serving(game_log: Path, **settings: Any) -> Iterator[Served]:
    served = Served(game_log, **settings)
    try:
        yield served
    finally:
        served.stop()

"""What people wait for: compilation in the background, first answers of the coach, and tables of many players."""

import dataclasses
import threading
import time
from typing import Any

import pytest
from web_server import SPIKE, Client, Served

from cardgym.engine import compilation
from cardgym.table.coach.advice import Advice
from cardgym.table.coach.coach import Coach
from cardgym.table.web import preparation

KUHN = {"game": "KuhnPoker-v0", "seat": 0, "hints": "demand", "seed": 1}


def test_the_page_learns_what_is_being_compiled(client: Client) -> None:
    for _ in range(600):
        if client.get("/api/busy"):  # What an earlier test began to compile.
            time.sleep(0.1)
    assert client.get("/api/busy") == {}

    def dispatcher() -> None:
        """An entry point without a game."""

    compilation.name_entry_point("Chess-v0 (coach)", dispatcher)
    with compilation.announced(dispatcher):
        doing = client.get("/api/busy")["doing"]
    assert doing.startswith("Compiling Chess-v0 (coach), once: 0 s so far; it takes ")
    assert client.get("/api/busy") == {}


def test_a_table_is_prepared_once_for_each_kind(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[Any] = []
    done = threading.Event()

    def prepare(setup: Any) -> None:
        prepare_table(setup)
        prepared.append((setup.game.id, [player.name for player in setup.players]))
        if len(prepared) == 2:
            done.set()

    prepare_table = preparation._prepare
    monkeypatch.setattr(preparation, "_prepare", prepare)
    monkeypatch.setattr(preparation, "PAUSE", 0.0)
    for body in (
        {**KUHN, "opponents": ["nobody"]},
        {**KUHN, "people": "link"},
        KUHN,
        {**KUHN, "seed": 2},
        {**KUHN, "opponents": ["random"]},
    ):
        assert client.post("/api/prepare", body) == {}
    assert done.wait(60)
    assert prepared == [("KuhnPoker-v0", ["honest"]), ("KuhnPoker-v0", ["random"])]


def test_long_advice_has_a_first_answer(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    table = client.sit_down(**KUHN)["table"]
    address = f"/api/tables/{table}/advice?seat="
    assert client.get(f"{address}&glance=1") == client.get(address)  # It takes no longer.

    def glance(coach: Coach, state: Any, seat: int) -> Advice:
        return dataclasses.replace(coach.advise(state, seat), source="a glance")

    monkeypatch.setattr(Coach, "glance", glance)
    first, full = client.get(f"{address}&glance=1"), client.get(address)
    assert (first["first"], first["source"]) == (True, "a glance")
    assert full["first"] is False
    assert {each["action"] for each in full["actions"]} == {each["action"] for each in first["actions"]}


def test_a_person_may_move_while_the_coach_thinks(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    thinking, go_on = threading.Event(), threading.Event()
    state = server.client.sit_down(**KUHN)

    def advise(coach: Coach, *of: Any) -> Advice:
        thinking.set()
        assert go_on.wait(60)
        return advise_at_once(coach, *of)

    advise_at_once = Coach.advise
    monkeypatch.setattr(Coach, "advise", advise)
    found = dict[str, Any]()
    asking = threading.Thread(
        target=lambda: found.update(Client(server.port).get(f"/api/tables/{state['table']}/advice"))
    )
    asking.start()
    assert thinking.wait(60)
    assert server.client.act(state, state["actions"][0]["action"])["state"]["version"] > state["version"]
    go_on.set()
    asking.join()
    assert [option["action"] for option in state["actions"]] == sorted(one["action"] for one in found["actions"])


@pytest.mark.parametrize(("players", "chosen", "raises"), [(3, {}, 0), (4, {}, 1), (8, {"max_raises": 0}, 0)])
def test_raises_are_capped_at_a_table_of_four_unless_people_choose(
    client: Client, players: int, chosen: dict[str, int], raises: int
) -> None:
    state = client.sit_down(game=SPIKE, options={"num_players": players, **chosen}, opponents=["random"])
    assert state["options"]["max_raises"] == raises


def test_players_of_one_kind_have_names_of_their_own(client: Client) -> None:
    table = {"game": SPIKE, "options": {"num_players": 4}, "seat": 2}
    alike = client.sit_down(**table, opponents=["heuristic"])
    assert alike["names"] == ["Ben", "Cleo", "You", "Ada"]  # In order of play after the person.
    assert alike["kinds"] == ["Heuristic", "Heuristic", "", "Heuristic"]
    mixed = client.sit_down(**table, opponents=["heuristic", "random", "heuristic"])
    assert mixed["names"] == ["Random", "Cleo", "You", "Ada"]
    assert {line["text"].split()[0] for line in mixed["narration"] if line["seat"] in (0, 1, 3)} <= {*mixed["names"]}


def test_a_form_names_options_for_people(client: Client) -> None:
    [spike] = [game for game in client.get("/api/lobby")["games"] if game["id"] == SPIKE]
    options = {option["name"]: option for option in spike["options"]}
    assert {option["group"] for option in options.values()} == {"table", "rules", "for study"}
    assert options["num_players"]["label"] == "number of players"
    assert options["cheat"]["texts"]["0"] == "player 1"
    assert all(set(option["texts"]) == set(option.get("choices", ())) for option in options.values())

"""The explorer's addresses."""

from typing import Any

import pytest
from web_server import Client


@pytest.mark.parametrize(("env", "opponents"), [("OnePlayPoker-v0", []), ("CodaOfficial-v0", ["bayes"])])
def test_a_review_can_be_explored_with_the_same_values(client: Client, env: str, opponents: list[str]) -> None:
    state = client.sit_down(game=env, opponents=opponents, seed=2)
    while not state["ended"]:
        state = client.act(state, state["actions"][-1]["action"])["state"]
    review = client.get(f"/api/history/{state['table']}/review")
    for decision in review["decisions"][:3]:
        body = {"record": state["table"], "move": decision["move"], "seed": 1}
        line = client.post("/api/explore", body)
        assert line["names"] == review["players"]
        again = {key: line[key] for key in ("game", "options", "moves", "against")}
        assert client.post("/api/explore", {**again, "seed": 1})["advice"] == line["advice"]
        values = {action["action"]: action["value"] for action in line["advice"]["actions"]}
        listed = {action["action"]: action["value"] for action in decision["actions"]}
        assert listed == {action: values[action] for action in listed}
        assert line["options"] == review["options"]


def test_cards_and_moves_can_be_chosen(client: Client) -> None:
    line = client.post("/api/explore", {"game": "CorellianSpike-v0", "options": {"hands": 2}, "moves": [], "seed": 3})
    assert line["advice"]["actions"][0]["value"] == max(action["value"] for action in line["advice"]["actions"])
    assert not any("back" in item["symbol"] for zone in line["view"]["zones"][:2] for item in zone["items"])
    step = next(number for number, step in enumerate(line["steps"]) if step["open"])
    asked = {"game": "CorellianSpike-v0", "options": line["options"], "moves": line["moves"]}
    outcomes = client.post("/api/explore/outcomes", {**asked, "at": step})["outcomes"]
    assert len(outcomes) == 21  # The values, not the 62 cards.
    zero = next(outcome["outcome"] for outcome in outcomes if outcome["symbols"] == ["card+0"])
    changed = client.post("/api/explore", {**asked, "seed": 3, "change": {"step": step, "outcome": zero}})
    assert changed["steps"][step]["symbols"] == ["card+0"]
    assert len(changed["steps"]) == len(line["steps"])
    action = changed["advice"]["actions"][0]["action"]
    after = client.post("/api/explore", {**asked, "seed": 3, "moves": [*changed["moves"], action]})
    assert len(after["moves"]) > len(changed["moves"])


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"moves": ["1"]}, "moves"),
        ({"moves": [1] * 5001}, "more than 5,000"),
        ({"moves": [10**9] * 5000}, "move 0 is not legal"),  # As many as a game in the record may have.
        ({"moves": [99]}, "not legal"),
        ({"against": ["ppo"]}, "2 players"),
        ({"seed": -1}, "seed"),
        ({"change": []}, "change"),
    ],
)
def test_bad_lines_are_refused(client: Client, body: dict[str, Any], error: str) -> None:
    assert error in client.post("/api/explore", {"game": "CorellianSpike-v0", **body}, 400)["error"]


def test_an_unfinished_game_cannot_be_explored(client: Client) -> None:
    table = client.sit_down(game="OnePlayPoker-v0")["table"]
    assert "not over" in client.post("/api/explore", {"record": table, "move": 1, "seed": 1}, 409)["error"]

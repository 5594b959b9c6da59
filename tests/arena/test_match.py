"""Matches with known results, and properties that hold for every match."""

import json
from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.arena import Report, evaluate, match
from cardgym.engine.contract import Options
from cardgym.players import batched

ENV = "CorellianSpike-v0"
FOLD, MATCH, DONT_BUY, DISCARD = 2, 1, 4, 5


def folder(observation: Any, mask: Any) -> int:
    """Folds whenever it can."""
    return FOLD if mask[FOLD] else int(np.flatnonzero(mask)[-1])


def play_on(observation: Any, mask: Any) -> int:
    """The paper's initial policy, as a callable."""
    return next(action for action in (MATCH, DONT_BUY, DISCARD) if mask[action])


def options(**settings: Any) -> Options:
    return find(ENV).parse_options(settings)


def without_times(report: Report) -> dict[str, Any]:
    """The report without what the clock measured."""
    return {k: v for k, v in report.asdict().items() if k not in ("seconds", "decisions_per_second")}


def test_a_player_that_always_folds_loses_exactly_the_antes() -> None:
    # Ten hands, an ante of 2 each: 20 credits of 50.
    report = evaluate(ENV, None, [folder, "initial"], games=10, seed=3).asdict()
    first, second = report["players"]
    assert (first["win_rate"], second["win_rate"]) == (0.0, 1.0)
    assert (first["mean_return"], second["mean_return"]) == (-20.0, 20.0)
    assert first["mean_return_ci95"][0] == -20.0
    assert -20.0 < first["mean_return_ci95"][1] < 20.0  # Five deals do not show that it always loses as much.
    assert first["metrics"] == {"bust_games": 0}
    assert first["win_rate_ci95"][0] == 0.0
    assert 0.0 < first["win_rate_ci95"][1] < 0.7  # Five deals do not show that it never wins.


def test_bust_games_are_counted() -> None:
    # Two credits are the first ante: everyone is all in, and the loser is bust.
    report = evaluate(ENV, options(credits=2), ["initial", "random"], games=100, seed=3).asdict()
    for player in report["players"]:
        assert player["metrics"]["bust_games"] == round(100 * (1 - player["win_rate"]))
        assert player["mean_return"] == pytest.approx(4 * player["win_rate"] - 2)
        assert 20 < player["metrics"]["bust_games"] < 80


def test_equal_players_mirror_each_other_exactly() -> None:
    for name in ("random", "heuristic", "random-table"):
        report = evaluate(ENV, None, [name, name], games=200, seed=8)
        first, second = (player for player in report.asdict()["players"])
        assert first["win_rate"] == 0.5
        assert {**first, "name": ""} == {**second, "name": ""}


@batched
def play_on_everywhere(observations: Any, masks: Any) -> Any:
    """`play_on` for many games at once."""
    actions = np.array([MATCH, DONT_BUY, DISCARD])
    return actions[masks[:, actions].argmax(axis=1)]


class PlaysOn:
    """The same policy as an object with no other method than `act`."""

    def act(self, observations: Any, masks: Any) -> Any:
        return play_on_everywhere(observations, masks)


@pytest.mark.parametrize(
    ("player", "name"),
    [(play_on, "play_on"), (play_on_everywhere, "play_on_everywhere"), (PlaysOn(), "PlaysOn")],
)
def test_a_policy_gets_the_same_report_in_every_form(player: Any, name: str) -> None:
    compiled, called = (
        without_times(evaluate(ENV, None, [one, "random"], games=60, seed=4)) for one in ("initial", player)
    )
    assert called["players"][0]["name"] == name
    compiled["players"][0]["name"] = name
    assert compiled == called


@pytest.mark.parametrize(
    ("answer", "message"), [(lambda masks: masks.argmax(), "one whole number a row"), (lambda masks: -1, "row")]
)
def test_batch_of_the_wrong_shape_names_the_player(answer: Any, message: str) -> None:
    player = batched(lambda observations, masks: answer(masks), name="clumsy")
    with pytest.raises(CardgymError, match=f"player clumsy: .*{message}"):
        evaluate(ENV, None, [player, "random"], games=4, seed=1)


def test_order_of_players_changes_only_the_order_of_reports() -> None:
    one = evaluate(ENV, None, ["initial", "heuristic"], games=300, seed=4).asdict()["players"]
    other = evaluate(ENV, None, ["heuristic", "initial"], games=300, seed=4).asdict()["players"]
    for a, b in zip(one, reversed(other), strict=True):
        assert a["name"] == b["name"]
        assert a["win_rate"] == b["win_rate"]
        assert a["mean_return"] == b["mean_return"]
        assert a["mean_return_ci95"] == pytest.approx(b["mean_return_ci95"])


def test_report_depends_on_the_seed_alone_and_not_on_the_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    first, other = (without_times(evaluate(ENV, None, ["initial", "random"], games=100, seed=seed)) for seed in (4, 5))
    assert first["players"] != other["players"]
    monkeypatch.setattr(match, "ROWS", 14)
    assert without_times(evaluate(ENV, None, ["initial", "random"], games=100, seed=4)) == first


def test_rotation_plays_the_same_deals_in_both_fixed_seatings() -> None:
    rotated = evaluate(ENV, None, ["initial", "heuristic"], games=200, seed=6).players[0]
    first = evaluate(ENV, None, ["initial", "heuristic"], games=100, seed=6, seats="fixed").players[0]
    second = evaluate(ENV, None, ["heuristic", "initial"], games=100, seed=6, seats="fixed").players[1]
    assert rotated.mean_return == pytest.approx((first.mean_return + second.mean_return) / 2)
    assert first.mean_return != second.mean_return
    assert rotated.metrics["bust_games"] == first.metrics["bust_games"] + second.metrics["bust_games"]


def test_games_are_rounded_up_to_whole_deals() -> None:
    calls = []
    names = ["heuristic", "random", "initial"]
    report = evaluate(ENV, options(num_players=3), names, games=100, seed=1, progress=lambda *call: calls.append(call))
    assert report.games == 102
    assert calls[-1] == (102, 102)
    assert sum(player.win_rate for player in report.players) == pytest.approx(1.0)
    assert sum(player.mean_return for player in report.players) == pytest.approx(0.0, abs=1e-9)
    assert [player.name for player in report.players] == names


def test_json_has_the_documented_keys_and_no_nan() -> None:
    report = evaluate(ENV, options(hands=2), ["random", "initial"], games=1, seed=7).asdict()
    assert set(report) == {"env", "options", "games", "deals", "seed", "seconds", "decisions_per_second", "players"}
    assert report["options"]["hands"] == 2
    assert (report["games"], report["deals"]) == (2, 1)
    keys = {"name", "win_rate", "win_rate_ci95", "mean_return", "mean_return_ci95", "metrics"}
    assert set(report["players"][0]) == keys
    assert list(report["players"][0]["metrics"]) == ["bust_games"]
    assert report["players"][0]["win_rate_ci95"] == [None, None]  # One deal.
    assert json.loads(json.dumps(report, allow_nan=False)) == report


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": ["random"]}, "has 2 seats: name 2 players, one for each, not 1"),
        ({"players": ["random"] * 3}, "has 2 seats: name 2 players, one for each, not 3"),
        ({"players": ["random", "heuristc"]}, "did you mean 'heuristic'"),
        ({"players": ["random", lambda observation, mask: 7]}, "action 7 is not legal"),
        ({"players": ["random", lambda observation, mask: 0.5]}, "action 0.5 is not legal"),
        ({"games": 0}, "games=0: allowed are whole numbers from 1"),
        ({"games": 2.5}, "games=2.5"),
        ({"seed": -1}, "seed=-1: allowed are whole numbers from 0"),
        ({"seed": True}, "seed=True"),
        ({"seats": "shuffle"}, "unknown seats 'shuffle': known: fixed, rotate"),
        ({"game": "Corellian"}, "did you mean 'CorellianSpike-v0'"),
    ],
)
def test_bad_input_is_one_line(change: dict[str, Any], message: str) -> None:
    arguments = {"game": ENV, "options": None, "players": ["random", "random"], "games": 2, "seed": 0, **change}
    with pytest.raises(CardgymError) as error:
        evaluate(**arguments)
    assert message in str(error.value)
    assert "\n" not in str(error.value)

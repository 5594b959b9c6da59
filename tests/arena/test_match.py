"""Matches whose outcome is known beforehand, and what the arena promises of every match."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.arena import evaluate, match

ENV = "CorellianSpike-v0"
FOLD, MATCH, DONT_BUY, DISCARD = 2, 1, 4, 5


def folder(observation, mask):
    """Folds whenever it can."""
    return FOLD if mask[FOLD] else int(np.flatnonzero(mask)[-1])


def play_on(observation, mask):
    """The paper's initial policy, as a callable."""
    return next(action for action in (MATCH, DONT_BUY, DISCARD) if mask[action])


def options(**settings):
    return find(ENV).parse_options(settings)


def plain(report):
    """All that does not depend on the clock."""
    return {k: v for k, v in report.asdict().items() if k not in ("seconds", "decisions_per_second")}


def test_who_always_folds_loses_the_antes_and_nothing_else():
    # Ten hands, an ante of 2 each: 20 credits of 50; the other is paid ten pools of 4.
    report = evaluate(ENV, None, [folder, "initial"], games=10, seed=3).asdict()
    first, second = report["players"]
    assert (first["win_rate"], second["win_rate"]) == (0.0, 1.0)
    assert (first["mean_return"], second["mean_return"]) == (0.0, 40.0)
    assert first["extra"] == {
        "credits_per_game": -20.0,
        "credits_per_game_ci95": [-20.0, -20.0],
        "bust_games": 0,
    }
    assert second["extra"]["credits_per_game"] == 20.0
    assert first["win_rate_ci95"][0] == 0.0
    assert 0.0 < first["win_rate_ci95"][1] < 0.5  # Five deals do not prove that it never wins.


def test_a_game_ends_when_one_is_bust_and_such_games_are_counted():
    # Two credits are the first ante: everyone is all in, nobody decides on money, and who loses is bust.
    report = evaluate(ENV, options(credits=2), ["initial", "random"], games=100, seed=3).asdict()
    for player in report["players"]:
        assert player["extra"]["bust_games"] == round(100 * (1 - player["win_rate"]))
        assert player["mean_return"] == pytest.approx(4 * player["win_rate"])
        assert 20 < player["extra"]["bust_games"] < 80


def test_players_alike_mirror_each_other_exactly():
    for name in ("random", "heuristic", "random-table"):
        report = evaluate(ENV, None, [name, name], games=200, seed=8)
        first, second = (player for player in report.asdict()["players"])
        assert first["win_rate"] == 0.5
        assert {**first, "name": ""} == {**second, "name": ""}
        assert report.differences[0].mean == 0.0


def test_a_player_of_the_same_strength_has_one_half_in_its_interval():
    generator = np.random.default_rng(1)

    def another_random(observation, mask):
        return generator.choice(np.flatnonzero(mask))

    player = evaluate(ENV, None, [another_random, "random"], games=2000, seed=3).players[0]
    low, high = player.win_rate_ci95
    assert low < 0.5 < high
    assert high - low < 0.1
    low, high = player.extra["credits_per_game_ci95"]
    assert low < 0.0 < high


def test_the_stronger_player_is_seen_to_be_stronger():
    report = evaluate(ENV, None, ["heuristic", "random"], games=1000, seed=2)
    player = report.players[0]
    assert player.win_rate_ci95[0] > 0.8
    assert player.extra["credits_per_game_ci95"][0] > 20.0
    assert report.differences[0].ci95[0] > 0.0


def test_a_callable_and_the_compiled_player_it_copies_get_the_same_report():
    compiled = plain(evaluate(ENV, None, ["initial", "random"], games=60, seed=4))
    asked = plain(evaluate(ENV, None, [play_on, "random"], games=60, seed=4))
    compiled["players"][0]["name"] = asked["players"][0]["name"] = ""
    assert compiled == asked


def test_the_same_seed_gives_the_same_report_and_another_seed_another():
    again = [plain(evaluate(ENV, None, ["initial", "random"], games=300, seed=seed)) for seed in (4, 4, 5)]
    assert again[0] == again[1]
    assert again[0]["players"] != again[2]["players"]


def test_naming_the_players_in_another_order_changes_only_the_order():
    one = evaluate(ENV, None, ["initial", "heuristic"], games=300, seed=4).asdict()["players"]
    other = evaluate(ENV, None, ["heuristic", "initial"], games=300, seed=4).asdict()["players"]
    for a, b in zip(one, reversed(other), strict=True):
        assert a["name"] == b["name"]
        assert a["win_rate"] == b["win_rate"]
        assert a["mean_return"] == b["mean_return"]
        assert a["extra"]["credits_per_game_ci95"] == pytest.approx(b["extra"]["credits_per_game_ci95"])


def test_how_many_games_are_played_side_by_side_changes_nothing(monkeypatch):
    whole = plain(evaluate(ENV, None, ["initial", "random"], games=100, seed=4))
    monkeypatch.setattr(match, "ROWS", 14)
    assert plain(evaluate(ENV, None, ["initial", "random"], games=100, seed=4)) == whole


def test_rotation_is_both_fixed_seatings_on_the_same_deals():
    rotated = evaluate(ENV, None, ["initial", "heuristic"], games=200, seed=6).players[0]
    first = evaluate(ENV, None, ["initial", "heuristic"], games=100, seed=6, seats="fixed").players[0]
    second = evaluate(ENV, None, ["heuristic", "initial"], games=100, seed=6, seats="fixed").players[1]
    assert rotated.mean_return == pytest.approx((first.mean_return + second.mean_return) / 2)
    assert first.mean_return != second.mean_return
    assert rotated.extra["bust_games"] == first.extra["bust_games"] + second.extra["bust_games"]


def test_games_are_rounded_up_to_whole_deals_at_any_table():
    seen = []
    names = ["heuristic", "random", "initial"]
    report = evaluate(ENV, options(num_players=3), names, games=100, seed=1, progress=lambda *at: seen.append(at))
    assert report.games == 102
    assert seen[-1] == (102, 102)
    assert sum(player.win_rate for player in report.players) == pytest.approx(1.0)
    assert sum(player.extra["credits_per_game"] for player in report.players) == pytest.approx(0.0, abs=1e-9)
    assert [player.name for player in report.players] == names


def test_the_json_has_the_documented_keys_and_only_numbers_json_knows():
    report = evaluate(ENV, options(hands=2), ["random", "initial"], games=1, seed=7).asdict()
    assert list(report) == [
        "env",
        "settings",
        "games",
        "seed",
        "seconds",
        "decisions_per_second",
        "players",
    ]
    assert report["settings"]["hands"] == 2
    assert report["games"] == 2
    assert list(report["players"][0]) == [
        "name",
        "win_rate",
        "win_rate_ci95",
        "mean_return",
        "mean_return_ci95",
        "extra",
    ]
    assert list(report["players"][0]["extra"]) == ["credits_per_game", "credits_per_game_ci95", "bust_games"]
    assert report["players"][0]["win_rate_ci95"] == [None, None]  # One deal.
    assert json.loads(json.dumps(report, allow_nan=False)) == report


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": ["random"]}, "has 2 seats: name 2 players, one for each, not 1"),
        ({"players": ["random"] * 3}, "has 2 seats: name 2 players, one for each, not 3"),
        ({"players": ["random", "heuristc"]}, "did you mean 'heuristic'"),
        ({"players": ["random", lambda observation, mask: 7]}, "action 7 is not legal"),
        ({"players": ["random", lambda observation, mask: 0.5]}, "give one whole number a row"),
        ({"games": 0}, "games 0: allowed are whole numbers from 1"),
        ({"games": 2.5}, "games 2.5"),
        ({"seed": -1}, "seed -1: allowed are whole numbers from 0"),
        ({"seed": True}, "seed True"),
        ({"seats": "shuffle"}, "allowed are rotate, fixed"),
        ({"game": "Corellian"}, "did you mean 'CorellianSpike-v0'"),
    ],
)
def test_bad_input_is_told_in_one_line(change, message):
    arguments = {"game": ENV, "players": ["random", "random"], "games": 2, "seed": 0, "seats": "rotate", **change}
    with pytest.raises(CardgymError) as error:
        evaluate(
            arguments["game"],
            None,
            arguments["players"],
            games=arguments["games"],
            seed=arguments["seed"],
            seats=arguments["seats"],
        )
    assert message in str(error.value)
    assert "\n" not in str(error.value)

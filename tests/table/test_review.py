"""Reviews of games, costs over all games, and the commands that print them."""

import json
import random
import re
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardgym
from cardgym import CardgymError, find
from cardgym.cli import main
from cardgym.engine.states import new_state
from cardgym.players import CompiledPlayer, resolve
from cardgym.table.coach import history
from cardgym.table.coach.advice import ActionAdvice, Advice, ranked
from cardgym.table.coach.coach import Coach, usual_player
from cardgym.table.coach.history import Reviewer, reports, save_costs
from cardgym.table.coach.playouts import Playouts
from cardgym.table.coach.ratings import ratings
from cardgym.table.coach.review import WORST, Review, review
from cardgym.table.game_log import GameLog
from cardgym.table.people import people_of
from cardgym.table.presentation import COACH, presentation_of
from cardgym.table.session import Session, replay
from cardgym.table.setup import GameSetup
from cardgym.table.terminal.review import summary_lines
from cardgym.table.terminal.screen import Screen
from cardgym.testing import StateDriver

POKER = "OnePlayPoker-v0"
SPIKE = "CorellianSpike-v0"


@pytest.fixture
def game_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GameLog:
    monkeypatch.setenv("CARDGYM_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    return GameLog()


def play_game(
    game_log: GameLog, env: str, opponent: str = "random", number: int = 0, seed: int = 8, **options: Any
) -> str:
    game = find(env)
    parsed = game.parse_options(options)
    opponents = [CompiledPlayer(opponent)] * (parsed.num_players - 1)
    session = Session(GameSetup(game, parsed, opponents, seed, number=number), game_log)
    rng = random.Random(number)
    session.play()
    while not session.over:
        session.act(rng.choice(session.legal_actions()))
    return session.id


def test_luck_and_costs_explain_the_result_exactly(game_log: GameLog) -> None:
    game = find(POKER)
    for number in range(10):
        reviewed = review(game_log.entry(play_game(game_log, POKER, number=number)))
        first, last = reviewed.chart[0]["values"][0], reviewed.chart[-1]["values"][0]
        start = Coach(game, game.parse_options()).standing(new_state(game, game.parse_options())[0])
        cost = sum(one.cost for one in reviewed.decisions)
        assert reviewed.luck is not None
        assert last - start[0] == pytest.approx(reviewed.luck[0] - cost)
        assert first > -2


def test_best_decisions_cost_nothing(game_log: GameLog) -> None:
    game = find(POKER)
    options = game.parse_options()
    session = Session(GameSetup(game, options, [resolve("optimal", game, options)], seed=1, watched=True), game_log)
    session.play()
    reviewed = review(game_log.entry(session.id))
    assert reviewed.seats == (0,)
    assert reviewed.worst == ()
    assert all(one.cost == 0.0 and one.best == one.chosen for one in reviewed.decisions)


def test_the_costliest_decisions_come_first(game_log: GameLog) -> None:
    entry = game_log.entry(play_game(game_log, SPIKE, opponent="initial", hands=3))
    reviewed = review(entry)
    dearest = [reviewed.decisions[number] for number in reviewed.worst]
    assert len(dearest) <= WORST
    assert [one.cost for one in dearest if one.blunder] == sorted(one.cost for one in dearest if one.blunder)[::-1]
    assert sum(total.cost for total in reviewed.totals) == pytest.approx(sum(one.cost for one in reviewed.decisions))
    assert all(one.player == "human" for one in reviewed.decisions)
    assert all((one.grade == "??") == one.blunder and (one.cost > 0 or not one.grade) for one in reviewed.decisions)
    graded = {grade: [one.cost for one in reviewed.decisions if one.grade == grade] for grade in ("??", "?", "?!", "")}
    ends = [cost for costs in graded.values() if costs for cost in (max(costs), min(costs))]
    assert len(ends) > 2
    assert ends == sorted(ends, reverse=True)  # All costs are in credits.
    moves = [move for seat, move in entry["moves"] if seat == entry["person"]]
    choices = [event.move for event in replay(entry) if event.seat == entry["person"] and event.is_choice]
    assert [one.chosen for one in reviewed.decisions] == choices
    assert len(reviewed.decisions) <= len(moves)
    json.dumps(reviewed.asdict(), allow_nan=False)
    assert all(len(line) <= 80 for line in summary_lines(reviewed, Screen()))


def test_how_the_seats_stand_depends_on_the_fields_of_a_state_only() -> None:
    game = find(SPIKE)
    options = game.parse_options({"hands": 3})
    playouts, state = Playouts(game, options, usual_player(game)), new_state(game, options)
    other = np.full(game.state.itemsize, 0xAB, np.uint8).view(game.state)  # Also in the bytes between the fields.
    for name in game.state.names or ():
        other[name] = state[name]
    assert (playouts.standing(state[0]) == playouts.standing(other.view(np.recarray)[0])).all()


def test_games_of_agents_are_reviewed_for_all_seats(game_log: GameLog) -> None:
    game = find(SPIKE)
    options = game.parse_options({"hands": 1, "num_players": 3, "rounds": 1})
    players = [CompiledPlayer(name) for name in ("random", "initial", "heuristic")]
    session = Session(GameSetup(game, options, players, seed=4, watched=True), game_log)
    session.play()
    reviewed = review(game_log.entry(session.id), chart=False)
    assert {one.seat for one in reviewed.decisions} == {0, 1, 2}
    assert {total.player for total in reviewed.totals} == {"random", "initial", "heuristic"}


def costs(game_log: GameLog) -> list[dict[str, Any]]:
    """The costs over all games of the log, when each is reviewed."""
    reviewer, entries, deadline = Reviewer(game_log), list(game_log.entries()), time.monotonic() + 60
    while (found := reviewer.costs(entries))["reviewing"] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert found["reviewing"] == 0
    return list(found["costs"])


def test_costs_over_all_games(game_log: GameLog) -> None:
    for number in range(6):
        play_game(game_log, POKER, number=number)
    assert Reviewer(game_log).costs(list(game_log.entries())) == {"costs": [], "reviewing": 6}
    [cost] = costs(game_log)
    each = [review(entry, chart=False).totals[0] for entry in game_log.entries()]
    assert (cost["games"], cost["decisions"]) == (6, 18)
    assert cost["cost"] == pytest.approx(sum(total.cost for total in each) / 18)
    half = 2.570582 * np.std([total.cost / 3 for total in each], ddof=1) / 6**0.5  # Student's, 5 degrees of freedom.
    assert cost["cost_ci95"] == pytest.approx([max(cost["cost"] - half, 0.0), cost["cost"] + half], rel=1e-6)


def test_the_game_log_saves_costs(game_log: GameLog, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        play_game(game_log, POKER, number=number)
    entries = list(game_log.entries())
    save_costs(game_log, review(entries[0]))
    reviewed: list[str] = []

    def counted(entry: dict[str, Any], **how: Any) -> Review:
        reviewed.append(entry["id"])
        return review(entry, **how)

    monkeypatch.setattr("cardgym.table.coach.history.review", counted)
    alone = costs(game_log)
    assert sorted(reviewed) == sorted(entry["id"] for entry in entries[1:])
    assert costs(game_log) == alone
    assert len(reviewed) == 2
    monkeypatch.setattr("cardgym.__version__", "99.0")  # Another version may give other advice.
    assert costs(game_log) == alone
    assert len(reviewed) == 5


def test_reviews_in_the_background_are_few_and_people_take_turns(
    game_log: GameLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who uploads many games keeps nobody waiting."""
    for number in range(6):
        play_game(game_log, POKER, number=number)
    entries = list(game_log.entries())
    reviewed: list[str] = []
    may_begin = threading.Event()

    def noted(entry: dict[str, Any], **how: Any) -> Review:
        may_begin.wait()
        reviewed.append(entry["id"])
        raise CardgymError("no review")

    monkeypatch.setattr(history, "review", noted)
    monkeypatch.setattr(history, "_REVIEWED_GAMES", 3)
    reviewer = Reviewer(game_log)
    assert reviewer.costs(entries[:5], "uploads")["reviewing"] == 3
    assert reviewer.costs(entries[:5], "uploads")["reviewing"] == 3
    assert reviewer.costs(entries[5:], "plays")["reviewing"] == 1
    may_begin.set()
    while reviewer.costs(entries[:5], "uploads")["reviewing"] or reviewer.costs(entries[5:], "plays")["reviewing"]:
        time.sleep(0.01)
    assert reviewed[0] == entries[4]["id"]
    assert entries[5]["id"] in reviewed[1:3]
    assert sorted(reviewed) == sorted(entry["id"] for entry in entries[2:])


def test_a_player_of_the_game_can_coach() -> None:
    game = find(SPIKE)
    options = game.parse_options()
    coach = Coach(game, options, "initial")
    session = Session(GameSetup(game, options, [CompiledPlayer("initial")], seed=1, seat=0))
    session.play()
    advice = coach.advise(session.state, 0)
    assert advice.source.endswith("playouts of Initial")
    assert sorted(one.action for one in advice.actions) == session.legal_actions()


def test_values_in_a_small_game_are_exact() -> None:
    driver = StateDriver("KuhnPoker-v0")
    driver.play(0, 0, 1)  # Deal the jack, then the lower of the others, the queen; bet.
    advice = Coach(driver.game, driver.options).advise(driver.state, 1)
    # Whoever bets holds a king or bluffs with a jack a third as often, so that a queen wins a quarter of its calls.
    assert [one.value for one in advice.actions] == pytest.approx([-1.0, -1.0], abs=0.01)
    assert advice.cost(1) == 0.0
    driver.setup()
    driver.play(0, 0, 0, 1)  # The jack checks, the queen bets.
    folded, called = Coach(driver.game, driver.options).advise(driver.state, 0).actions
    assert folded.text == "fold"
    assert [folded.value, called.value] == pytest.approx([-1.0, -2.0])


def test_what_is_called_as_good_as_the_best_costs_nothing() -> None:
    values = {1.0: 0.0, 0.9963: 0.0, 0.994: 0.0, 0.993: 0.02, 0.979: 0.018, 0.9: 0.02}  # Each with its error.
    actions = [ActionAdvice(action, "", value, error=error) for action, (value, error) in enumerate(values.items())]
    advice = Advice("bet", "chips", "the test", ranked(actions, "chips"), 1.0)
    costs = {one.reason: advice.cost(one.action) for one in advice.actions[1:]}
    free = ["as good as the best", "about equal to the best"]
    assert [reason for reason, cost in costs.items() if not cost] == free
    assert list(costs) == [
        "as good as the best",
        "0.006 chips less than the best",
        free[1],
        "0.021 +- 0.018 chips less than the best",
        "0.10 +- 0.02 chips less than the best",
    ]


def test_coach_says_how_strong_it_is_with_the_options_that_were_measured() -> None:
    for game_id in cardgym.registered():
        game = find(game_id)
        measured = presentation_of(game).strength.get(game_id, {})
        said, kept = Coach(game, game.parse_options()).strength, measured.get(COACH, "")
        assert re.findall(r"[\d.]+", said) == re.findall(r"[\d.]+", kept), game_id  # The names are for people.
    assert "credits a game" in Coach(find(POKER), find(POKER).parse_options()).strength
    game = find(SPIKE)
    assert Coach(game, game.parse_options({"credits": 20})).strength == ""
    assert Coach(game, game.parse_options(), "heuristic").strength == ""


# -- commands ---------------------------------------------------------------------------------------------------------


def test_review_prints_the_last_game(game_log: GameLog, capsys: pytest.CaptureFixture[str]) -> None:
    play_game(game_log, POKER)
    play_game(game_log, POKER, number=1)
    assert main(["review"]) == 0
    out = capsys.readouterr().out
    assert "Review of OnePlayPoker-v0" in out
    assert "Every decision:" in out
    assert main(["review", "--game", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["env"] == POKER
    assert main(["review", "--list"]) == 0
    assert " You │" in capsys.readouterr().out
    assert len(game_log.totals(cardgym.__version__)) == 2


def test_a_review_calls_everyone_by_name(game_log: GameLog, capsys: pytest.CaptureFixture[str]) -> None:
    id = play_game(game_log, SPIKE, "heuristic", num_players=3, hands=1, rounds=1)
    assert main(["review", "--seats", "0", "1", "2"]) == 0
    text = capsys.readouterr().out
    assert " against ".join(people_of(game_log.entry(id))) in text
    assert {"You: ", "Heuristic: ", "Heuristic 2: "} <= set(re.findall(r"(?:You|Heuristic(?: 2)?): ", text))
    assert "seat" not in text.lower()


def test_review_reads_an_export(game_log: GameLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play_game(game_log, POKER)
    game_log.export(tmp_path / "games.jsonl")
    assert main(["review", str(tmp_path / "games.jsonl")]) == 0
    assert "Luck gave you" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["review", "--game", "5"], "the last one is game 1; `cardgym review --list` shows them"),
        (["review", "--seats", "3"], "seats 0 to 0"),
        (["review", "missing.jsonl"], "no such file"),
        (["review", "--env", SPIKE], "it has no game of CorellianSpike-v0"),
        (["review", "--coach", "nobody"], "unknown player 'nobody'"),
    ],
)
def test_bad_input_is_one_line(words: list[str], message: str, game_log: GameLog, refused: Any) -> None:
    play_game(game_log, POKER)
    assert message in refused(*words)


def test_a_network_can_coach(tmp_path: Path) -> None:
    networks = pytest.importorskip("cardgym.players.networks")
    shapes = pytest.importorskip("cardgym.players.network_shapes")
    checkpoints = pytest.importorskip("cardgym.players.checkpoints")
    game = find(POKER)
    options = game.parse_options()
    path = tmp_path / "small.safetensors"
    network = networks.QNetwork(shapes.network_shape(game, options, "full", (8,), False))
    checkpoints.save_checkpoint(path, network, game, options, "full")
    session = Session(GameSetup(game, options, [], seed=1))
    session.play()
    advice = Coach(game, options, path).advise(session.state, 0)
    assert advice.source == "1,000 playouts of small.safetensors"
    assert advice == Coach(game, options, path).advise(session.state, 0)


def test_playouts_of_the_optimal_player_agree_with_the_exact_values() -> None:
    game = find(POKER)
    options = game.parse_options()
    session = Session(GameSetup(game, options, [], seed=1))
    session.play()
    exact, sampled = (Coach(game, options, source).advise(session.state, 0) for source in (None, "optimal"))
    for one in sampled.actions:
        assert one.value == pytest.approx(exact.of(one.action).value, abs=0.25)
    assert abs(exact.actions[0].value - exact.actions[1].value) == pytest.approx(
        abs(sampled.actions[0].value - sampled.actions[1].value), abs=0.15
    )


@pytest.mark.parametrize("env", [POKER, "KuhnPoker-v0"])
@pytest.mark.parametrize("numbers", [[], [0], [0, 0], [0, 1]], ids=["none", "one", "alike", "two"])
def test_statistics_of_few_games_are_numbers_or_unknown(
    env: str, numbers: list[int], game_log: GameLog, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in numbers:
        play_game(game_log, env, number=number)
    entries = list(game_log.entries())
    found = [reports(entries), ratings(entries), costs(game_log)]
    json.dumps(found, allow_nan=False)
    assert [report["games"] for report in found[0]] == [len(numbers)] * bool(numbers)
    assert main(["report"]) == (0 if numbers else 2)  # No games: one line says so.
    assert "nan" not in capsys.readouterr().out

"""Tournaments: the same standings for any number of workers, payoffs equal to those of matches, known equilibria."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.arena.tournament import Standings, tournament
from cardgym.arena.tournament import runner as running
from cardgym.arena.tournament.pages import printed, ranking, section, write_results
from cardgym.arena.tournament.ranges import REPLICATES, RangeStore, play_range, ranges, weights
from cardgym.arena.tournament.standings import bradley_terry, nash
from cardgym.cli import main
from cardgym.console.tables import short_names
from cardgym.files.tensors import write_tensors
from cardgym.scaling import Outcome, Task
from cardgym.solvers.exact import exact_standings

ENV = "CorellianSpike-v0"
PLAYERS = ["random", "initial", "heuristic"]
ROCK_PAPER_SCISSORS = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


def without_times(standings: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on where and how fast the games were played."""
    return {k: v for k, v in standings.items() if k not in ("seconds", "workers", "engine")}


@pytest.fixture(scope="module")
def here() -> Standings:
    """A tournament with a player that samples its actions, played in this process."""
    return tournament(ENV, None, PLAYERS, games=60, seed=5)


@pytest.mark.parametrize("workers", [2, *(pytest.param(workers, marks=pytest.mark.slow) for workers in (1, 3))])
def test_command_prints_the_same_standings_for_any_number_of_workers(
    workers: int, here: Standings, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tournament", ENV, "--players", *PLAYERS, "--games", "60", "--seed", "5", "--workers", str(workers)]
    assert main([*words, "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert (results["workers"], results["engine"]) == (workers, "local")
    assert without_times(results) == json.loads(json.dumps(without_times(here.asdict())))
    assert {"name", "rating", "rating_ci95"} <= set(results["players"][0])
    low, high = results["payoffs_ci95"][1][0]
    assert low <= results["payoffs"][1][0] <= high


def test_players_whose_process_died_are_named() -> None:
    class Dying:
        name, workers = "local", 1

        def run(self, tasks: list[Task]) -> list[Outcome]:
            return [Outcome(tasks[0].key, error="its worker died 3 times (exit code 3)", died="exit code 3")]

    engine: Any = Dying()
    with pytest.raises(CardgymError, match="initial against heuristic: its worker died 3 times"):
        tournament(ENV, None, PLAYERS[1:], games=2, seed=1, engine=engine)


def test_payoffs_and_intervals_equal_those_of_a_match(here: Standings) -> None:
    match = evaluate(ENV, None, ["initial", "heuristic"], games=60, seed=5).players[0]
    assert here.payoffs[1, 2] == pytest.approx(match.mean_return)
    assert here.payoffs_ci95[1, 2] == pytest.approx(match.mean_return_ci95)
    assert here.payoffs[2, 1] == -here.payoffs[1, 2]
    assert here.match_games[1, 2] == 60


def test_ranges_cover_every_deal_once_and_depend_on_the_match_alone() -> None:
    for deals, seatings in ((1, 2), (7, 2), (5000, 2), (100_000, 4)):
        covered = [deal for first, count in ranges(deals, seatings) for deal in range(first, first + count)]
        assert covered == list(range(deals))


def test_a_deal_has_the_same_weight_in_every_range() -> None:
    whole = weights(0, 50)
    assert whole.shape == (1 + REPLICATES, 50)
    assert np.array_equal(weights(20, 10), whole[:, 20:30])
    assert np.array_equal(whole[0], np.ones(50))
    # Poisson(1): mean and variance 1; 20,000 draws, five standard errors.
    assert abs(whole[1:].mean() - 1.0) < 5 * (1.0 / whole[1:].size) ** 0.5
    assert abs(whole[1:].var() - 1.0) < 5 * (3.0 / whole[1:].size) ** 0.5


def test_intervals_of_ratings_shrink_with_the_root_of_the_games() -> None:
    few, many = (tournament(ENV, None, PLAYERS[1:], games=games, seed=3) for games in (400, 6400))
    ratio = np.ptp(few.ratings_ci95[0]) / np.ptp(many.ratings_ci95[0])
    assert 3.0 < ratio < 5.3
    # The bootstrap's interval of a single match agrees with the classical one.
    against = np.ptp(many.nash_payoffs_ci95[0])
    assert against == pytest.approx(np.ptp(many.payoffs_ci95[0, 1]), rel=0.2)


def test_with_more_seats_the_opponent_takes_all_the_others() -> None:
    standings = tournament(ENV, {"num_players": 3}, PLAYERS[:2], games=30, seed=2)
    match = evaluate(ENV, {"num_players": 3}, ["random", "initial", "initial"], games=30, seed=2).players[0]
    assert standings.payoffs[0, 1] == pytest.approx(match.mean_return)
    assert standings.payoffs[1, 0] != -standings.payoffs[0, 1]


def test_games_of_one_seat_compare_players_on_the_same_deals() -> None:
    standings = tournament("OnePlayPoker-v0", None, ["always", "optimal", "never"], games=300, seed=1)
    returns = [evaluate("OnePlayPoker-v0", None, [name], games=300, seed=1).players[0] for name in standings.names]
    assert standings.payoffs[1, 0] == pytest.approx(returns[1].mean_return - returns[0].mean_return)
    assert standings.win_rates[1, 2] > 0.5


def test_games_of_a_slow_player_can_be_fewer() -> None:
    standings = tournament(ENV, None, PLAYERS, games=40, seed=1, games_of={"heuristic": 10})
    assert standings.match_games.tolist() == [[0, 40, 10], [40, 0, 10], [10, 10, 0]]
    assert standings.payoffs[0, 2] == tournament(ENV, None, ["random", "heuristic"], games=10, seed=1).payoffs[0, 1]


# -- ratings and the equilibrium --------------------------------------------------------------------------------------


def test_ratings_are_recovered_from_expected_wins() -> None:
    true = np.array([150.0, 50.0, -200.0])
    chances = 1.0 / (1.0 + 10.0 ** ((true[None, :] - true[:, None]) / 400.0))
    wins = 1e8 * chances * ~np.eye(3, dtype=bool)
    assert bradley_terry(wins) == pytest.approx(true, abs=1e-3)


def test_player_that_never_lost_has_a_finite_rating() -> None:
    best, worst = bradley_terry(np.array([[0.0, 100.0], [0.0, 0.0]]))
    assert 300 < best < 1000
    assert worst == pytest.approx(-best)


def test_players_in_a_circle_share_the_equilibrium_and_copies_share_a_part() -> None:
    assert nash(ROCK_PAPER_SCISSORS) == pytest.approx(np.full(3, 1 / 3), abs=1e-6)
    four = np.zeros((4, 4))
    four[:3, :3] = ROCK_PAPER_SCISSORS
    four[3, :3], four[:3, 3] = ROCK_PAPER_SCISSORS[0], ROCK_PAPER_SCISSORS[:, 0]
    assert nash(four) == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6], abs=1e-5)


def test_no_player_beats_the_equilibrium_of_a_random_game() -> None:
    payoffs = np.random.default_rng(3).normal(size=(12, 12))
    payoffs -= payoffs.T
    strategy = nash(payoffs)
    assert strategy.sum() == pytest.approx(1.0)
    assert (payoffs @ strategy).max() < 1e-5


# -- files ------------------------------------------------------------------------------------------------------------


def test_stopped_tournament_resumes_from_the_ranges_it_played(
    tmp_path: Path, here: Standings, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[Any] = []

    def stops_after(limit: int) -> Any:
        def play(*arguments: Any) -> Any:
            if len(played) == limit:
                raise KeyboardInterrupt
            played.append(arguments)
            return play_range(*arguments)

        return play

    monkeypatch.setattr(running, "play_range", stops_after(5))
    with pytest.raises(KeyboardInterrupt):
        tournament(ENV, None, PLAYERS, games=60, seed=5, store=RangeStore(tmp_path))
    with pytest.raises(CardgymError, match="has games already; add --resume"):
        RangeStore(tmp_path, resume=False)
    monkeypatch.setattr(running, "play_range", stops_after(1000))
    resumed = tournament(ENV, None, PLAYERS, games=60, seed=5, store=RangeStore(tmp_path))
    assert len(set(played)) == len(played) == 3 * len(ranges(30, 2))
    assert without_times(resumed.asdict()) == without_times(here.asdict())


def test_damaged_range_is_refused_in_one_line(tmp_path: Path) -> None:
    tournament(ENV, None, PLAYERS[:2], games=4, seed=5, store=RangeStore(tmp_path))
    path = next((tmp_path / "ranges").iterdir())
    for content in (b"", path.read_bytes()[:100]):
        path.write_bytes(content)
        with pytest.raises(CardgymError, match=f"range {path}"):
            tournament(ENV, None, PLAYERS[:2], games=4, seed=5, store=RangeStore(tmp_path))
    huge = np.full((1 + REPLICATES, 6), 1e300)
    for sums, message in ((np.zeros((2, 5)), "sums should be"), (huge, "delete the file to play the range again")):
        write_tensors(path, {"format": "cardgym-tournament-range-2"}, {"sums": sums})
        with pytest.raises(CardgymError, match=message):
            tournament(ENV, None, PLAYERS[:2], games=4, seed=5, store=RangeStore(tmp_path))


def test_folder_means_all_its_players_of_the_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("coda/dqn", "corellian_spike/dqn"):
        source = Path(__file__).parents[2] / "checkpoints" / f"{path}.safetensors"
        shutil.copy(source, tmp_path / f"{path.replace('/', '_')}.safetensors")
    (tmp_path / "results.json").write_text("{}")
    standings = tournament(ENV, None, ["random", tmp_path], games=4, seed=0)
    assert short_names(standings.names) == ["random", "corellian_spike_dqn"]
    said = capsys.readouterr().err
    assert "left out" in said
    assert "made for Coda-v0" in said


def test_results_and_pictures_are_written_and_read_back(tmp_path: Path, here: Standings) -> None:
    write_results(here, tmp_path)
    written = json.loads((tmp_path / "tournament.json").read_text())
    assert written == json.loads(json.dumps(here.asdict()))
    assert Standings.fromdict(written).asdict() == here.asdict()
    page = (tmp_path / "tournament.md").read_text()
    assert all(f"| {name} |" in page for name in PLAYERS)
    assert "(payoffs.png)" in page
    assert (tmp_path / "payoffs.png").read_bytes().startswith(b"\x89PNG")


def test_players_whose_payoffs_the_games_do_not_separate_share_a_rank(here: Standings) -> None:
    """The first wins most hands, the second wins most credits; the third loses a little more than the first."""
    standings = replace(
        here, ratings=np.array([90.0, 20.0, -110.0]), nash=np.array([0.0, 1.0, 0.0]),
        nash_payoffs=np.array([-5.0, 0.0, -6.0]),
        nash_payoffs_ci95=np.array([[-6.0, -4.0], [0.0, 0.0], [-7.0, -5.0]]),
    )  # fmt: skip
    head, rows = ranking(standings)
    assert head[2] == "payoff against initial [95 %]"
    assert [row[:2] for row in rows] == [["1", "initial"], ["2=", "random"], ["2=", "heuristic"]]
    apart = replace(standings, nash_payoffs_ci95=np.array([[-5.5, -4.5], [0.0, 0.0], [-6.4, -5.6]]))
    assert [row[0] for row in ranking(apart)[1]] == ["1", "2", "3"]
    level = replace(standings, nash_payoffs_ci95=np.array([[-9.0, 1.0], [0.0, 0.0], [-7.0, -5.0]]))
    assert [row[:2] for row in ranking(level)[1]] == [["1=", "initial"], ["1=", "random"], ["3", "heuristic"]]
    assert [row[3] for row in ranking(here)[1]] == ["2 of 2", "1 of 2", "0 of 2"]


def test_exact_payoffs_rank_the_players_of_small_games() -> None:
    """Betting always and never are worth the same, which few games do not show."""
    players = ["never", "optimal", "always"]
    found = exact_standings(tournament("OnePlayPoker-v0", None, players, games=40, seed=1), players)
    assert found.payoffs[1] == pytest.approx([0.4278388, 0.0, 0.4278388])
    assert list(found.ranks.items()) == [(1, 1), (0, 2), (2, 2)]
    kuhn = tournament("KuhnPoker-v0", None, ["honest", "random", "equilibrium"], games=200, seed=1)
    exact = exact_standings(kuhn, kuhn.names)
    assert exact.payoffs[0, 1] == -exact.payoffs[1, 0] == pytest.approx(5 / 24)
    assert exact.payoffs_ci95[0, 1].tolist() == [exact.payoffs[0, 1]] * 2
    assert np.array_equal(exact.payoffs[2], kuhn.payoffs[2])  # Nobody knows its probabilities.
    assert "They are exact where they have no interval." in "\n".join(section(exact, "payoffs.png")).replace("\n", " ")
    few = replace(exact, payoff="wins")
    assert exact_standings(few, few.names) is few


def test_the_command_ranks_small_games_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tournament", "KuhnPoker-v0", "--players", "honest", "random", "--games", "20", "--workers", "1", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["payoffs"][0][1] == pytest.approx(5 / 24)
    assert found["payoffs_ci95"][0][1] == [found["payoffs"][0][1]] * 2


def test_names_of_files_are_no_formulas_and_no_commands(tmp_path: Path, here: Standings) -> None:
    names = ("x$_{$y.py:choose", "\x1b[31m\n.json", *here.names[2:])
    write_results(replace(here, names=names), tmp_path)
    assert r"\x1b[31m\n" in (tmp_path / "tournament.md").read_text()


def test_players_that_play_alike_share_a_row() -> None:
    def folds(observation: Any, mask: Any) -> int:
        return 0

    def folds_too(observation: Any, mask: Any) -> int:
        return 0

    def folds_to_bets(observation: Any, mask: Any) -> int:
        return int(observation[4] == observation[5])

    passive = tournament("KuhnPoker-v0", None, ["honest", folds, folds_too, folds_to_bets], games=20, seed=1)
    text = "\n".join(section(passive, "payoffs.png"))
    assert "are left out: `folds_too`." in text.replace("\n", " ")
    assert all(f"| {name} |" in text for name in ("folds", "folds_to_bets"))
    assert "| folds_too |" not in text
    assert "won as much as another one on every deal are left out: `folds_too`." in printed(passive)[0][-1]
    few = tournament("KuhnPoker-v0", None, [folds, folds_too], games=18, seed=1)
    assert "| folds_too |" in "\n".join(section(few, "payoffs.png"))  # Few deals show nothing.


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([ENV, "--players", "random", "heuristc"], "did you mean 'heuristic'"),
        ([ENV, "--players", "random"], "1 player: a tournament has 2 to 64"),
        ([ENV, "--players", "random", "random"], "named 2 times"),
        ([ENV, "--players", "random", "initial", "--games", "1"], "games=1: allowed are whole numbers from 2"),
        ([ENV, "--players", "random", "initial", "--seed", "-1"], "allowed are whole numbers from 0"),
        ([ENV, "--players", "random", "initial", "--seed", str(2**64)], "allowed are whole numbers from 0"),
        ([ENV, "--players", "random", "checkpoints/coda/dqn.safetensors"], "made for Coda-v0"),
        ([ENV, "--players", "random", "EMPTY"], "no player for"),
        ([ENV, "--players", "random", "initial", "--payoff", "bust_game"], "did you mean 'bust_games'"),
        ([ENV, "--players", "random", "initial", "--games-of", "random"], "write it as player=games"),
        ([ENV, "--players", "random", "initial", "--games-of", "search=3"], "unknown player"),
        ([ENV], "the following arguments are required: --players"),
        (["Nothing-v0", "--players", "random", "initial"], "unknown game"),
    ],
)
def test_bad_input_is_one_line(words: list[str], message: str, tmp_path: Path, refused: Any) -> None:
    assert message in refused("tournament", *(str(tmp_path) if word == "EMPTY" else word for word in words))

"""Benchmarks: the plan that comes with cardgym, algorithms of one's own, solvers by decisions, tables."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cardgym.cli import main
from cardgym.errors import CardgymError
from cardgym.experiments.benchmark import plan
from cardgym.experiments.benchmark.plan import LEAGUE, SOLVER, Benchmark, Library, reward_scale
from cardgym.experiments.benchmark.report import BenchmarkReport, draw, markdown, rows
from cardgym.experiments.benchmark.solver import SolverConfig, train
from cardgym.experiments.league import LeagueConfig, Population
from cardgym.experiments.trainers import TRAINERS
from cardgym.learn.config import parse_run
from cardgym.learn.tags import EXPLOITABILITY
from cardgym.learn.tensorboard import read_curves

ROOT = Path(__file__).parents[2]
UNIFORM = 11 / 24
"""Exploitability of uniform play in Kuhn poker: best responses win 1/2 and 5/12."""

OWN = """
[suites]
small = ["KuhnPoker-v0", "NotInstalled-v0"]

[algorithms.a2c]
script = "a2c.py"
num_envs = 4
ent_coef = 0.5
"""
"""With the script of a tutorial next to it."""


def test_shipped_algorithms_have_keys_and_values_that_their_scripts_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "reward_scale", lambda game: 0.5)  # It plays each game, which would have to compile.
    benchmark = Benchmark(Library.read(), "exact", [], 160)
    runs = {(run.options["game"], run.options["algorithm"]): run for run in benchmark.runs([3, 5])}
    assert {"KuhnPoker-v0", "SpikeMini-v0", "CodaMini-v0"} <= {game for game, _ in runs}
    for (game, name), run in runs.items():
        algorithm = benchmark.algorithms[name]
        words = benchmark.command(run, tmp_path)
        flags = words[next(place for place, word in enumerate(words) if word.startswith("--")) :]
        if algorithm.script == LEAGUE:
            league, _ = parse_run(LeagueConfig, flags, "league.py")
            assert (league.env_id, league.seed) == (game, 5)
            assert league.generations * Population(league, tmp_path, None).steps == 160
            continue
        kind = SolverConfig if algorithm.script == SOLVER else TRAINERS[algorithm.script]().config
        config = parse_run(kind, flags, "script")[0]
        assert (config.env_id, config.seed) == (game, 3 if algorithm.deterministic else 5)
        values = config.model_dump()
        assert values.get("reward_scale", 0.5) == 0.5
        assert values["total_steps"] == 160 * algorithm.decisions_factor
        assert values["eval_every"] == 16 * algorithm.decisions_factor
        assert config.algorithm_name in (name, f"sb3_{name}")


@pytest.mark.parametrize(("game", "scale"), [("KuhnPoker-v0", 0.7), ("CodaMini-v0", 1.0)])
def test_rewards_are_scaled_by_their_deviation_in_random_play(game: str, scale: float) -> None:
    """Kuhn poker pays 1 in half of the random games and 2 in a quarter ... and Coda pays 1 or -1."""
    assert reward_scale(game) == scale


@pytest.mark.slow
def test_own_algorithm_next_to_a_solver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(ROOT / "docs" / "tutorials" / "a2c.py", tmp_path)
    (tmp_path / "own.toml").write_text(OWN)
    out = tmp_path / "out"
    words = ["benchmark", "--config", str(tmp_path / "own.toml"), "--suite", "small", "--algorithms", "a2c", "dcfr"]
    words += ["--decisions", "1600", "--out", str(out), "--workers", "2"]
    assert main([*words, "--seeds", "1"]) == 0
    assert "a2c" in capsys.readouterr().out
    report = BenchmarkReport.read(out / "benchmark.json")
    assert [(curve.algorithm, curve.seed) for curve in report.curves] == [("a2c", 1), ("dcfr", 1)]
    own, dcfr = report.curves
    assert list(own.decisions) == pytest.approx(range(160, 1601, 160), abs=64)
    assert all(0 < value < 1 for value in own.exploitability)
    assert dcfr.decisions[0] == 0
    assert dcfr.exploitability[0] == pytest.approx(UNIFORM, abs=1e-6)
    assert dcfr.decisions[-1] == 160_000 // 48 * 48  # 24 decisions for each of two seats.
    assert dcfr.exploitability[-1] < 1e-3
    assert (out / "benchmark.png").stat().st_size > 10_000
    assert report.uniform("KuhnPoker-v0") == dcfr.exploitability[0]
    assert markdown(report) in (out / "benchmark.md").read_text()

    assert main(words) == 2  # A folder that has a benchmark.
    assert "add --resume" in capsys.readouterr().err
    made = {path: path.stat().st_mtime_ns for path in out.glob("*/*/*/results.json")}
    assert main([*words, "--seeds", "1", "--resume"]) == 0
    assert {path: path.stat().st_mtime_ns for path in made} == made
    assert BenchmarkReport.read(out / "benchmark.json") == report

    # An algorithm joins, unless it is another one of the same name.
    words[words.index("dcfr")] = "cfr+"
    assert main([*words, "--seeds", "1", "--resume"]) == 0
    assert {path: path.stat().st_mtime_ns for path in made} == made
    assert [curve.algorithm for curve in BenchmarkReport.read(out / "benchmark.json").curves] == ["a2c", "cfr+"]
    assert set(json.loads((out / "sweep.json").read_text())["algorithms"]) == {"a2c", "dcfr", "cfr+"}
    (tmp_path / "own.toml").write_text(OWN.replace("0.5", "0.25"))
    capsys.readouterr()
    assert main([*words, "--seeds", "1", "--resume"]) == 2
    assert "another script or config" in capsys.readouterr().err


def test_mccfr_counts_the_decisions_of_its_walks(tmp_path: Path) -> None:
    config = SolverConfig(
        env_id="KuhnPoker-v0", algorithm="mccfr", total_steps=20_000, eval_opponents=(), final_games=0
    )
    train(config, tmp_path, False)
    steps, values = read_curves(tmp_path)[EXPLOITABILITY]
    assert steps[0] == 0
    assert values[0] == pytest.approx(UNIFORM, abs=1e-6)
    assert 19_900 < steps[-1] <= 20_020
    assert values[-1] < 0.05


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[algorithms.a]\nkey = 1\n", "algorithms.a.script"),
        ("[algorithms.a]\nscript = 'ppoo'\n", "did you mean 'ppo'"),
        ("[suites]\na = 1\n", "suites.a"),
        ("[suites", "cannot be read as TOML"),
    ],
)
def test_bad_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(CardgymError, match=message):
        Library.read(path)


def _report(curves: list[tuple[str, int, list[int], list[float]]]) -> BenchmarkReport:
    document = {
        "suite": "small",
        "decisions": 100,
        "games": {"A-v0": {"unit": "chips"}},
        "algorithms": {"learner": {"script": "ppo", "trials": 3}, "solver": {"script": "cfr", "decisions_factor": 10}},
        "curves": [
            {"game": "A-v0", "algorithm": name, "seed": seed, "decisions": steps, "exploitability": values,
             "cpu_seconds": 2.0}
            for name, seed, steps, values in curves
        ],
    }  # fmt: skip
    return BenchmarkReport.model_validate_json(json.dumps(document))


def test_table_has_medians_at_equal_decisions() -> None:
    report = _report(
        [
            ("learner", 1, [50, 102], [0.9, 0.3]),
            ("learner", 2, [50, 101], [0.8, 0.5]),
            ("learner", 3, [50, 101], [0.8, 0.32]),
            ("solver", 1, [0, 60, 1000], [1.6, 0.8, 0.008]),
        ]
    )
    head, body = rows(report)
    assert head[1] == "A-v0, chips"
    assert body == [
        ["`solver`, 10 x", "0.008", "0.5 %", "", "2.0"],
        ["`learner`", "0.32 (0.3 to 0.5)", "20 %", "3 trials", "2.0"],
        ["`solver`", "0.8", "50 %", "", ""],
        ["uniform play", "1.6", "100 %", "", ""],
    ]
    untuned = report.model_copy(
        update={"algorithms": {"learner": report.algorithms["learner"].model_copy(update={"trials": 0})}}
    )
    assert rows(untuned)[1][0][3] == "untuned"
    (panel, *_) = draw(report).axes
    assert panel.get_xscale() == panel.get_yscale() == "log"
    assert [np.size(line.get_xdata()) for line in panel.get_lines()][:2] == [
        2,
        2,
    ]  # The solver's step 0 is not on the axis.


def test_page_has_the_table_of_the_results() -> None:
    report = BenchmarkReport.read(ROOT / "results" / "benchmark_exact.json")
    assert markdown(report) in (ROOT / "docs" / "algorithms" / "README.md").read_text()
    assert all(len(curve.decisions) == len(curve.exploitability) > 1 for curve in report.curves)

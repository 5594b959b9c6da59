"""Train algorithms on a suite of small games, and compare their exact exploitability along the training.

Every run is a training in its own folder, and `--resume` continues what was interrupted. docs/algorithms/README.md
explains the suites and how an algorithm of your own joins.
"""

from __future__ import annotations

from pathlib import Path

from cardgym.cli.flags import add_engine, open_engine
from cardgym.console.arguments import Parser, whole
from cardgym.console.progress import Progress
from cardgym.console.tables import print_results
from cardgym.experiments.benchmark.plan import SOLVER, Benchmark, Library
from cardgym.experiments.benchmark.report import (
    JSON,
    MARKDOWN,
    PICTURE,
    BenchmarkReport,
    rows,
    write_pages,
    write_report,
)
from cardgym.experiments.benchmark.solver import SolverConfig, train
from cardgym.experiments.sweep import note_end, parse_seeds, run_all, sweep_folder
from cardgym.files.limits import MAX_STEPS
from cardgym.learn.run import numbered_folder, run_script


def main(words: list[str]) -> int:
    """Run the benchmark, or one of its solvers; the exit code is 1 if some of its runs failed."""
    if words[:1] == [SOLVER]:
        return run_script("solver", SolverConfig, train, words[1:])
    parser = Parser(prog="cardgym benchmark", description=__doc__)
    parser.add_argument("--suite", default="exact", metavar="NAME", help="the suite of games (exact)")
    parser.add_argument("--algorithms", nargs="+", default=[], metavar="NAME", help="the algorithms (all)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="a TOML file with further suites and algorithms")
    parser.add_argument("--seeds", default="1-5", metavar="RANGE", help="such as 1-5 or 1,4,7-9 (1-5)")
    parser.add_argument(
        "--decisions", type=whole(1, MAX_STEPS // 1000), default=100_000, metavar="N",
        help="decisions of each training (100,000)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="the folder of the runs (a new one in runs/)")
    parser.add_argument("--resume", action="store_true", help="continue the benchmark in --out, or the latest one")
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="train nothing; tables and picture of this benchmark.json, in --out"
    )
    add_engine(parser)
    arguments = parser.parse_args(words)
    if arguments.report is not None:
        _show(report := BenchmarkReport.read(arguments.report))
        if arguments.out is not None:
            write_pages(report, arguments.out)
        return 0
    seeds, library = parse_seeds(arguments.seeds), Library.read(arguments.config)
    benchmark = Benchmark(library, arguments.suite, arguments.algorithms, arguments.decisions)
    runs = benchmark.runs(seeds)
    out = arguments.out or numbered_folder(Path("runs") / "benchmark", arguments.suite, arguments.resume)
    with (
        open_engine(arguments) as engine,
        sweep_folder(out, benchmark, arguments.resume) as folder,
        Progress("benchmark", "runs", total=len(runs), lines=True) as progress,
    ):
        results = run_all(benchmark, folder, runs, engine, lambda result: note_end(progress, result))
    report = write_report(folder / JSON, benchmark, runs, folder)
    write_pages(report, folder)
    _show(report, f"{folder}: {JSON}, {MARKDOWN}, {PICTURE}")
    return int(any(result.problem for result in results))


def _show(report: BenchmarkReport, below: str = "") -> None:
    title = f"{report.suite}: exploitability after {report.decisions:,} decisions"
    print_results(title, *rows(report), below)

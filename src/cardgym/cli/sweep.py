"""Train with several seeds and settings in parallel, and report them together.

Each run executes the training script for CONFIG in its own folder. `--resume` continues interrupted runs and adds new
seeds and settings. docs/scaling.md explains clusters.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from cardgym.cli.flags import add_engine, open_engine
from cardgym.console.arguments import Parser


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "config", metavar="CONFIG", type=Path, help="a TOML file, or the name of a config that comes with cardgym"
    )
    parser.add_argument("--script", metavar="NAME", help="the training script, if several accept this config")
    parser.add_argument("--seeds", default="1-5", metavar="RANGE", help="such as 1-5 or 1,4,7-9 (1-5)")
    parser.add_argument(
        "--grid",
        nargs="+",
        default=[],
        metavar="KEY=VALUES",
        help="values of a hyper-parameter, such as learning_rate=1e-3,2e-3; every combination is trained",
    )
    parser.add_argument(
        "--metric",
        metavar="NAME",
        help="the metric for comparing runs: exploitability, mean_return, win_rate, or one of the game's own (the "
        "exploitability if it was computed, or else what the game's players play for)",
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="the sweep's folder (a new one in runs/)")
    parser.add_argument("--resume", action="store_true", help="resume the sweep in --out, or the latest one")
    parser.add_argument("--json", action="store_true", help="print the runs as JSON")
    add_engine(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the sweep. The exit code is 1 if some of its runs failed."""
    from cardgym.engine.registry import find
    from cardgym.errors import require, unknown
    from cardgym.experiments.launch import TrainingScript
    from cardgym.experiments.sweep import EXACT, note_end, parse_grid, parse_seeds, run_all, runs_of, sweep_folder

    require("a sweep", "torch", "tensorboard", "matplotlib", "scipy")
    script = TrainingScript(arguments.config, arguments.script)
    runs = runs_of(script, parse_grid(arguments.grid), parse_seeds(arguments.seeds))
    game = find(script.config.env_id)
    metrics = (EXACT, "mean_return", "win_rate", *game.metrics)
    if arguments.metric not in (None, *metrics):
        raise unknown("metric", arguments.metric, metrics)

    from cardgym.console.plots import save_png
    from cardgym.console.progress import Progress
    from cardgym.experiments.sweep_report import (
        CURVES,
        EXPLANATION,
        curves_of,
        draw,
        grouped,
        metric_of,
        table,
        write_report,
    )
    from cardgym.learn.run import numbered_folder
    from cardgym.learn.tags import EVAL, eval_tag

    out = arguments.out or numbered_folder(
        Path("runs") / script.config.env_id, f"{script.path.stem}-sweep", arguments.resume
    )
    with (
        open_engine(arguments) as engine,
        sweep_folder(out, script, arguments.resume) as folder,
        Progress("sweep", "runs", total=len(runs), lines=True) as progress,
    ):
        results = run_all(script, folder, runs, engine, partial(note_end, progress))
    metric = arguments.metric or metric_of(game, results)
    about = {
        "env": script.config.env_id,
        "script": f"{script.script}.py",
        "config": script.path.name,
        "engine": engine.name,
    }
    write_report(folder, about, results, metric)
    curves = {label: [curves_of(result.folder) for result in group] for label, group in grouped(results).items()}
    known = {tag for group in curves.values() for run in group for tag in run}
    tags = sorted(tag for tag in known if tag == f"{EVAL}{metric}" or tag.startswith(eval_tag(metric, "")))
    written = "report.json"
    if tags:
        seats = game.parse_options(script.config.model_dump()["env_options"]).num_players
        save_png(draw(curves, tags, 1 / seats if seats > 1 else None), folder / CURVES, dpi=120)
        written += f", {CURVES}"
    if arguments.json:
        print(json.dumps([result.asdict() for result in results], indent=2))
    else:
        from cardgym.console.tables import print_results

        head, rows = table(results, metric)
        title = f"{script.config.env_id}: {script.script}.py with {script.path.name}; runs: {len(results)}"
        print_results(title, head, rows, f"{EXPLANATION}\n{folder}: {written}")
    return int(any(result.problem for result in results))

"""Make a paper's results anew, as pages for people.

one-play-poker: the table of results that the paper leaves at zero, and a chart of the optimal policy.
corellian-spike: tables 2, 3 and 4 and the figures of the appendix, trained and played anew, and which claims hold.
cribbage: how well eight weighted strategies learn, from where they began, and what changes near the end of the board.
coda: both tables and figures 6 and 7, trained and played anew beside the ceiling, and where 0.839 and 0.963 come from.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardgym.cli.parser import Parser, whole
from cardgym.errors import CardgymError, unknown

_DEEP = {
    "corellian-spike": "checkpoints/corellian_spike_double_dqn*.safetensors",
    "coda": "checkpoints/coda_d*.safetensors",
}
PAPERS = ("one-play-poker", "corellian-spike", "cribbage", "coda")


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("paper", metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument(
        "--games",
        type=whole(2, 1_000_000),
        metavar="N",
        help="how many games: 50,000 of one-play-poker (as in the paper), 10,000 a match of corellian-spike, "
        "160,000 a training of cribbage, 100,000 an evaluation of coda",
    )
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="what the games are dealt from (0)")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/results"), metavar="FOLDER", help="where to (docs/results)"
    )
    parser.add_argument(
        "--deep",
        type=Path,
        action="append",
        metavar="PATH",
        help="corellian-spike and coda: a checkpoint to play as well; may be given often (all that there are of "
        f"{' and '.join(_DEEP.values())})",
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="corellian-spike: a log of played games (your own)")
    parser.add_argument("--processes", type=whole(1, 64), metavar="N", help="corellian-spike: work side by side (2)")


def run(arguments: argparse.Namespace) -> None:
    """Make the pages."""
    if arguments.paper not in PAPERS:
        raise unknown("paper", arguments.paper, PAPERS)
    make = {
        "one-play-poker": _one_play_poker,
        "corellian-spike": _corellian_spike,
        "cribbage": _cribbage,
        "coda": _coda,
    }
    for flag, given, papers in (
        ("--deep", arguments.deep, tuple(_DEEP)),
        ("--log", arguments.log, ("corellian-spike",)),
        ("--processes", arguments.processes, ("corellian-spike",)),
    ):
        if given is not None and arguments.paper not in papers:
            raise CardgymError(f"{flag}: for {' and '.join(papers)} only, not for {arguments.paper}")
    make[arguments.paper](arguments)


def _checkpoints(arguments: argparse.Namespace) -> list[Path]:
    named: list[Path] | None = arguments.deep
    return sorted(Path().glob(_DEEP[arguments.paper])) if named is None else named


def _cribbage(arguments: argparse.Namespace) -> None:
    from cardgym.cli.progress import progress_bar
    from cardgym.games.cribbage.paper.page import GAMES, write_results

    with progress_bar("runs") as progress:
        for path in write_results(arguments.out, arguments.games or GAMES, arguments.seed, progress):
            print(path)


def _coda(arguments: argparse.Namespace) -> None:
    from cardgym.cli.progress import progress_bar
    from cardgym.games.coda.paper.page import write_results
    from cardgym.games.coda.paper.runs import Plan

    plan = Plan(games=arguments.games or Plan.games)
    with progress_bar("trainings and evaluations") as progress:
        for path in write_results(arguments.out, plan, arguments.seed, _checkpoints(arguments), progress):
            print(path)


def _corellian_spike(arguments: argparse.Namespace) -> None:
    from cardgym.cli.progress import progress_bar
    from cardgym.games.corellian_spike.paper.page import write_results
    from cardgym.games.corellian_spike.paper.runs import Plan

    games, workers = arguments.games or Plan.games, arguments.processes or Plan.workers
    plan = Plan(games=games, base_seed=arguments.seed, workers=workers)
    deep = _checkpoints(arguments)
    with progress_bar("trainings and matches") as progress:
        for path in write_results(arguments.out, plan, deep, arguments.log, progress):
            print(path)


def _one_play_poker(arguments: argparse.Namespace) -> None:
    from cardgym.cli.progress import progress_bar
    from cardgym.engine.registry import find
    from cardgym.games.one_play_poker.paper.chart import ENV, draw_chart
    from cardgym.games.one_play_poker.paper.page import CHART, GAMES, write_results

    page, chart = arguments.out / "one_play_poker.md", arguments.out / CHART
    with progress_bar("readings of the rules") as progress:
        write_results(page, arguments.games or GAMES, arguments.seed, progress)
    print(page)
    draw_chart(chart, find(ENV).parse_options())
    print(chart)

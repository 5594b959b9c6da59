"""Evaluations of a learner: matches against fixed opponents, and how their results are shown and saved."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.arena import evaluate
from cardgym.arena.match import EVALUATION_SEED, Seats
from cardgym.arena.report import main_metric
from cardgym.console.tables import fitting_tables, with_interval
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ANY_SEAT
from cardgym.files.json_values import sealed, write_json
from cardgym.learn import tags
from cardgym.learn.tags import Metrics
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players import Player, PlayerSpec
from cardgym.statistics import Interval

if TYPE_CHECKING:
    from rich.table import Table

ALONE = "alone"
"""The key of the results in a game of one player, which has no opponent."""


def evaluate_learner(
    game: Game, options: Options, player: Player, opponents: Sequence[str], *, games: int, seat: int = ANY_SEAT
) -> dict[str, Metrics]:
    """Return the metrics of a player against each opponent, who takes every other seat; see `match`.

    All runs are evaluated on the same deals. In a game of one player there is one match, under the name `alone`.
    """
    if options.num_players == 1:
        opponents = [ALONE][: len(opponents)]
    return {opponent: match(game, options, player, opponent, games=games, seat=seat) for opponent in opponents}


def log_evaluation(
    board: TensorBoard, step: int, results: Mapping[str, Metrics], exploitability: float | None = None
) -> None:
    """Log the metrics of an evaluation during training, with their intervals."""
    board.scalars(step, scalars_of(results, exploitability))
    board.flush()


def scalars_of(results: Mapping[str, Metrics], exploitability: float | None = None) -> dict[str, float]:
    """Return the metrics of an evaluation and their intervals by tag.

    Counts of games are left out: they say nothing without the number of games played.
    """
    values = {} if exploitability is None else {tags.EXPLOITABILITY: exploitability}
    values |= _by_tag(results, tags.eval_tag)
    for opponent, metrics in results.items():
        for name, (_, interval) in metrics.items():
            if interval and not math.isnan(interval[0]):  # Unknown where there is one deal.
                values |= zip(tags.ci95_tags(name, opponent), interval, strict=True)
    return values


def match(game: Game, options: Options, player: Player, opponent: str, *, games: int, seat: int = ANY_SEAT) -> Metrics:
    """Match a player with an opponent in every other seat: its `win_rate`, `mean_return` and the game's own metrics.

    The player sits in `seat`; with ANY_SEAT each deal is played from every seat.
    """
    place = max(seat, 0)
    players: list[PlayerSpec] = [opponent] * options.num_players
    players[place] = player
    seats: Seats = "rotate" if seat == ANY_SEAT else "fixed"
    report = evaluate(game, options, players, games=games, seed=EVALUATION_SEED, seats=seats).players[place]
    metrics: Metrics = {
        "win_rate": (report.win_rate, report.win_rate_ci95),
        "mean_return": (report.mean_return, report.mean_return_ci95),
    }
    for name, value in report.metrics.items():
        if isinstance(value, int | float):
            interval = report.metrics.get(f"{name}_ci95")
            metrics[name] = (float(value), interval if isinstance(interval, tuple) else None)
    return metrics


def _by_tag(results: Mapping[str, Metrics], tag: Callable[[str, str], str]) -> dict[str, float]:
    return {
        tag(name, opponent): value
        for opponent, metrics in results.items()
        for name, (value, interval) in metrics.items()
        if interval
    }


# -- showing and saving -----------------------------------------------------------------------------------------------


def summary(game: Game, results: Mapping[str, Metrics], exploitability: float | None = None) -> str:
    """Return an evaluation in a few words: what the players play for, win rates, the exploitability if known."""
    main = main_metric(game)
    rates = ", ".join(f"{metrics['win_rate'][0]:.1%} against {opponent}" for opponent, metrics in results.items())
    parts = [] if exploitability is None else [f"exploitability {exploitability:.4g}"]
    if main != "win_rate" and results:
        paid = ", ".join(f"{metrics[main][0]:+.2f} against {opponent}" for opponent, metrics in results.items())
        parts.append(f"{game.unit} a game {paid}")
    return "; ".join([*parts, *([f"wins {rates}"] if rates else [])])


def results_tables(game: Game, results: Mapping[str, Metrics], width: int) -> list[Table]:
    """Tables for rich of at most `width` characters: what players play for, the win rate and the game's own metrics.

    Games that define no metrics show the mean return instead, if it is known.
    """
    metrics = next(iter(results.values()), {})
    own = [name for name, (_, interval) in metrics.items() if interval and name not in ("win_rate", "mean_return")]
    wanted = dict.fromkeys((main_metric(game), "win_rate", *(own or ["mean_return"])))
    names = [name for name in wanted if name in metrics]
    head = ["opponent", *(f"{name.replace('_', ' ')} [95 %]" for name in names)]
    rows = [[opponent, *(metric_text(name, *row[name]) for name in names)] for opponent, row in results.items()]
    return fitting_tables(head, rows, width)


def metric_text(name: str, value: float, interval: Interval | None) -> str:
    """Return a metric with its interval, for a cell of a table."""
    percent = name == "win_rate"
    form = ".1f" if percent else ".4f" if name == "exploitability" else "+.2f"
    return with_interval(value, interval, form, percent=percent)


def write_results(
    folder: Path,
    board: TensorBoard,
    config: Mapping[str, Any],
    step: int,
    results: Mapping[str, Metrics],
    **more: Any,
) -> None:
    """Write a run's final results to TensorBoard, as `final/` and with its hyper-parameters, and to `results.json`."""
    if results:
        board.final_results(step, config, _by_tag(results, tags.final_tag))
    write_json(folder / "results.json", sealed({"config": dict(config), "results": results, **more}))

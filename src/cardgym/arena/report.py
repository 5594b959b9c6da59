"""The results of a match, as plain values and as tables for people, and the totals they come from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardgym.console.tables import print_results, short_names, with_interval
from cardgym.engine.contract import RETURN, Float64s, Game
from cardgym.engine.registry import find, registered
from cardgym.files.json_values import plain
from cardgym.statistics import Interval, Moments, rough


@dataclass(frozen=True)
class PlayerReport:
    """The results of one player over all its games; figures ending in `_ci95` are 95 % intervals.

    Attributes:
        win_rate: its share of the maximum scores: of games won, or of hands won in a game of hands.
        mean_return: the mean reward per game.
        metrics: the game's metrics by name: means per game, each followed by `<name>_ci95`, and counts of games.
    """

    name: str
    win_rate: float
    win_rate_ci95: Interval
    mean_return: float
    mean_return_ci95: Interval
    metrics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ByAdvantages:
    """The first player's mean return per game, with part of its luck taken out; see `AdvantageMatch`.

    Attributes:
        playouts: how many times each of its decisions was played out.
        times_games: how many times as many games the plain mean return needs for an interval as narrow.
    """

    playouts: int
    mean_return: float
    mean_return_ci95: Interval
    times_games: float


@dataclass(frozen=True)
class Report:
    """The results of a match.

    Attributes:
        games: how many games were played, over all seatings.
        deals: how many deals they were played on; below 10, intervals are rough.
        seconds: the time the games took, without compiling.
        by_advantages: the first player's mean return with less luck, if requested.
        models: of each language model, the version of its prompt and counts of its requests and answers.
    """

    env: str
    options: dict[str, int | str]
    games: int
    deals: int
    seed: int
    seconds: float
    decisions_per_second: float
    players: tuple[PlayerReport, ...]
    by_advantages: ByAdvantages | None = None
    models: tuple[dict[str, Any], ...] = ()

    def asdict(self) -> dict[str, Any]:
        """Get the report as plain values for JSON: intervals are lists, and NaN (the interval of one deal) is null."""
        values = dataclasses.asdict(self)
        if self.by_advantages is None:
            del values["by_advantages"]
        if not self.models:
            del values["models"]
        return dict(plain(values))


@dataclass(frozen=True)
class TotalsLayout:
    """The layout of a deal's totals as a vector: the max score, then each player's score, return and metrics.

    Attributes:
        counts: the metrics that count games; see `Metric`.
    """

    num_players: int
    metrics: tuple[str, ...]
    counts: tuple[str, ...] = ()

    @classmethod
    def of(cls, game: Game, num_players: int) -> TotalsLayout:
        """Return the layout for a game of `num_players`."""
        counts = tuple(name for name, metric in game.metrics.items() if metric.counts)
        return cls(num_players, tuple(game.metrics), counts)

    @property
    def per_player(self) -> int:
        """How many totals a player has."""
        return 2 + len(self.metrics)

    @property
    def size(self) -> int:
        """How many totals there are."""
        return 1 + self.num_players * self.per_player

    def start(self, player: int) -> int:
        """Return the place of a player's first total, its score."""
        return 1 + player * self.per_player

    def vector(self, max_score: float, players: Iterable[Mapping[str, Any]]) -> Float64s:
        """Get the totals of one game, (size,) float64, from each player's `score`, `return` and `metrics` by name."""
        numbers = [max_score]
        for player in players:
            numbers += [player["score"], player["return"], *(player["metrics"][name] for name in self.metrics)]
        return np.array(numbers, np.float64)

    def reports(self, moments: Moments, names: Iterable[str], games_per_deal: int = 1) -> tuple[PlayerReport, ...]:
        """Return the players' reports. Means are per game; each deal had `games_per_deal` games."""
        return tuple(self._report(moments, player, name, games_per_deal) for player, name in enumerate(names))

    def _report(self, moments: Moments, player: int, name: str, games_per_deal: int) -> PlayerReport:
        score = self.start(player)
        share = 1.0 / games_per_deal
        metrics: dict[str, Any] = {}
        for place, metric in enumerate(self.metrics, score + 2):
            if metric in self.counts:
                metrics[metric] = round(float(moments.sums[place]))
            else:
                metrics[metric], metrics[f"{metric}_ci95"] = moments.mean(self._weights(place, share))
        return PlayerReport(
            name,
            *moments.share(score, 0),
            *moments.mean(self._weights(score + 1, share)),
            metrics,
        )

    def _weights(self, place: int, weight: float) -> Float64s:
        weights = np.zeros(self.size, np.float64)
        weights[place] = weight
        return weights


def main_metric(game: Game) -> str:
    """Return what the players of a game play for: `win_rate`, `mean_return` or one of the game's metrics.

    The return where it is counted in a unit, such as credits; wins where it only says who won.
    """
    if game.payoff != RETURN:
        return game.payoff
    return "win_rate" if game.unit == "reward" else "mean_return"


# -- tables -----------------------------------------------------------------------------------------------------------


def print_report(report: Mapping[str, Any]) -> None:
    """Print a report, as `Report.asdict` gives it, on stdout."""
    title = f"{report['env']}: {report['games']:,} game{'s' if report['games'] != 1 else ''}"
    if report.get("seed") is not None:
        title += f", seed {report['seed']}"
    metrics = [name for name in report["players"][0]["metrics"] if not name.endswith("_ci95")]
    with_scores = ["score"] if "max_score" in report else []
    main = main_metric(find(report["env"])) if report["env"] in registered() else "win_rate"
    columns = list(dict.fromkeys((main, "win_rate", "mean_return", *metrics)))
    head = ["player", *with_scores, *(name.replace("_", " ") for name in columns)]
    rows = []
    names = short_names([player["name"] for player in report["players"]])
    for name, player in zip(names, report["players"], strict=True):
        score = [f"{player['score']:g} of {report['max_score']:g}"] if with_scores else []
        figures = {**player["metrics"], **player}
        cells = [_cell(figures.get(name), figures.get(f"{name}_ci95"), percent=name == "win_rate") for name in columns]
        rows.append([name, *score, *cells])
    below = options_text(report["options"])
    if report.get("seconds") is not None:
        below += f"; {report['seconds']:.2f} s"
    if report.get("decisions_per_second") is not None:
        below += f", {report['decisions_per_second']:,.0f} decisions/s"
    if remark := rough(report.get("deals", report["games"])):
        below += f"\n{remark}"
    if by_advantages := report.get("by_advantages"):
        mean = with_interval(by_advantages["mean_return"], by_advantages["mean_return_ci95"], "+.3f")
        below += f"\n{names[0]}'s mean return by advantages (playouts: {by_advantages['playouts']}): {mean}"
        if by_advantages["times_games"] is not None:
            below += f"; a plain interval as narrow takes {by_advantages['times_games']:.1f} times the games"
    below += model_lines(report.get("models", ()))
    print_results(title, head, rows, below)


def model_lines(models: Iterable[Mapping[str, Any]]) -> str:
    """Return what happened with each language model, a line each, as `LanguageModel.summary` gives it."""
    lines = ""
    for model in models:
        counts = {name: value for name, value in model.items() if name not in ("player", "prompt") and value}
        told = ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in counts.items())
        lines += f"\n{model['player']} (prompt {model['prompt']}): {told}"
    return lines


def options_text(options: Mapping[str, Any]) -> str:
    """Return a game's options with their values."""
    return ", ".join(f"{name}={value}" for name, value in options.items()) or "no options"


def _cell(value: float | None, interval: list[float | None] | None, percent: bool = False) -> str:
    if value is None:
        return "-"
    if isinstance(value, int) and interval is None:
        return f"{value:,}"
    return with_interval(value, interval, ".2f" if percent else "+.2f", percent=percent, separator="\n")

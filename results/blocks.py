"""The parts of pages that are made from the results: each is between `<!-- results: ... -->` and `<!-- end -->`."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import cardgym
import cards
from cardgym.console.tables import markdown_table, with_interval
from cardgym.envs import EnvArguments
from cardgym.envs.gpu import GpuVectorEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.experiments.benchmark.report import BenchmarkReport, markdown
from cardgym.experiments.exploit.report import Exploitability, ResponderResult, Source, curve, largest, trend
from matches import HERE, ROOT, measured

BLOCK = re.compile(r"(<!-- results: (?P<of>[^>]*?) -->\n).*?((?:# )?<!-- end -->)", re.DOTALL)


def benchmark(name: str) -> list[str]:
    """The tables of a benchmark of algorithms."""
    return markdown(BenchmarkReport.read(HERE / f"{name}.json")).splitlines()


def table_of(env: str, player: str) -> list[str]:
    """What a player won from others, in each match of a game that it played as the first."""
    spike = env == "CorellianSpike-v0"
    rows = []
    for match in measured().values():
        if match.players[0] == player and match.env == env:
            own, rivals = match.report.players[0], match.players[1:]
            rival = f"{len(rivals)} " * (len(rivals) > 1) + rivals[0]
            share = with_interval(own.win_rate or 0.0, own.win_rate_ci95, ".1f", percent=True)
            cells = [rival + ", moving first" * (match.seats == "fixed"), f"{match.games:,}", share]
            credits = with_interval(own.mean_return or 0.0, own.mean_return_ci95, "+.2f")
            rows.append([*cells, credits] if spike else cells)
    head = ["opponent", "games", "hands won", "credits a game"] if spike else ["opponent", "games", "games won"]
    return markdown_table(head, rows, "lrrr"[: len(head)])


def leaderboard(env: str) -> list[str]:
    """The players of a game by rank, with the picture of their matches."""
    from cardgym.arena.tournament.pages import section

    return section(_standings()[env], f"../images/leaderboards/{env.replace('-v', '_v').lower()}.png")[2:]


def ranks(envs: Iterable[str]) -> list[str]:
    """A row for each of some games: its players by rank, with their payoffs against the first."""
    from cardgym.arena.tournament.pages import exact_or, rank_text

    rows = []
    for board in (_standings()[env] for env in envs):
        first, *others = board.ranks
        cells = [f"{rank_text(board, first)} `{board.names[first]}`"]
        for i in others:
            won = with_interval(board.payoffs[i, first], exact_or(board.payoffs_ci95[i, first]), "+.3f")
            cells.append(f"{rank_text(board, i)} `{board.names[i]}` {won}")
        rows.append([board.env, cardgym.find(board.env).unit, ", ".join(cells)])
    return markdown_table(["game", "in", "rank, player, payoff against the first"], rows)


@functools.cache
def _standings() -> dict[str, Any]:
    from cardgym.arena.tournament import Standings

    kept = json.loads((HERE / "leaderboards.json").read_text(encoding="utf-8"))
    return {entry["env"]: Standings.fromdict(entry) for entry in kept}


@functools.cache
def _report(path: Path) -> Exploitability:
    """A report on what a player gives away."""
    values = json.loads(path.read_text(encoding="utf-8"))
    names = [field.name for field in dataclasses.fields(Exploitability)]
    results = {
        kind: [ResponderResult(**{**one, "ci95": one["ci95"] and tuple(one["ci95"])}) for one in values[kind]]
        for kind in ("responders", "replayed")
    }
    return Exploitability(**{name: values[name] for name in names if name in values} | results)


def _reports(env: str) -> dict[Path, Exploitability]:
    """The reports on what players of a game give away, by their files, the least first."""
    found = {path: _report(path) for path in (HERE / "exploitability" / env).glob("*.json")}
    return dict(sorted(found.items(), key=lambda item: (item[1].exploitability, item[1].player)))


KINDS: tuple[Source, ...] = ("known", "trained", "search")


def exploitable(env: str) -> list[str]:
    """A row for each player of a game: what the best responder wins from it, and the best one of each kind."""
    reports, default = _reports(env), cardgym.find(env).parse_options().asdict()
    rows = []
    for report in reports.values():
        options = [f"{name}={value}" for name, value in report.options.items() if default[name] != value]
        bound = shown(report.exploitability, report.ci95)
        name = ", ".join(f"`{word}`" for word in (report.player, *options))
        kinds = ["; ".join(_of_kind(report, kind, team) for team in (False, True)).strip("; ") for kind in KINDS]
        rows.append([name, f"{bound} `{report.best}`", *kinds, _trends(report)])
    head = ["player", "at least [95 %]", *KINDS, "with more effort"]
    return [f"Figures are in {report.per}.", "", *markdown_table(head, rows, "llllll")]


def _of_kind(report: Exploitability, kind: Source, team: bool) -> str:
    """What the best responder of a kind wins, over how many games, and with which effort; empty if none was tried."""
    found = [one for one in report.replayed if (one.source, one.team) == (kind, team)]
    if not found:
        return ""
    effort = [f"{found[0].games:,} games", *([found[0].effort] if found[0].effort else [])]
    return f"{'team: ' * team}{shown(found[0].payoff, found[0].ci95)}, {', '.join(effort)}"


def _trends(report: Exploitability) -> str:
    """Whether the bound rises with the decisions of a training and the worlds of a search; empty where it does not."""
    words = {kind: trend(curve(report.responders, kind, team=False)) for kind in KINDS[1:]}
    return ", ".join(f"{kind} {how}" for kind, how in words.items() if how and "no longer" not in how)


def efforts(env: str, player: str) -> list[str]:
    """A row for each effort: the best responder trained for so many decisions, or searching so many worlds."""
    report = _report(HERE / "exploitability" / env / f"{player}.json")
    rows = []
    for kind in KINDS[1:]:
        for one in curve(report.responders, kind, team=False):
            seconds = "" if one.seconds is None else f"{one.seconds:,.0f}"
            won = shown(one.payoff, one.ci95)
            rows.append([f"`{one.name}`", one.effort, won, f"{one.games:,}", seconds])
    return markdown_table(["responder", "effort", "wins [95 %]", "games", "CPU s"], rows, "llrrr")


def shown(value: float, ends: Iterable[float] | None) -> str:
    """A figure with its interval, in as many digits as show on which side of 0 each is; at most 4 behind the point."""
    sides = [one for one in (value, *(ends or ())) if round(one, 4)]
    digits = 1 if abs(value) >= 10 else 2
    while digits < 4 and any(not round(one, digits) for one in sides):
        digits += 1
    return with_interval(value, ends, f".{digits}f")


def solved(envs: Iterable[str]) -> list[str]:
    """A row for each of some small games: what a best response wins from each player."""
    rows = []
    for env in envs:
        reports = _reports(env).values()
        found = [(one, f"{one.exploitability:{'.3g' if abs(one.exploitability) >= 0.1 else '.2g'}}") for one in reports]
        cells = [f"`{one.player}` {'' if one.kind == 'exact' else 'at least '}{value}" for one, value in found]
        rows.append([env, found[0][0].per.removesuffix(" per game"), ", ".join(cells)])
    return markdown_table(["game", "in", "a best response wins per game from"], rows)


def exploitability(env: str, player: str) -> list[str]:
    """What a best responder wins from a player, as a paragraph."""
    report = _report(HERE / "exploitability" / env / f"{player.replace(':', '-')}.json")
    found = largest(report.replayed, team=False)
    assert found is not None
    best, team = found[0], largest(report.replayed, team=True)
    won, ends = report.exploitability, report.ci95
    games = f"in {best.games:,} games on which it was not chosen"
    if won > 0:
        figure = shown(won, ends)
        bound = f"at least about **{figure.partition(' ')[0]}** {report.per}"
        bound = bound if ends is None or ends[0] > 0 else "not shown to be above 0"
        text = f"Exploitability of `{player}`: {bound}. The best responder that we found, `{report.best}`, wins "
        text += f"{figure} {games}. "
    else:
        ends = ends and (-ends[1], -ends[0])
        text = f"Exploitability of `{player}`: no responder that we found wins. The best, `{report.best}`, loses "
        text += f"{shown(-won, ends)} {report.per} {games}. "
    if team is not None:
        text += f"To `{team[0].name}` in all other seats, it loses {shown(team[0].payoff, team[1])}. "
    trained = [one for one in report.responders if one.source == "trained"]
    searches = [one.worlds for one in report.responders if one.source == "search"]
    tried = ["the game's other players"]
    if trained:
        names = {one.name.partition(":")[0] for one in trained}
        longest = max(one.decisions for one in trained)
        tried.append(f"{len(names)} responder{'s' * (len(names) > 1)} trained for up to {longest:,} decisions")
    tried += [f"searches with up to {max(searches)} worlds"] if searches else []
    text += f"We tried {' and '.join([', '.join(tried[:-1]), tried[-1]]) if len(tried) > 1 else tried[0]}. A better "
    text += "responder may exist ([every player](../../docs/strength/README.md))."
    kinds = ["; ".join(_of_kind(report, kind, team) for team in (False, True)).strip("; ") for kind in KINDS]
    words = textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)
    cells = [kind or "not tried" for kind in kinds]
    return [*words, "", *markdown_table([f"{kind} responder" for kind in KINDS], [cells], "lll")]


def _form(value: float) -> str:
    return ".1f" if abs(value) >= 10 else ".2f"


Cells = dict[str, dict[str, tuple[float, Iterable[float | None] | None]]]
"""The figures of a table with their intervals, by row and column."""


def recorded(table: str, mean: bool) -> list[str]:
    """The figures of `recorded.json` that name this `table`, by their `row` and `column`; `match` refers to a match.

    They are credits a game or, where a `share` says so, shares of games. `mean` adds the mean of a row's figures, with
    the lowest and the highest.
    """
    entries = [entry for entry in json.loads((HERE / "recorded.json").read_text()) if entry.get("table") == table]
    shares = entries[0].get("share", False)
    cells = _cells(entries, "win_rate" if shares else "mean_return")
    columns = list(dict.fromkeys(column for row in cells.values() for column in row))
    form = ".1f" if shares else "+.2f"
    rows = []
    for name, row in cells.items():
        shown = {column: with_interval(*figure, form, percent=shares) for column, figure in row.items()}
        rows.append([name, *(shown.get(column, "") for column in columns)])
        if mean:
            values = [value for value, _ in row.values()]
            average, low, high = (
                with_interval(value, None, form, percent=shares)
                for value in (float(np.mean(values)), min(values), max(values))
            )
            rows[-1].append(f"{average} ({low} to {high})")
    head = ["against", *columns, *["mean (lowest to highest)"] * mean]
    return markdown_table(head, rows, "l" + "r" * (len(head) - 1))


def _cells(entries: Iterable[Mapping[str, Any]], name: str) -> Cells:
    """The figures of entries of `recorded.json`: of a match, the one with this `name`."""
    known = measured()
    cells: Cells = {}
    for entry in entries:
        own = known[entry["match"]].report.players[0].model_dump() if "match" in entry else {}
        figure = (own[name], own[f"{name}_ci95"]) if own else (entry["won"], entry["ci95"])
        cells.setdefault(entry["row"], {})[entry["column"]] = figure
    return cells


def spreads_of_seeds() -> Iterator[tuple[str, tuple[float, float]]]:
    """For each row of a table of seeds, where it is kept, and the mean and the standard deviation of its seeds."""
    tables: dict[str, list[Mapping[str, Any]]] = {}
    for entry in json.loads((HERE / "recorded.json").read_text()):
        if entry.get("column", "").startswith("seed"):
            tables.setdefault(entry["table"], []).append(entry)
    for table, entries in tables.items():
        for name in ("win_rate", "mean_return"):  # They differ where all seeds are matches.
            for row in _cells(entries, name).values():
                values = [value for value, _ in row.values()]
                yield f"recorded/{table}", (float(np.mean(values)), float(np.std(values, ddof=1)))


RIVALS = {"CorellianSpike-v0": "heuristic", "Coda-v0": "heuristic", "CodaOfficial-v0": "bayes", "Cribbage-v0": "expert"}
"""The player by rule that the table of agents compares with."""


def agents() -> list[str]:
    """Make a row for each agent: its card, and what it wins from a player by rule."""
    rows = []
    for match, title, card in cards.agents():
        rivals = match.players[1:]
        if rivals[0] == RIVALS[match.env]:
            own = match.report.players[0]
            share = with_interval(own.win_rate or 0.0, own.win_rate_ci95, ".1f", percent=True)
            link = f"[`{match.players[0]}`](../../{card.relative_to(ROOT).as_posix()})"
            rival = f"{len(rivals)} " * (len(rivals) > 1) + f"`{rivals[0]}`"
            won = f"{own.mean_return or 0.0:+.1f}" if match.env == "CorellianSpike-v0" else ""
            played = ", ".join([match.env, *(f"`{option}={value}`" for option, value in match.options.items())])
            rows.append([link, title, played, rival, share, won])
    return markdown_table(["agent", "algorithm", "game", "against", "wins", "credits a game"], rows, "llllrr")


def arguments() -> list[str]:
    """Make a row for each argument of an env: its default, and what its docstring says."""
    vector = {name: value.default for name, value in inspect.signature(CardVectorEnv).parameters.items()}
    rows = [
        [f"`{name}`", f"`{_literal(defaults[name])}`", where, text]
        for kind, where, defaults in (
            (EnvArguments, "any env", EnvArguments().__dict__),
            (CardVectorEnv, "`make_vec`", vector),
            (GpuVectorEnv, "`make_vec`", {"device": "cpu"}),
        )
        for name, text in _described(kind).items()
        if name != "game"
    ]
    return markdown_table(["argument", "default", "where", "what it is"], rows)


def _described(kind: type) -> dict[str, str]:
    """Read the arguments of a class, by name, from its docstring."""
    section = re.split(r"^(?:Args|Attributes):\n", inspect.getdoc(kind) or "", flags=re.MULTILINE)[1]
    section = re.split(r"^\w", section, flags=re.MULTILINE)[0]
    entries = re.findall(r"^    (\w+): (.*?)(?=^    \w|\Z)", section, re.DOTALL | re.MULTILINE)
    return {name: " ".join(text.split()).replace("|", "\\|") for name, text in entries}


def _literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else str(getattr(value, "name", value))


def speed(wanted: str) -> list[str]:
    """The table of speed: all rows, or those whose names contain one of the words in `wanted`, split by commas."""
    words = [word.strip() for word in wanted.split(",") if word.strip()]
    rows = _comparisons("speed", lambda row: not words or any(word in row["other"] for word in words))
    return markdown_table(["cardgym", "decisions/s", "instead", "decisions/s", "ratio"], rows, "lrlrr")


def gpu() -> list[str]:
    """The table of trainings on a GPU, compared with the same on the processor."""
    rows = [[name, ours, theirs, ratio] for name, ours, _, theirs, ratio in _comparisons("gpu", lambda _: True)]
    return markdown_table(["config, layers", "GPU", "processor", "ratio"], rows, "lrrr")


def _comparisons(file: str, shown: Callable[[Mapping[str, Any]], bool]) -> list[list[str]]:
    rows = []
    for row in filter(shown, json.loads((HERE / f"{file}.json").read_text())["comparisons"]):
        ours, theirs = (f"{_three_digits(row[name]['median']):,.0f}" for name in ("values", "other_values"))
        ratio = row["ratio"]
        cell = with_interval(ratio["median"], (ratio["low"], ratio["high"]), _form(ratio["median"]))
        rows.append([row["name"], ours, row["other"], theirs, cell])
    return rows


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def rendered(text: str) -> str:
    """A page with each table between `<!-- results: ... -->` and `<!-- end -->` made from the results."""

    def block(found: re.Match[str]) -> str:
        kind, _, of = found["of"].partition(" ")
        match kind:
            case "speed":
                lines = speed(of)
            case "gpu":
                lines = gpu()
            case "agents":
                lines = agents()
            case "arguments":
                lines = arguments()
            case "benchmark":
                lines = benchmark(of)
            case "leaderboard":
                lines = leaderboard(of)
            case "ranks":
                lines = ranks(of.split())
            case "exploitable":
                lines = exploitable(of)
            case "efforts":
                lines = efforts(*of.split())
            case "solved":
                lines = solved(of.split())
            case "exploitability":
                lines = exploitability(*of.split())
            case "cards":
                lines = cards.links(*of.split())
            case "card":
                lines = cards.facts(*of.split())
            case "header":
                lines = cards.header(*of.split())
            case "recorded":
                table, _, mean = of.partition(" ")
                lines = recorded(table, bool(mean))
            case _:
                lines = table_of(kind, of)
        return found[1] + "\n".join(lines) + "\n" + found[3]

    return BLOCK.sub(block, text)

"""The project's measured figures, each kept once: make them, check them, and render the tables that show them.

    python results/figures.py make [GROUP ...] [--again]    play the matches of groups.toml that are not up to date
    COMMAND --json | python results/figures.py keep NAME    keep the JSON of a tournament or of `cardgym exploit`
    python results/figures.py render                        write the tables of the model cards and of other pages
    python results/figures.py check                         say what is out of date, or shown without being kept here

`matches.json` holds the matches. The other files are what commands of cardgym print, in the folder's README.md.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

import cardgym
from cardgym.arena import evaluate
from cardgym.arena.report_file import SavedReport
from cardgym.console.progress import Progress
from cardgym.console.tables import markdown_table, with_interval
from cardgym.errors import CardgymError
from cardgym.files.atomic import replacing
from cardgym.files.documents import Count, Document, Items, Name, parse_document, validate
from cardgym.players.base import checkpoints
from cardgym.scaling.local import machine
from intervals import CODE, results_with_intervals, without_result

HERE = Path(__file__).parent
ROOT = HERE.parent
MATCHES = HERE / "matches.json"
PAGES = (
    "README.md", "checkpoints/*/*.md", "docs/*.md", "docs/interop/*.md", "docs/algorithms/[!R]*.md",
    "src/cardgym/games/*/view.py",
)  # fmt: skip
"""Pages on which every figure with an interval is one of the results. The others report one study each, with the
command that repeats it, or are written by a command."""
RENDERED = (*PAGES, "docs/games/*/README.md")
"""Pages of which parts are rendered."""


def digests(env: str, options: Mapping[str, Any], players: Iterable[str]) -> dict[str, str]:
    """What a figure depends on: the files of the players, and the games by which tests recognise the rules."""
    game = cardgym.find(env)
    files = checkpoints(game, game.parse_options(options))
    played = {player.partition(":")[0] for player in players} & set(files)
    found = {name: hashlib.sha256(_contents(files[name])).hexdigest()[:16] for name in sorted(played)}
    rules = json.loads(_contents(ROOT / "tests" / "digests.json"))
    return found | {name: digest for name, digest in rules.items() if name.startswith(f"{env}: games")}


_contents = functools.cache(Path.read_bytes)  # Every match of a game asks for the same files, which do not change.


def circumstances() -> dict[str, str]:
    """Where and when a figure is measured."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    return {"machine": machine(), "commit": commit.strip(), "date": datetime.now(UTC).date().isoformat()}


class Evaluation(Document):
    """One match, as `cardgym evaluate` plays it."""

    group: Name
    env: Name
    options: dict[str, int | str]
    players: Items[Name]
    games: Count
    seed: Count
    seats: Literal["rotate", "fixed"]

    @property
    def command(self) -> str:
        """The command that repeats it."""
        settings = "".join(f" --set {name}={value}" for name, value in self.options.items())
        words = f"cardgym evaluate {self.env}{settings} --players {' '.join(self.players)} --games {self.games}"
        return f"{words} --seed {self.seed}" + (" --seats fixed" if self.seats == "fixed" else "")

    def digests(self) -> dict[str, str]:
        """What it depends on."""
        return digests(self.env, self.options, self.players)


class Measured(Evaluation):
    """A match that was played."""

    made_of: dict[Name, str]
    machine: Name
    commit: Name
    date: Name
    report: SavedReport


class Measurements(Document):
    """The file of matches."""

    matches: Items[Measured]


def planned() -> list[Evaluation]:
    """The matches of `groups.toml`, in its order."""
    found = []
    for group, entries in tomllib.loads((HERE / "groups.toml").read_text()).items():
        game = "".join(word.title() for word in group.split("_")) + "-v0"
        for entry in entries:
            env, options = entry.get("env", game), entry.get("set", {})
            others = cardgym.find(env).parse_options(options).num_players - 1
            about = {"group": group, "env": env, "options": options, "seed": entry.get("seed", 1)}
            about |= {"games": entry["games"], "seats": entry.get("seats", "rotate")}
            for player in entry["players"]:
                for rival in entry["against"]:
                    if player != rival:
                        found.append(Evaluation(players=(player, *[rival] * others), **about))
    return found


def measured() -> dict[str, Measured]:
    """The matches that were played, by their commands."""
    return dict(_parsed(MATCHES.read_bytes())) if MATCHES.exists() else {}


@functools.lru_cache(maxsize=1)  # By its bytes: a page has many tables, and `make` writes the file as it goes.
def _parsed(data: bytes) -> dict[str, Measured]:
    document = parse_document(Measurements, data, "results/matches.json")
    return {match.command: match for match in document.matches}


def make(groups: list[str], again: bool) -> None:
    """Play the matches that are new or out of date, and keep each as it ends."""
    known, wanted = measured(), planned()
    for unknown in set(groups) - {match.group for match in wanted}:
        raise CardgymError(f"group {unknown!r}: groups.toml has {', '.join(dict.fromkeys(m.group for m in wanted))}")
    for match in wanted:
        chosen = not groups or match.group in groups
        old = known.get(match.command)
        if chosen and (again or old is None or old.made_of != match.digests()):
            with Progress(" ".join(match.players), "games") as progress:
                report = evaluate(
                    match.env, match.options, match.players,
                    games=match.games, seed=match.seed, seats=match.seats, progress=progress,
                ).asdict()  # fmt: skip
            values = {**match.model_dump(mode="json"), **circumstances(), "made_of": match.digests(), "report": report}
            known[match.command] = validate(Measured, values, match.command)
            kept = [known[one.command].model_dump(mode="json") for one in wanted if one.command in known]
            with replacing(MATCHES) as temporary:
                temporary.write_text(json.dumps({"matches": kept}, indent=1) + "\n")


def keep(name: str) -> None:
    """Keep what a command of cardgym printed as JSON, from stdin, as `NAME.json`."""
    document = json.load(sys.stdin)
    for entry in document if isinstance(document, list) else [document]:
        entry |= {**circumstances(), "made_of": _made_of(entry)}
    path = HERE / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(document, indent=1) + "\n")


def _made_of(entry: Mapping[str, Any]) -> dict[str, str]:
    players = [one["name"] for one in entry["players"]] if "players" in entry else [entry["player"]]
    return digests(entry["env"], entry["options"], players)


# -- pages -------------------------------------------------------------------------------------------------------------

BLOCK = re.compile(r"(<!-- results: (?P<of>[^>]*?) -->\n).*?(<!-- end -->)", re.DOTALL)


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


def exploitability(env: str, player: str) -> list[str]:
    """What a best responder wins from a player, as a paragraph."""
    report = json.loads((HERE / "exploitability" / env / f"{player.replace(':', '-')}.json").read_text())
    trained = {one["name"].partition(":")[0] for one in report["responders"] if "train" in one["source"]}
    searches = [int(one["name"].partition(":")[2]) for one in report["responders"] if one["source"] == "search"]
    tried = ["the game's other players"]
    if report["budget"]:
        tried.append(f"{len(trained)} responders trained for {report['budget']:,} decisions")
    tried += [f"searches with up to {max(searches)} worlds"] if searches else []
    bound = report["exploitability"]
    text = f"Exploitability: at least **{bound:.3g}** ({report['per']}). The best responder, `{report['best']}`, wins"
    text += f" {with_interval(report['won'], report['ci95'], '.3g')} on {report['games']:,} fresh deals; tried were"
    text += f" {', '.join(tried)} ([every player](../../docs/exploitability.md)). A better responder may exist."
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def recorded(table: str, mean: bool) -> list[str]:
    """The figures of `recorded.json` that name this `table`, by their `row` and `column`; `match` refers to a match.

    They are credits a game or, where a `share` says so, shares of games. `mean` adds the mean of a row's figures, with
    the lowest and the highest.
    """
    known = measured()
    cells: dict[str, dict[str, tuple[float, Iterable[float | None] | None]]] = {}
    shares = False
    for entry in json.loads((HERE / "recorded.json").read_text()):
        if entry.get("table") == table:
            shares = entry.get("share", False)
            own = known[entry["match"]].report.players[0].model_dump() if "match" in entry else {}
            name = "win_rate" if shares else "mean_return"
            figure = (own[name], own[f"{name}_ci95"]) if own else (entry["won"], entry["ci95"])
            cells.setdefault(entry["row"], {})[entry["column"]] = figure
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


def cards(group: str, own: str = "") -> list[str]:
    """Links to the cards of a game's agents: from the card of one of them, `own`, or else from the game's page."""
    names = [path.stem for path in sorted(ROOT.glob(f"checkpoints/{group}/*.md")) if path.stem != own]
    folder = "" if own else f"../../../checkpoints/{group}/"
    links = ", ".join(f"[`{name}`]({folder}{name}.md)" for name in names)
    text = f"The game's other agents: {links}." if own else f"The cards of the trained agents: {links}."
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


RIVALS = {"CorellianSpike-v0": "heuristic", "Coda-v0": "heuristic", "CodaOfficial-v0": "bayes", "Cribbage-v0": "expert"}
"""The player by rule that the table of agents compares with."""


def agents() -> list[str]:
    """Every agent that comes with cardgym: its card, and what it wins from a player by rule."""
    rows = []
    for match in measured().values():
        name = match.players[0].partition(":")[0]
        cards = [path for path in sorted(ROOT.glob(f"checkpoints/*/{name}.md")) if path.parent.name == match.group]
        rivals = match.players[1:]
        if cards and rivals[0] == RIVALS[match.env]:
            own = match.report.players[0]
            title = cards[0].read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").partition(" for ")[0]
            share = with_interval(own.win_rate or 0.0, own.win_rate_ci95, ".1f", percent=True)
            link = f"[`{match.players[0]}`](../checkpoints/{match.group}/{name}.md)"
            rival = f"{len(rivals)} " * (len(rivals) > 1) + f"`{rivals[0]}`"
            won = f"{own.mean_return or 0.0:+.1f} credits a game" if match.env == "CorellianSpike-v0" else ""
            played = ", ".join([match.env, *(f"`{option}={value}`" for option, value in match.options.items())])
            rows.append([link, title, played, rival, share, won])
    return markdown_table(["agent", "algorithm", "game", "against", "wins", "and"], rows, "llllrr")


def speed(wanted: str) -> list[str]:
    """The table of speed: all rows, or those whose names contain one of the words in `wanted`, split by commas."""
    words = [word.strip() for word in wanted.split(",") if word.strip()]
    rows = []
    for row in json.loads((HERE / "speed.json").read_text())["comparisons"]:
        if not words or any(word in row["other"] for word in words):
            ours, theirs, ratio = (_spread(row[name]) for name in ("values", "other_values", "ratio"))
            rows.append([row["name"], ours, row["other"], theirs, ratio])
    return markdown_table(["cardgym", "decisions/s", "instead", "decisions/s", "ratio"], rows, "lrlrr")


def _spread(spread: Mapping[str, float]) -> str:
    """A median with the lowest and the highest value, three digits each."""
    median, low, high = (f"{float(f'{spread[name]:.3g}'):,.15g}" for name in ("median", "low", "high"))
    return f"{median} [{low}, {high}]"


def rendered(text: str) -> str:
    """A page with each table between `<!-- results: ... -->` and `<!-- end -->` made from the results."""

    def block(found: re.Match[str]) -> str:
        kind, _, of = found["of"].partition(" ")
        match kind:
            case "speed":
                lines = speed(of)
            case "agents":
                lines = agents()
            case "exploitability":
                lines = exploitability(*of.split())
            case "cards":
                lines = cards(*of.split())
            case "recorded":
                table, _, mean = of.partition(" ")
                lines = recorded(table, bool(mean))
            case _:
                lines = table_of(kind, of)
        return found[1] + "\n".join(lines) + "\n" + found[3]

    return BLOCK.sub(block, text)


def pages(patterns: Iterable[str] = PAGES) -> list[Path]:
    """The pages that match, by default those whose figures are the results."""
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


# -- checks ------------------------------------------------------------------------------------------------------------


def faults() -> Iterator[str]:
    """A line for everything that is out of date."""
    known = measured()
    for match in planned():
        if match.command not in known:
            yield f"not measured: {match.command}"
        elif known[match.command].made_of != match.digests():
            yield f"its players or rules changed since: {match.command}"
    for path in sorted(HERE.glob("**/*.json")):
        document = json.loads(path.read_text())
        for entry in document if isinstance(document, list) else [document]:
            if "made_of" in entry and entry["made_of"] != _made_of(entry):
                yield f"{path.relative_to(ROOT)}: a player or the rules of {entry['env']} changed since"
    for path in pages(RENDERED):
        if rendered(text := path.read_text(encoding="utf-8")) != text:
            yield f"{path.relative_to(ROOT)}: its tables are out of date; run `python results/figures.py render`"
    results = results_with_intervals(HERE)
    for path in pages():
        text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT)
        by_hand = CODE.sub("", BLOCK.sub("", text))
        yield from (f"{name}: no result says {figure}" for figure in without_result(by_hand, results))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=("make", "keep", "render", "check"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="make: groups of groups.toml (all); keep: the file")
    parser.add_argument("--again", action="store_true", help="with make: also the matches that are up to date")
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.names, arguments.again)
    elif arguments.command == "keep":
        if len(arguments.names) != 1:
            raise CardgymError("keep takes one NAME: the file of this folder, without .json, that stdin becomes")
        keep(arguments.names[0])
    elif arguments.command == "render":
        for path in pages(RENDERED):
            path.write_text(rendered(path.read_text(encoding="utf-8")), encoding="utf-8")
    elif lines := list(faults()):
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    try:
        main()
    except CardgymError as error:
        sys.exit(f"error: {error}")

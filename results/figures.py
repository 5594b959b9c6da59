"""The project's measured figures, each kept once: make them, check them, and render the tables that show them.

    python results/figures.py make [GROUP ...] [--again]    play the matches of groups.toml that are not up to date
    COMMAND --json | python results/figures.py keep NAME    keep the JSON of a tournament or of `cardgym exploit`
    python results/figures.py keep PAGE ...                 keep the figures of pages: of those that a command wrote
                                                            (docs/papers/) a digest, of others those without an interval
    python results/figures.py render                        write the tables of the model cards and of other pages
    python results/figures.py check                         say what is out of date, or shown without being kept here

`matches.json` holds the matches. The other files are what commands of cardgym print, in the folder's README.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from blocks import BLOCK, rendered, spreads_of_seeds
from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.console.progress import Progress
from cardgym.files import replacing
from cardgym.files.documents import validate
from cardgym.papers.pages import BY_HAND
from intervals import CODE, Figure, entries, figures_in, figures_of, plain_figures, without_result
from matches import HERE, MATCHES, ROOT, Measured, circumstances, digests, measured, planned

PAGES = (
    "README.md", "CHANGELOG.md", "benchmarks/README.md", "research/README.md", "examples/*/README.md",
    "checkpoints/*/*.md", "docs/*.md", "docs/algorithms/*.md", "docs/interop/*.md", "docs/tutorials/*.md",
    "docs/games/*.md", "docs/games/*/README.md", "docs/papers/**/*.md", "src/cardgym/games/*/measured.toml",
    "docs/strength/*.md",
)  # fmt: skip
"""Pages on which every figure with an interval or a spread is one of the results."""
MAPPING = HERE / "pages.json"
"""By page, where the figures in its sentences are kept (`results`), and the others (`plain`); see README.md here.

Of a page that one command writes, it has the command and a digest of the figures that the command wrote; the figures
below `BY_HAND` are checked as those of other pages.
"""


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
    """Keep what a command printed as JSON, from stdin, as `NAME.json`."""
    document = json.load(sys.stdin)
    for entry in entries(document):
        entry |= {**circumstances(), "made_of": _made_of(entry)}
    path = HERE / f"{name}.json"
    if isinstance(document, list) and path.exists():  # Tournaments of some games: the others stay.
        boards = {entry["env"]: entry for entry in (*json.loads(path.read_text()), *document)}
        document = list(boards.values())
    _write(path, document)


def keep_page(name: str) -> None:
    """Keep the figures of a page: a digest if a command wrote it, otherwise a list of those without an interval."""
    mapping, text = json.loads(MAPPING.read_text()), (ROOT / name).read_text(encoding="utf-8")
    entry = mapping.setdefault(name, {})
    if "command" in entry:
        made = {"figures": digest_of_figures(text), "made_of": _made_of_page(name, entry)}
        if not made.items() <= entry.items():
            entry |= {**circumstances(), **made}
    if ROOT / name in pages():
        entry["plain"] = " ".join(sorted(plain_figures(_by_hand(text)).elements()))
    else:
        raise CardgymError(f"page {name}: its figures are not checked")
    _write(MAPPING, dict(sorted(mapping.items())))


def _write(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(document, indent=1) + "\n")


def digest_of_figures(text: str) -> str:
    """A digest of the numbers that a command wrote, without code and targets of links: sentences can be mended."""
    written = CODE.sub("", text.partition(BY_HAND)[0])
    numbers = re.findall(r"\d(?:[\d,]*\d)?(?:\.\d+)?", re.sub(r"\]\([^)]*\)", "]", written))
    return hashlib.sha256(" ".join(numbers).encode()).hexdigest()[:16]


def _made_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """The digests of a match, a tournament, a report, or of an entry by hand, which says `of` which players it is."""
    entry = entry.get("of", entry)
    players = entry["players"] if "players" in entry else [entry["player"]]
    names = [one if isinstance(one, str) else one["name"] for one in players]
    return digests(entry["env"], entry["options"], names)


def _made_of_page(name: str, entry: Mapping[str, Any]) -> dict[str, str]:
    """The same of a paper's page, with the paper's code: no comments, sentences or white space."""
    folder = f"src/cardgym/papers/{Path(name).parent.name}"
    code = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).glob("*.py")))
    code = re.sub(r'""".*?"""|#[^\n]*|\s', "", code, flags=re.DOTALL)
    return _made_of(entry) | {f"{folder}: code": hashlib.sha256(code.encode()).hexdigest()[:16]}


def pages() -> list[Path]:
    """The pages whose figures are the results."""
    return [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]


# -- checks ------------------------------------------------------------------------------------------------------------


def faults() -> Iterator[str]:
    """A line for everything that is out of date."""
    known = measured()
    for match in planned():
        if match.command not in known:
            yield f"not measured: {match.command}"
        elif known[match.command].made_of != match.digests():
            yield f"its players or rules changed since: {match.command}"
    for path in sorted(set(HERE.glob("**/*.json")) - {MATCHES}):
        for what in changed_entries(json.loads(path.read_text())):
            yield f"{path.relative_to(ROOT)}: a player or the rules changed since: {what}"
    mapping = json.loads(MAPPING.read_text())
    yield from changed_pages(mapping)
    kept = kept_figures()
    for path in pages():
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        yield from (f"{name}: {fault}" for fault in faults_of_page(name, text, kept, mapping.get(name, {})))


def kept_figures() -> dict[str, list[Figure]]:
    """Every figure of the results, by where it is kept, and the means and spreads of the tables of seeds."""
    kept = figures_of(HERE)
    for place, spread in spreads_of_seeds():
        kept[place].append(spread)
    return kept


def faults_of_page(
    name: str, text: str, kept: Mapping[str, Iterable[Figure]], entry: Mapping[str, Any]
) -> Iterator[str]:
    """What is out of date on a page, and its figures that are kept neither where its `entry` says nor in the entry."""
    if rendered(text) != text:
        yield "its tables are out of date; run `python results/figures.py render`"
    by_hand = _by_hand(text)
    places = [f"studies/{name}", *entry.get("results", [])]
    yield from (
        f"{place}, which pages.json names, has no figures" for place in places[1:] if not figures_in(kept, [place])
    )
    missing = without_result(by_hand, figures_in(kept, places))
    yield from (f"{figure} is not among the page's results, {', '.join(places)}" for figure in missing)
    new = plain_figures(by_hand) - Counter(entry.get("plain", "").split())
    if name.endswith(".md") and new:
        yield f"new figures: {', '.join(new)}; if they are right, run `python results/figures.py keep {name}`"


def _by_hand(text: str) -> str:
    """What no command wrote."""
    return CODE.sub("", BLOCK.sub("", text.partition(BY_HAND)[2] or text))


def changed_entries(document: Any) -> Iterator[str]:
    """What the entries of a document are about that were measured with other players or rules than today's."""
    for entry in entries(document):
        if "made_of" in entry and entry["made_of"] != _made_of(entry):
            yield entry.get("what") or entry.get("section") or entry["env"]


def changed_pages(mapping: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """A line for each page whose figures are not those that its command wrote, with today's code, players and rules."""
    for name, entry in mapping.items():
        if "command" in entry:
            again = f"run `{entry['command']}`, then keep the page"
            if entry["figures"] != digest_of_figures((ROOT / name).read_text(encoding="utf-8")):
                yield f"{name}: not the figures that its command wrote; {again}"
            if entry["made_of"] != _made_of_page(name, entry):
                yield f"{name}: its code, players or rules changed since; {again}"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=("make", "keep", "render", "check"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="make: groups (all); keep: the file, or pages")
    parser.add_argument("--again", action="store_true", help="with make: also the matches that are up to date")
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.names, arguments.again)
    elif arguments.command == "keep":
        if arguments.names and all(name.endswith(".md") for name in arguments.names):
            for name in arguments.names:
                keep_page(name)
        elif len(arguments.names) == 1:
            keep(arguments.names[0])
        else:
            raise CardgymError("keep takes pages, or one NAME: the file of this folder, without .json, for stdin")
    elif arguments.command == "render":
        for path in pages():
            path.write_text(rendered(path.read_text(encoding="utf-8")), encoding="utf-8")
    elif lines := list(faults()):
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    try:
        main()
    except CardgymError as error:
        sys.exit(f"error: {error}")

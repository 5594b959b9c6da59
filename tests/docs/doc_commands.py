"""The commands that README and docs show, with what the page says they print."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILT = ("_build", "api", "project")
"""Folders of docs/ that `make docs` writes."""
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.relative_to(ROOT).parts[1] not in BUILT),
    *sorted((ROOT / "examples").glob("*/README.md")),
]
PROGRAMS = ("cardgym", "python", "make", "pip", "pytest")
_FENCE = re.compile(r"^```(?P<kind>\w*)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`((?:cardgym [a-z]|python (?:-m|train|benchmarks|tests)|make [a-z])[^`]*)`")
_ELLIPSIS = re.compile(r"\.\.\.(?!/)")


@dataclass(frozen=True)
class Shown:
    """A command on a page.

    Attributes:
        page: the page, from the repository's root.
        line: the command, its comment left out.
        output: the lines below it; empty where the page shows none.
    """

    page: str
    line: str
    output: str = ""

    @property
    def words(self) -> list[str]:
        """The command as a shell splits it."""
        return shlex.split(self.line, comments=True)

    def __str__(self) -> str:
        return f"{self.page}: {self.line}"


def commands() -> list[Shown]:
    """Every command of every page, each once."""
    found: dict[str, Shown] = {}
    for page in PAGES:
        for shown in _on_page(page):
            if shown.line not in found or not found[shown.line].output:
                found[shown.line] = shown
    return list(found.values())


def _on_page(path: Path) -> Iterator[Shown]:
    text = path.read_text(encoding="utf-8")
    page = path.relative_to(ROOT).as_posix()
    for match in _FENCE.finditer(text):
        lines = match["code"].splitlines()
        if match["kind"] in ("", "bash", "console", "sh"):
            prompt = any(line.startswith("$ ") for line in lines)
            for number, line in enumerate(lines):
                if prompt and not line.startswith("$ "):
                    continue
                line = line.removeprefix("$ ")
                if line.split(" ")[0] in PROGRAMS:
                    output = [] if not prompt else _until_prompt(lines[number + 1 :])
                    yield Shown(page, line.split("  #")[0].strip(), "\n".join(output))
    for line in _INLINE.findall(_FENCE.sub("", text)):
        words = " ".join(line.split())
        if not _ELLIPSIS.search(words) and not re.search(r"\b[A-Z]{2,}\b|\[|[<>|]", words):
            yield Shown(page, words)  # Those with placeholders, such as ENV or [--game N], are no commands.


def _until_prompt(lines: list[str]) -> list[str]:
    for number, line in enumerate(lines):
        if line.startswith("$ "):
            return lines[:number]
    return lines

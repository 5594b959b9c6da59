"""The pages of docs/interop, whose examples run as tests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs" / "interop"


def text(page: str) -> str:
    """The page of that name; after a `#`, one section of it."""
    name, _, section = page.partition("#")
    whole = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    if not section:
        return whole
    (found,) = re.findall(rf"^## {section}$(.*?)(?=^## |\Z)", whole, re.DOTALL | re.MULTILINE)
    return str(found)


def blocks(page: str, kind: str = "python") -> list[str]:
    """Its blocks of code of one kind."""
    return re.findall(rf"```{kind}\n(.*?)```", text(page), re.DOTALL)


def run(page: str, changes: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run a page's Python from top to bottom, with some words changed (fewer steps), and return its names."""
    program = "\n".join(blocks(page))
    for words, others in (changes or {}).items():
        assert words in program, f"{page}.md has no {words!r}"
        program = program.replace(words, others)
    names: dict[str, Any] = {"__name__": page}
    exec(compile(program, f"{page}.md", "exec"), names)
    return names

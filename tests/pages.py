"""The code on pages of the docs, which runs as tests."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "interop"


def text(page: str) -> str:
    """A page by its path from the root, or by its name in docs/interop; after a `#`, one section of it."""
    name, _, section = page.partition("#")
    path = ROOT / name if name.endswith(".md") else FOLDER / f"{name}.md"
    whole = path.read_text(encoding="utf-8")
    if not section:
        return whole
    (found,) = re.findall(rf"^## {section}$(.*?)(?=^## |\Z)", whole, re.DOTALL | re.MULTILINE)
    return str(found)


def blocks(page: str, kind: str = "python") -> list[str]:
    """Its blocks of code of one kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```", text(page), re.DOTALL | re.MULTILINE)


def run(page: str, changes: Mapping[str, str] | None = None, holding: str = "") -> dict[str, Any]:
    """Run a page's Python from top to bottom, with some words changed (fewer steps), and return its names.

    With `holding`, only the blocks that hold these words are run.
    """
    program = "\n".join(block for block in blocks(page) if holding in block)
    for words, others in (changes or {}).items():
        assert words in program, f"{page} has no {words!r}"
        program = program.replace(words, others)
    names: dict[str, Any] = {"__name__": page}
    exec(compile(program, page, "exec"), names)
    return names

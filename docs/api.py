"""The API reference: one page per package of cardgym, with a section for each module."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
from collections.abc import Iterator
from pathlib import Path

import cardgym

INTERNAL = tuple(
    f"cardgym.{name}"
    for name in (
        "__main__", "cli", "console", "experiments", "files", "games", "scaling",
        "table.drawings", "table.terminal", "table.web",
    )
)  # fmt: skip
"""Not part of the API. `--help` describes the commands, and each game has its own page."""


def modules() -> Iterator[str]:
    """The names of the modules of the public API."""
    yield "cardgym"
    for module in pkgutil.walk_packages(cardgym.__path__, "cardgym."):
        if not any(part.startswith("_") for part in module.name.split(".")) and not module.name.startswith(INTERNAL):
            yield module.name


def parts() -> dict[str, list[str]]:
    """The modules by package: the first name after `cardgym`, or `cardgym` for top-level modules."""
    found: dict[str, list[str]] = {}
    for name in modules():
        words = name.split(".")
        is_package = len(words) > 2 or hasattr(importlib.import_module(name), "__path__")
        found.setdefault(words[1] if len(words) > 1 and is_package else "cardgym", []).append(name)
    return found


def summary(name: str) -> str:
    """The first paragraph of a module's docstring."""
    return " ".join((importlib.import_module(name).__doc__ or "").strip().split("\n\n")[0].split())


def write_pages(folder: Path) -> None:
    """Write `index.md` and a page for each part into `folder`, replacing its content."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    listed = parts()
    lines = ["# API reference", "", "Everything public, from the docstrings.", ""]
    for part, names in listed.items():
        title = "cardgym" if part == "cardgym" else f"cardgym.{part}"
        lines.append(f"- [`{title}`]({part}.md): {summary(title)}")
        sections = [f"# {title}", ""]
        for name in names:
            sections += [
                f"## {name}",
                "",
                "```{eval-rst}",
                f".. automodule:: {name}",
                "   :members:",
                "   :ignore-module-all:",
                "```",
                "",
            ]
        (folder / f"{part}.md").write_text("\n".join(sections), encoding="utf-8")
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")

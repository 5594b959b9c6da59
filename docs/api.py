"""The API reference: one page per package of cardgym, with a section for each module."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import shutil
from collections.abc import Iterator
from pathlib import Path

import cardgym

START = (
    "cardgym.engine.registry.find",
    "cardgym.engine.registry.register",
    "cardgym.engine.registry.registered",
    "cardgym.errors.CardgymError",
    "cardgym.envs.single.CardEnv",
    "cardgym.envs.vector.CardVectorEnv",
    "cardgym.envs.core.EnvArguments",
    "cardgym.envs.aec.aec_env",
    "cardgym.arena.match.evaluate",
    "cardgym.arena.tournament.runner.tournament",
    "cardgym.arena.transitions.record",
    "cardgym.players.base.Player",
    "cardgym.players.resolver.batched",
    "cardgym.players.resolver.resolve",
    "cardgym.engine.contract.Game",
    "cardgym.solvers.tree.enumerate_tree",
    "cardgym.solvers.best_response.exploitability",
    "cardgym.solvers.cfr.CFR",
    "cardgym.solvers.mccfr.MCCFR",
    "cardgym.solvers.optimum.solve",
)
"""The objects that one starts with."""
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


def named(path: str) -> object:
    """Import the object with a path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def listed(objects: dict[str, str]) -> list[str]:
    """List objects with links and the first lines of their docstrings, by the path at which each is documented."""
    entries = [f"- :obj:`{name} <{path}>`: {_first_line(named(path))}" for path, name in objects.items()]
    return ["```{eval-rst}", *entries, "```", ""]


def _first_line(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")


def handed_on(module: str) -> dict[str, str]:
    """Find the names that a module hands on, by where they are documented."""
    found = {}
    for name in getattr(importlib.import_module(module), "__all__", ()):
        home = getattr(named(f"{module}.{name}"), "__module__", module)
        if home != module and home.startswith("cardgym."):
            found[f"{home}.{named(f'{module}.{name}').__name__}"] = f"{module}.{name}"
    return found


def write_pages(folder: Path) -> None:
    """Write `index.md` and a page for each part into `folder`, replacing its content."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    lines = ["# API reference", "", "Start with these objects:", "", *listed({path: path for path in START})]
    lines += ["Everything public, from the docstrings:", ""]
    for part, names in parts().items():
        title = "cardgym" if part == "cardgym" else f"cardgym.{part}"
        lines.append(f"- [`{title}`]({part}.md): {summary(title)}")
        sections = [f"# {title}", ""]
        for name in names:
            sections += [
                f"## {name}",
                "",
                *(listed(handed_on(name)) if handed_on(name) else []),
                "```{eval-rst}",
                f".. automodule:: {name}",
                "   :members:",
                "   :ignore-module-all:",
                "```",
                "",
            ]
        (folder / f"{part}.md").write_text("\n".join(sections), encoding="utf-8")
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")

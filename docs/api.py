"""The API reference: one page per package of cardgym, with a section for each module."""

from __future__ import annotations

import importlib
import inspect
import shutil
from pathlib import Path

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
MODULES = {
    f"cardgym.{module}": names.split()
    for module, names in {
        "engine.contract": "", "engine.text": "TextView", "envs.aec": "", "envs.gpu": "GpuVectorEnv",
        "envs.single": "", "envs.vector": "CardVectorEnv", "arena.datasets": "record_dataset",
        "players.policy_networks": "", "players.tables": "save_strategy",
        "solvers.best_response": "", "solvers.cfr": "", "solvers.exact": "", "solvers.mccfr": "",
        "solvers.optimum": "policy_of solve Solved solver Solver", "solvers.tree": "", "learn.config": "",
        "learn.distill": "", "learn.dqn": "", "learn.learner": "", "learn.network_training": "NetworkTraining",
        "learn.nfsp": "", "learn.opponents": "", "learn.ppo": "", "learn.ppo_loss": "",
        "learn.replay": "", "learn.rollouts": "", "learn.run": "run_script", "learn.tabular": "", "learn.tags": "",
        "learn.tensorboard": "", "learn.turns": "",
        "interop.open_spiel": "", "interop.openenv": "", "interop.sb3_config": "", "interop.trl": "",
        "interop.verifiers": "", "table.coach.coach": "Coach", "table.coach.review": "review",
        "table.coach.playouts": "Playouts", "table.game_entries": "read_entries", "table.game_log": "GameLog",
        "table.presentation": "", "table.session": "Session is_dealt replay", "table.views": "",
        "testing.golden": "check_golden playthrough",
    }.items()
}  # fmt: skip
"""Modules that programs import, each with the names that are the API; without any, all public ones."""
PACKAGES = tuple(
    f"cardgym{name}"
    for name in ("", ".arena", ".arena.tournament", ".engine.contract", ".envs", ".interop.sb3", ".players", ".testing")
)
"""Packages that hand on names of other modules, which are the API as well."""
ARGUMENTS = {
    "game": "the id of a registered game, or a `Game`",
    "options": "the game's options: an `Options`, a mapping from names to values, or None for the defaults",
    "observations": "what seats see, (rows, size), float32",
    "masks": "the legal actions, (rows, actions), int8 or bool",
    "draws": "numbers of the games' own generators for players that draw, (rows,), float64 from 0 to 1",
    "seed": "a whole number from 0; the same seed gives the same result",
    "generator": "NumPy's random generator",
    "path": "a path to a file, as text or `Path`",
    "folder": "a path to a folder",
    "name": "the name in messages and tables",
    "observation_name": "the name of one of the game's observations; None for its first",
    "config": "the hyper-parameters",
    "training": "the set-up of a run: its game, folder, log and saved state",
    "device": "a device of PyTorch, such as `cpu` or `cuda`",
    "tree": "the game's tree, of `enumerate_tree`",
    "strategy": "a probability for each choice of a tree, (choices,), float64",
    "num_actions": "the number of actions of the game",
    "num_streams": "the number of streams; a stream is one seat of one game",
    "observation_size": "the length of an observation",
    "step": "decisions of the learner so far",
    "state": "a state of the game, one record of its dtype",
    "seat": "the number of a seat, from 0 in the order of play",
    "players": "a player for each seat",
    "spec": "a player: a name, a path, a bot, an object or a mapping from players to weights",
    "gamma": "the discount of a later reward, 0 to 1",
    "num_envs": "how many games are played at once",
    "hidden_sizes": "the units of each hidden layer",
    "temperature": "by what a softmax divides values",
}
"""Arguments that mean one thing wherever they appear; docstrings need not repeat it."""


def shown() -> dict[str, list[str] | None]:
    """The modules of the API, each with the names that it shows; None for its public names."""
    found: dict[str, list[str] | None] = {name: [] for name in PACKAGES}
    found |= {module: list(names) or None for module, names in MODULES.items()}
    for package in PACKAGES:
        for path in handed_on(package):
            home, _, name = path.rpartition(".")
            if (names := found.setdefault(home, [])) is not None and name not in names:
                names.append(name)
    return found


def names_of(module: str) -> list[str]:
    """The functions and classes of a module that the API shows."""
    own = [
        name
        for name, value in vars(importlib.import_module(module)).items()
        if (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == module
    ]
    only = shown()[module]
    return [name for name in own if not name.startswith("_") and (only is None or name in only)]


def parts() -> dict[str, list[str]]:
    """The modules by package: the first name after `cardgym`, or `cardgym` for top-level modules."""
    found: dict[str, list[str]] = {}
    for name in sorted(shown()):
        _, *words = name.split(".")
        found.setdefault(words[0] if len(words) > (name not in PACKAGES) else "cardgym", []).append(name)
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
    short = {home: name for package in reversed(PACKAGES) for home, name in handed_on(package).items()}
    lines = [
        "# API reference",
        "",
        "Start with these objects:",
        "",
        *listed({path: short.get(path, path) for path in START}),
    ]
    lines += ["## Arguments", "", "These arguments have one meaning, which docstrings do not repeat:", ""]
    lines += ["| argument | what it is |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in ARGUMENTS.items())]
    lines += ["", "## Pages", ""]
    everything = shown()
    for part, names in parts().items():
        title = "cardgym" if part == "cardgym" else f"cardgym.{part}"
        lines.append(f"- [`{title}`]({part}.md): {summary(title)}")
        sections = [f"# {title}", "", "[Some arguments](index.md#arguments) are explained once for all pages.", ""]
        for name in names:
            only = everything[name]
            sections += [
                f"## {name}",
                "",
                *(listed(handed_on(name)) if handed_on(name) else []),
                "```{eval-rst}",
                f".. automodule:: {name}",
                *([] if only == [] else [f"   :members: {', '.join(only or ())}", "   :ignore-module-all:"]),
                "```",
                "",
            ]
        (folder / f"{part}.md").write_text("\n".join(sections), encoding="utf-8")
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")

"""Train an agent: run a training script, or a training of a paper, with a config of cardgym or your own.

`cardgym train dqn ...` runs the same file as `python train/dqn.py ...` in a checkout. Hyper-parameters are flags;
`cardgym train NAME --help` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cardgym.cli.flags import first_word, listing
from cardgym.errors import require, unknown
from cardgym.files import shipped
from cardgym.papers.commands import Command, papers

_PACKAGES = {"sb3": ("stable_baselines3", "sb3_contrib")}
"""What a script needs besides the extra `learn`; its own extra brings both."""


def trainings() -> dict[str, Command]:
    """The trainings of papers by name, with `_` for `-` as in the names of scripts."""
    named = {name: command for paper in papers().values() for name, command in paper.commands.items() if command.trains}
    return {name.replace("-", "_"): command for name, command in named.items()}


def main(words: list[str]) -> int:
    scripts, own = shipped.scripts(), trainings()
    word = first_word(words, "cardgym train", "SCRIPT", _help(scripts, own))
    if word is None:
        return 0
    name = word.removesuffix(".py").replace("-", "_")
    if name in scripts:
        require(f"cardgym train {name}", *_PACKAGES.get(name, ()))
        return shipped.run_script(scripts[name], words[1:])
    if name not in own:
        raise unknown("training", word, [*scripts, *own])
    return own[name].run(words[1:])


def _help(scripts: Mapping[str, Path], own: Mapping[str, Command]) -> str:
    lines = {name: shipped.first_line(path) for name, path in scripts.items()}
    lines |= {name: f"{command.help[0].upper()}{command.help[1:]}." for name, command in own.items()}
    configs = "\n".join(f"  {name}" for name in shipped.configs())
    return f"{__doc__}\nscripts:\n{listing(lines)}\n\nconfigs for --config, which also takes your own file:\n{configs}"

"""Train an agent with a config of cardgym or your own.

Hyper-parameters are flags; `cardgym train NAME --help` lists them.
"""

from __future__ import annotations

from cardgym.cli.flags import first_word, listing
from cardgym.errors import unknown
from cardgym.experiments.trainers import TRAINERS, Trainer
from cardgym.files import shipped
from cardgym.papers.commands import Command, papers


def league() -> Trainer:
    """Policy-space response oracles: each generation answers the equilibrium of all players so far."""
    from cardgym.experiments.league import LeagueConfig, train

    return Trainer(LeagueConfig, train)


def trainings() -> dict[str, Command]:
    """Return the trainings of papers by name, with `_` for `-` as in the names of configs."""
    named = {name: command for paper in papers().values() for name, command in paper.commands.items() if command.trains}
    return {name.replace("-", "_"): command for name, command in named.items()}


def main(words: list[str]) -> int:
    trainers, own = {**TRAINERS, "league": league}, trainings()
    lines = {name: (trainer.__doc__ or "").partition("\n")[0] for name, trainer in trainers.items()}
    lines |= {name: f"{command.help[0].upper()}{command.help[1:]}." for name, command in own.items()}
    configs = "\n".join(f"  {name}" for name in shipped.configs())
    help = f"{__doc__}\n{listing(lines)}\n\nconfigs for --config, which also takes your own file:\n{configs}"
    word = first_word(words, "cardgym train", "NAME", help)
    if word is None:
        return 0
    name = word.removesuffix(".py").replace("-", "_")
    if name in trainers:
        return trainers[name]().run(name, words[1:])
    if name not in own:
        raise unknown("training", word, lines)
    return own[name].run(words[1:])

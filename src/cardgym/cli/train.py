"""Train an agent with a config of cardgym or your own.

Hyper-parameters are flags; `cardgym train NAME --help` lists them.
"""

from __future__ import annotations

from collections.abc import Callable

from cardgym.cli.dispatch import listing
from cardgym.cli.flags import first_word
from cardgym.errors import unknown
from cardgym.experiments.trainers import TRAINERS, Trainer
from cardgym.files import shipped
from cardgym.papers.commands import TRAINERS as OF_PAPERS


def league() -> Trainer:
    """Policy-space response oracles: each generation answers the equilibrium of all players so far."""
    from cardgym.experiments.league import LeagueConfig, train

    return Trainer(LeagueConfig, train)


def trainers() -> dict[str, Callable[[], Trainer]]:
    """Return all trainings by name: those of sweeps, leagues, and those of papers."""
    return {**TRAINERS, "league": league, **OF_PAPERS}


def main(words: list[str]) -> int:
    known = trainers()
    lines = {name: (trainer.__doc__ or "").partition("\n")[0] for name, trainer in known.items()}
    configs = "\n".join(f"  {name}" for name in shipped.configs())
    help = f"{__doc__}\n{listing(lines)}\n\nconfigs for --config, which also takes your own file:\n{configs}"
    word = first_word(words, "cardgym train", "NAME", help)
    if word is None:
        return 0
    name = word.removesuffix(".py").replace("-", "_")
    if name not in known:
        raise unknown("training", word, lines)
    is_script = name == "league" or name in TRAINERS  # Papers have none in train/.
    return known[name]().run(f"{name}.py" if is_script else f"cardgym train {name}", words[1:])

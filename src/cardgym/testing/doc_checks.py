"""The check of a game's documentation against its code."""

from __future__ import annotations

import dataclasses

from cardgym.engine.contract import Game, feature_table
from cardgym.testing.driver import expect

HEADINGS = (
    "Description",
    "Action Space",
    "Observation Space",
    "Starting State",
    "Rewards",
    "Episode End",
    "Information",
    "Arguments",
    "References",
    "Version History",
)
"""The headings of an env's documentation at Gymnasium."""


def check_doc(game: Game) -> None:
    """The documentation has Gymnasium's headings, every option, and the features of every observation."""
    doc = game.documentation
    lines = [" ".join(line.split()) for line in doc.splitlines()]
    headings = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    missing = [heading for heading in HEADINGS if heading not in headings]
    expect(not missing, f"{game.id}: the documentation has no heading {', '.join(missing)}")
    options = game.parse_options()
    for spec in dataclasses.fields(game.options):
        expect(
            f"`{spec.name}`" in doc,
            f"{game.id}: the documentation does not name the option `{spec.name}`",
        )
    for name, observation in game.observations.items():
        named = len(game.observations) == 1 or f'obs="{name}"' in doc
        expect(named, f'{game.id}: the documentation does not name obs="{name}"')
        if observation.discrete is not None:
            space = f"Discrete({observation.discrete(options)})"
            expect(space in doc, f"{game.id}: the documentation does not say that {name!r} is {space}")
            continue
        for row in feature_table(observation.features(options)).splitlines():
            line = " ".join(row.split())
            expect(line in lines, f"{game.id}: the documentation of {name!r} has no row {line!r}")

"""The documentation of a game under Gymnasium's headings; what its author left out is generated from its parts."""

from __future__ import annotations

import dataclasses
from typing import Any

from cardgym.engine.observations import feature_table
from cardgym.engine.options import allowed_values


def documented(game: Any) -> str:
    """The `doc` of a `Game` with all headings of Gymnasium's env pages; missing sections come from its parts."""
    title, _, rest = game.doc.strip().partition("\n")
    written = rest.strip() if "## Description" in rest else f"## Description\n{rest.strip() or title}"
    options = game.parse_options()
    spaces = []
    for name, observation in game.observations.items():
        if observation.discrete is not None:
            spaces.append(f'`obs="{name}"`: `Discrete({observation.discrete(options)})`.')
            continue
        size, table = observation.size(options), feature_table(observation.features(options))
        spaces.append(f'`obs="{name}"`: a `Box` of {size} float32.\n\n```\n{table}\n```')
    names = ", ".join(f"{action} {name}" for action, name in enumerate(game.action_names))
    arguments = [
        f"- `{spec.name}`: {allowed_values(spec)}; {spec.metadata['help']}." for spec in dataclasses.fields(options)
    ]
    keys = ", `info_state_key`" if game.state_index.has_indices else ""
    sections = {
        "Action Space": f"`Discrete({game.actions(options)})`{': ' + names if names else ''}.",
        "Observation Space": "\n\n".join(spaces),
        "Starting State": "Chance moves up to the first decision.",
        "Rewards": f"What each move pays, in {game.unit}.",
        "Episode End": "By the rules, or by an illegal action, which forfeits the game.",
        "Information": f"`action_mask`{keys}.",
        "Arguments": "\n".join(arguments) or "None.",
        "References": "None.",
        "Version History": "- v0: first version.",
    }
    added = [f"## {heading}\n{text}" for heading, text in sections.items() if f"## {heading}" not in written]
    return "\n\n".join([title, written, *added]) + "\n" if added else game.doc

"""Sets of options for the checks."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

from cardgym.engine.contract import Game, Options
from cardgym.engine.declarations import possible_values
from cardgym.errors import CardgymError


def option_cases(game: Game, limit: int = 12) -> list[Options]:
    """Return up to `limit` sets of options: the defaults, then others in which each option takes its values in turn.

    Numeric options with a wide range stay near their minimum or default, so that games are short. Invalid combinations
    are left out.
    """
    first = game.parse_options()
    values: dict[str, list[Any]] = {}
    for spec in dataclasses.fields(game.options):
        default = getattr(first, spec.name)
        others = possible_values(spec)
        if len(others) > 8 and "choices" not in spec.metadata:
            others = [*others[:2], min(default + spec.metadata["step"], spec.metadata["high"])]
        values[spec.name] = [default, *(value for value in others if value != default)]
    cases: list[Options] = [first]
    for number in range(1, 4 * limit):
        if len(cases) == limit:
            break
        chosen, stride_of = {}, dict.fromkeys(map(len, values.values()), 1)
        for name, allowed in values.items():
            chosen[name] = allowed[number // stride_of[len(allowed)] % len(allowed)]
            stride_of[len(allowed)] *= len(allowed)
        with contextlib.suppress(CardgymError):
            case = game.options(**chosen)
            if case not in cases:
                cases.append(case)
    return cases

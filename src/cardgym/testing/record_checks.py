"""Checks of a game's record and of its options. Each raises `ContractError` where the contract is broken."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.testing.driver import expect


def check_record(game: Game, cases: Iterable[Options]) -> None:
    """The record holds `num_players`, `paid` and every option; no field has the name of an attribute of a record."""
    taken = set(dir(np.zeros(1, [("x", np.int8)]).view(np.recarray)[0])) - {"x"}
    for name in game.state.names or ():
        expect(name not in taken, f"{game.id}: the field {name!r} has the name of an attribute of np.record; rename it")
    for name in ("num_players", "paid"):
        expect(name in (game.state.names or ()), f"{game.id}: the record has no field {name!r}")
    for options in cases:
        expect(options.num_players <= game.max_players, f"{game.id}: {options} has more seats than `paid` has numbers")
        written = _written(game, options)
        for spec in dataclasses.fields(options):
            other = _another_value(options, spec)
            if other is not None:
                expect(
                    _written(game, other).tobytes() != written.tobytes(),
                    f"{game.id}: option {spec.name} is not in the record: {getattr(options, spec.name)!r} and "
                    f"{getattr(other, spec.name)!r} write the same",
                )


def _written(game: Game, options: Options) -> npt.NDArray[Any]:
    states: npt.NDArray[Any] = np.zeros(1, game.state)
    options.write(states.view(np.recarray)[0])
    return states


def _another_value(options: Options, spec: dataclasses.Field[Any]) -> Options | None:
    value = getattr(options, spec.name)
    if "choices" in spec.metadata:
        others = [choice for choice in spec.metadata["choices"] if choice != value]
    else:
        low, high, step = (spec.metadata[key] for key in ("low", "high", "step"))
        others = [number for number in (value - step, value + step) if low <= number <= high]
    for other in others:
        try:
            return dataclasses.replace(options, **{spec.name: other})
        except CardgymError:
            continue
    return None


def check_options(game: Game) -> None:
    """Every value that an option does not allow is refused in one line that names what is allowed; so is an unknown
    option, with the nearest name."""
    default = game.parse_options()
    for spec in dataclasses.fields(game.options):
        refused, allowed = _values_to_refuse(spec)
        if "choices" not in spec.metadata:
            same = game.options.parse({**default.asdict(), spec.name: str(getattr(default, spec.name))})
            expect(same == default, f"{game.id}: option {spec.name} is not understood as a word of the command line")
        for value in refused:
            message = _refusal(game, {spec.name: value})
            expect(message is not None, f"{game.id}: option {spec.name}={value!r} is accepted")
            missing = [word for word in (spec.name, *allowed) if word not in str(message)]
            expect(
                not missing and "\n" not in str(message),
                f"{game.id}: the error for {spec.name}={value!r} is not one line that names {missing}: {message}",
            )
        message = _refusal(game, {spec.name + "x": 1})
        expect(
            message is not None and f"did you mean {spec.name!r}" in message,
            f"{game.id}: the error for the unknown option {spec.name + 'x'!r} does not name the nearest: {message}",
        )


def _values_to_refuse(spec: dataclasses.Field[Any]) -> tuple[list[Any], list[str]]:
    """Values that the option must refuse, and words that the error must hold."""
    bad: list[Any] = [None, [], "", "no such word", float("nan"), 0.5, b"x"]
    if "choices" in spec.metadata:
        allowed = [str(choice) for choice in spec.metadata["choices"]]
        words = {*allowed, *spec.metadata["aliases"]}
        return bad + [
            value for value in (0, True, allowed[0].upper() + "x") if str(value).lower() not in words
        ], allowed
    low, high, step = (spec.metadata[key] for key in ("low", "high", "step"))
    bad += [low - step, high + step, low - 1, 10**30, -(10**30), True, float("inf"), f"{high}0000"]
    return bad + ([low + 1] if step > 1 else []), [str(low), str(high)]


def _refusal(game: Game, values: dict[str, Any]) -> str | None:
    try:
        game.parse_options(values)
    except CardgymError as error:
        return str(error)
    return None

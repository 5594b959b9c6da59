"""A game's options: whole numbers and words, checked, and written into the record."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from cardgym.errors import CardgymError, unknown

State = Any
"""One state: an `np.record` where the rules are interpreted, a Numba record where they are compiled."""


def number(default: int, low: int, high: int, help: str, *, step: int = 1, allowed: str = "") -> Any:
    """An option that is a whole number from `low` to `high`, in steps of `step`.

    `allowed` says in words which values are allowed, where other options narrow them down.
    """
    return field(default=default, metadata={"low": low, "high": high, "step": step, "help": help, "allowed": allowed})


def choice(*choices: str, help: str, aliases: Mapping[str, str] | None = None) -> Any:
    """An option that is one of several words, the first by default. The record holds its position among them.

    `aliases` maps further words, in lower case, to the choices; a value that is not a string (0, True) is read as it
    prints.
    """
    return field(default=choices[0], metadata={"choices": choices, "help": help, "aliases": aliases or {}})


@dataclass(frozen=True)
class Options:
    """A game's options. A subclass adds fields made by `number` and `choice`, and `num_players` as one or a constant.

    Raises `CardgymError` for a value that an option does not allow.
    """

    num_players: ClassVar[int] = 2

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            object.__setattr__(self, spec.name, _checked(spec, getattr(self, spec.name)))

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        """Options from names and values, as keyword arguments or the command line give them."""
        known = [spec.name for spec in dataclasses.fields(cls)]
        for name in values:
            if name not in known:
                raise unknown("option", name, known)
        return cls(**values)

    def write(self, state: State) -> None:
        """Write every option, and the number of players, into the fields of that name of `state`."""
        state.num_players = self.num_players
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            setattr(
                state,
                spec.name,
                spec.metadata["choices"].index(value) if "choices" in spec.metadata else value,
            )

    @classmethod
    def read(cls, state: State) -> Self:
        """The options that `write` wrote into `state`; for a class that does not override `write`."""
        values = {}
        for spec in dataclasses.fields(cls):
            value = int(state[spec.name])
            values[spec.name] = spec.metadata["choices"][value] if "choices" in spec.metadata else value
        return cls(**values)

    def asdict(self) -> dict[str, int | str]:
        """The options as plain values."""
        return dataclasses.asdict(self)


def allowed_values(spec: dataclasses.Field[Any]) -> str:
    """The values that an option allows, in words, such as `2 to 8`."""
    about = spec.metadata
    if "choices" in about:
        return " or ".join(about["choices"])
    step = f", in steps of {about['step']}" if about["step"] > 1 else ""
    return about["allowed"] or f"{about['low']} to {about['high']}{step}"


def _checked(spec: dataclasses.Field[Any], value: Any) -> int | str:
    choices = spec.metadata.get("choices")
    if choices is not None:
        word = spec.metadata["aliases"].get(str(value).lower(), str(value))
        if word not in choices:
            raise CardgymError(f"option {spec.name}={value!r}: allowed are {', '.join(choices)}")
        return str(word)
    low, high, step = (spec.metadata[key] for key in ("low", "high", "step"))
    try:
        whole = int(value)
        exact = not isinstance(value, float) or whole == value
    except (TypeError, ValueError, OverflowError):
        whole, exact = 0, False
    if not exact or isinstance(value, bool) or not low <= whole <= high or (whole - low) % step:
        steps = "" if step == 1 else f" in steps of {step}"
        raise CardgymError(f"option {spec.name}={value!r}: allowed are whole numbers from {low} to {high}{steps}")
    return whole

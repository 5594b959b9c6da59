"""A game's options: integers and words, validated and written into the state."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from cardgym.errors import CardgymError, unknown

State = Any
"""A state: an `np.record` in interpreted rules, a Numba record in compiled rules."""


def number(default: int, low: int, high: int, help: str, *, step: int = 1, allowed: str = "") -> Any:
    """An integer option from `low` to `high`, in steps of `step`.

    `allowed` describes the allowed values in words if other options restrict them.
    """
    return field(default=default, metadata={"low": low, "high": high, "step": step, "help": help, "allowed": allowed})


def choice(*choices: str, help: str, aliases: Mapping[str, str] | None = None) -> Any:
    """An option with several words as values, the first by default. The state stores the position of the word.

    `aliases` maps other words, in lower case, to the choices. Values such as 0 or True are converted by `str` first.
    """
    return field(default=choices[0], metadata={"choices": choices, "help": help, "aliases": aliases or {}})


@dataclass(frozen=True)
class Options:
    """A game's options. A subclass adds fields by `number` and `choice`; `num_players` is one of them or a constant.

    Raises:
        CardgymError: for a value that an option does not allow.
    """

    num_players: ClassVar[int] = 2

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            object.__setattr__(self, spec.name, _checked(spec, getattr(self, spec.name)))

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        """Options from names and values, from keyword arguments or the command line; unknown names are errors."""
        known = [spec.name for spec in dataclasses.fields(cls)]
        for name in values:
            if name not in known:
                raise unknown("option", name, known)
        return cls(**values)

    def write(self, state: State) -> None:
        """Write every option and the number of players into the fields of `state` with the same names."""
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
    """The allowed values of an option in words, such as `2 to 8`."""
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


PAYMENT_OPTION = "reward"
"""By convention, an option of this name changes only what is paid, not what a player sees or may do."""


def options_that_count(options: Options) -> dict[str, int | str]:
    """The options that a saved player and its games must share: all but what is paid."""
    values = {"num_players": options.num_players, **options.asdict()}
    return {name: value for name, value in values.items() if name != PAYMENT_OPTION}

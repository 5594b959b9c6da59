"""What a game declares: options, observations with their features, and the documentation made from them."""

from __future__ import annotations

import dataclasses
import hashlib
import textwrap
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.digest import keeps_results
from cardgym.errors import CardgymError, unknown

State = Any
"""A state: an `np.record` in interpreted rules, a Numba record in compiled rules."""

# -- options -----------------------------------------------------------------------------------------------------------


def number(default: int, low: int, high: int, help: str, *, step: int = 1, allowed: str = "") -> Any:
    """Return an integer option from `low` to `high`, in steps of `step`, by default `default`.

    `help` says what the option is. `allowed` describes the allowed values in words if other options restrict them.
    """
    return field(default=default, metadata={"low": low, "high": high, "step": step, "help": help, "allowed": allowed})


def choice(*choices: str, help: str, aliases: Mapping[str, str] | None = None) -> Any:
    """Return an option with several words as values, the first by default. The state stores the position of the word.

    `help` says what the option is. `aliases` maps other words, in lower case, to the choices. Values such as 0 or True
    are converted by `str` first.
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
        """Return options of names and values, of arguments or the command line; raise `CardgymError` for bad ones."""
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
            setattr(state, spec.name, possible_values(spec).index(value) if "choices" in spec.metadata else value)

    @classmethod
    def read(cls, state: State) -> Self:
        """Return the options that `write` wrote into `state`; for a class that does not override `write`."""
        values = {}
        for spec in dataclasses.fields(cls):
            value = int(state[spec.name])
            values[spec.name] = possible_values(spec)[value] if "choices" in spec.metadata else value
        return cls(**values)

    def asdict(self) -> dict[str, int | str]:
        """Return the options as plain values."""
        return dataclasses.asdict(self)


def possible_values(spec: dataclasses.Field[Any]) -> Sequence[Any]:
    """Return the values of an option: its words, or its numbers in ascending order."""
    about = spec.metadata
    return about["choices"] if "choices" in about else range(about["low"], about["high"] + 1, about["step"])


def allowed_values(spec: dataclasses.Field[Any]) -> str:
    """Return the allowed values of an option in words, such as `2 to 8`."""
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
    try:
        whole = int(value)
        exact = not isinstance(value, float) or whole == value
    except (TypeError, ValueError, OverflowError):
        whole, exact = 0, False
    if not exact or isinstance(value, bool) or whole not in possible_values(spec):
        raise CardgymError(f"option {spec.name}={value!r}: allowed are whole numbers from {allowed_values(spec)}")
    return whole


PAYMENT_OPTION = "reward"
"""By convention, an option of this name changes only what is paid, not what a player sees or may do."""


def options_that_count(options: Options) -> dict[str, int | str]:
    """Return the options that a saved player and its games must share: all but what is paid."""
    values = {"num_players": options.num_players, **options.asdict()}
    return {name: value for name, value in values.items() if name != PAYMENT_OPTION}


# -- observations ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Feature:
    """A named group of `size` numbers in an observation, each from `low` to `high`.

    With a `scale`, they are what `meaning` says divided by it; in words they are multiplied by it again.
    """

    name: str
    meaning: str
    size: int = 1
    low: float = 0.0
    high: float = 1.0
    scale: float = 1.0

    def in_words(self, values: npt.NDArray[np.float32]) -> str:
        """Return `values`, (size,), as people read them.

        "one-hot: own card, jack, queen" reads "Own card: jack"; "own bet, the other's bet" reads a line each. Other
        meanings follow the numbers.
        """
        if self.meaning.startswith("one-hot: ") and self.meaning.count(", ") == self.size:
            name, *labels = self.meaning.removeprefix("one-hot: ").split(", ")
            shown = [label for label, value in zip(labels, values, strict=True) if value]
            return f"{_capital(name)}: {', '.join(shown) or 'none'}"
        names, numbers = self.meaning.split(", "), [f"{float(value) * self.scale:.4g}" for value in values]
        if len(names) == self.size:
            return "\n".join(f"{_capital(name)}: {number}" for name, number in zip(names, numbers, strict=True))
        return f"{_capital(self.name)}: {' '.join(numbers)} ({self.meaning})"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


@keeps_results
@cache
def _size(features: Callable[[Any], tuple[Feature, ...]], options: Options) -> int:
    return sum(feature.size for feature in features(options))


@dataclass(frozen=True)
class Observation:
    """An encoding of what a seat knows.

    `write(state, seat, out)` fills `out`, (size,) float32, in the order of `features(options)`. An observation with
    `discrete` set is a single integer below `discrete(options)`, shown as a `Discrete` space.
    """

    write: Callable[[State, int, npt.NDArray[np.float32]], None]
    features: Callable[[Any], tuple[Feature, ...]]
    discrete: Callable[[Any], int] | None = None

    def size(self, options: Options) -> int:
        """Return the length of the observation."""
        return _size(self.features, options)

    def bounds(self, options: Options) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return the lowest and the highest observation, (size,), float32."""
        features = self.features(options)
        low = np.concatenate([np.full(feature.size, feature.low, np.float32) for feature in features])
        high = np.concatenate([np.full(feature.size, feature.high, np.float32) for feature in features])
        return low, high

    def digest(self, options: Options) -> str:
        """Return a short digest of the features; checkpoints with the same digest have the same inputs."""
        text = repr([(row.name, row.size, row.low, row.high) for row in self.features(options)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def offsets(features: tuple[Feature, ...]) -> dict[str, int]:
    """Return the index at which each of the `features` starts in the observation, by name."""
    places, start = {}, 0
    for feature in features:
        places[feature.name] = start
        start += feature.size
    return places


def places(features: tuple[Feature, ...]) -> Any:
    """Return the `offsets` of `features` as a named tuple: in compiled code `PLACES.hand` is a constant."""
    starts = offsets(features)
    return namedtuple("Places", starts)(**starts)


def feature_table(features: tuple[Feature, ...]) -> str:
    """Return the features as a text table, for docstrings and pages."""
    lines, start = [], 0
    for feature in features:
        index = str(start) if feature.size == 1 else f"{start}..{start + feature.size - 1}"
        meaning = feature.meaning if feature.scale == 1.0 else f"{feature.meaning} / {feature.scale:g}"
        lines.append(f"{index:<9} {feature.name:<22}[{feature.low:g}, {feature.high:g}]  {meaning}")
        start += feature.size
    return "\n".join(lines)


@keeps_results
@cache
def documented(game: Any) -> str:
    """Return the `doc` of a `Game`, with every section of Gymnasium's env pages; missing ones are generated.

    In `doc`, `{NAME}` is replaced by the feature table of the observation of that name. Rows that it shares with the
    start of an earlier one are left out. `{actions}` is replaced by the number of actions, and `{defaults}` by the
    options' defaults.
    """
    text = _filled(game)
    title, _, rest = text.strip().partition("\n")
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
    return "\n\n".join([title, written, *added]) + "\n" if added else text


def _filled(game: Any) -> str:
    options = game.parse_options()
    defaults = ", ".join(f"{name}={value}" for name, value in options.asdict().items())
    text = game.doc.replace("{actions}", str(game.actions(options))).replace("{defaults}", textwrap.fill(defaults, 118))
    known: dict[str, tuple[Feature, ...]] = {}
    for name in game.observations if "{" in text else ():
        features = game.observation(name).features(options)
        rows = feature_table(features).splitlines()
        alike = {other: _leading(features, earlier) for other, earlier in known.items()}
        most = max(alike, key=lambda other: alike[other], default="")
        shared = alike.get(most, 0)
        if shared >= _SHARED:
            end = sum(feature.size for feature in features[:shared]) - 1
            rows[:shared] = [] if known[most] == features[:shared] else [f'{f"0..{end}":<9} as in `obs="{most}"`']
        text = text.replace(f"{{{name}}}", "\n".join(rows))
        known[name] = features
    return str(text)


_SHARED = 3
"""Observations that begin with as many features of an earlier one refer to it."""


def _leading(features: tuple[Feature, ...], earlier: tuple[Feature, ...]) -> int:
    """Return how many leading features two observations share."""
    pairs = enumerate(zip(features, earlier, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(features), len(earlier)))


def checkpoint_metadata(game: Any, options: Options, observation_name: str) -> dict[str, Any]:
    """Return what is saved with a player of this `Game`, options and observation, as plain values.

    The keys are `env`, `options`, `observation` (its name) and `features` (the digest of its features).
    """
    return {
        "env": game.id,
        "options": options_that_count(options),
        "observation": observation_name,
        "features": game.observation(observation_name).digest(options),
    }

"""The contract: what a game must define.

A state is one NumPy structured record; the rules are a handful of small functions over it, which Numba compiles. Chance
is a move: at a chance node a game says how many equally likely outcomes there are, and `apply` plays one of them. So
the same rules are sampled by an env, enumerated by a solver and replayed from a list of moves.

A game file imports nothing of cardgym but this contract, and holds no randomness, no clock and no global that changes.
Everything written over it (envs, arena, learners, play, the tests) takes the `Game` at its end.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from cardgym.compilation import rule, sources_of
from cardgym.errors import CardgymError, unknown
from cardgym.generator import Generator, uniform, uniform_float

__all__ = [
    "Encoding",
    "Feature",
    "Game",
    "Generator",
    "Options",
    "Record",
    "choice",
    "feature_table",
    "number",
    "rule",
    "uniform",
    "uniform_float",
]

Record = Any
"""One state: an `np.record` where the rules are interpreted, a Numba record where they are compiled."""


# -- options ----------------------------------------------------------------------------------------------------------


def number(default: int, low: int, high: int, help: str, *, step: int = 1) -> Any:
    """An option that is a whole number from `low` to `high`, in steps of `step`."""
    return field(default=default, metadata={"low": low, "high": high, "step": step, "help": help})


def choice(*choices: str, help: str, aliases: Mapping[str, str] | None = None) -> Any:
    """An option that is one of some words, the first by default. The record holds its place among them.

    `aliases` are other words for them, in lower case; what is not a word (0, True) is read as it is written.
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
        """Options from names and values, as a keyword argument or a word of the command line gives them."""
        known = [spec.name for spec in dataclasses.fields(cls)]
        for name in values:
            if name not in known:
                raise unknown("option", name, known)
        return cls(**values)

    def write(self, state: Record) -> None:
        """Write every option, and the number of players, into the fields of that name of `state`."""
        state.num_players = self.num_players
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            setattr(
                state,
                spec.name,
                spec.metadata["choices"].index(value) if "choices" in spec.metadata else value,
            )

    def asdict(self) -> dict[str, int | str]:
        """The options as plain values."""
        return dataclasses.asdict(self)


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


# -- observations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Feature:
    """One row of an observation table: `size` numbers, each from `low` to `high`."""

    name: str
    meaning: str
    size: int = 1
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Encoding:
    """One way to turn what a seat knows into numbers.

    `write(state, seat, out)` fills `out`, float32 of as many numbers as `table(options)` has. An encoding with
    `discrete` set is a single whole number below `discrete(options)` instead, shown as a `Discrete` space.
    """

    write: Callable[[Record, int, npt.NDArray[np.float32]], None]
    table: Callable[[Any], tuple[Feature, ...]]
    discrete: Callable[[Any], int] | None = None

    def size(self, options: Options) -> int:
        """How many numbers the observation holds."""
        return sum(feature.size for feature in self.table(options))

    def bounds(self, options: Options) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The lowest and the highest observation, float32."""
        table = self.table(options)
        low = np.concatenate([np.full(row.size, row.low, np.float32) for row in table])
        high = np.concatenate([np.full(row.size, row.high, np.float32) for row in table])
        return low, high

    def digest(self, options: Options) -> str:
        """A short digest of the observation table: two checkpoints with the same one read the same numbers."""
        text = repr([(row.name, row.size, row.low, row.high) for row in self.table(options)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def feature_table(features: tuple[Feature, ...]) -> str:
    """The observation table as text, one row a feature, as it stands in the docstrings."""
    lines, at = [], 0
    for row in features:
        index = str(at) if row.size == 1 else f"{at}..{at + row.size - 1}"
        lines.append(f"{index:<10}{row.name:<22}[{row.low:g}, {row.high:g}]  {row.meaning}")
        at += row.size
    return "\n".join(lines)


# -- parts that a game may leave out ----------------------------------------------------------------------------------


@rule
def no_code(state: Record, seat: int) -> int:
    """The code of a game that has none."""
    return -1


@rule
def one_deal(state: Record) -> int:
    """The deal of a game that is dealt once."""
    return 0


@rule
def lose_one(state: Record, seat: int) -> float:
    """What giving up costs in a game of plus and minus one."""
    return -1.0


@rule
def reward_field(state: Record, out: npt.NDArray[np.float64]) -> None:
    """Add what the last transition paid each seat, from the field `reward`."""
    for seat in range(state.num_players):
        out[seat] += state.reward[seat]


@rule
def no_symmetry(state: Record) -> None:
    """A state of a game whose rules have no symmetry stands for itself only."""


def no_deck(state: Record, deck: Sequence[int]) -> None:
    """Of a game that deals by the seed alone."""
    raise CardgymError("this game cannot be dealt a chosen deck: leave `deck` out of reset's options")


# -- the game ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Game:
    """A game's rules and what else is known of it. All compiled functions are made by `rule`.

    Attributes:
        id: the id it is registered under, such as `CorellianSpike-v0`.
        doc: the env's documentation, under Gymnasium's headings.
        state: the record's dtype. It holds every option by name, `num_players` (int32), and `reward`, float32 of one
            number a seat: what the last transition paid. `reward` is no part of what a state is.
        options: the frozen dataclass of the options.
        num_actions: how many actions there are, legal or not, under the id's own options.
        count_actions: `count_actions(options)`: how many there are under other options, if not always as many.
        encodings: the observations by name; the first is the default.
        setup: `setup(state)`: the start, before any chance, from the options in the record.
        outcomes: `outcomes(state)`: how many equally likely chance outcomes come now; 0 at a decision or at the end.
        actor: `actor(state)`: the seat to decide; -1 at the end. Asked only where `outcomes` is 0.
        legal: `legal(state, mask)`: fill `mask`, int8 of `actions(options)` numbers, for the seat to decide.
        apply: `apply(state, move)`: play an action, or chance outcome number `move`; set `reward`.
        rewards: `rewards(state, out)`: add to `out`, float64 of one number a seat, what the last transition paid;
            it reads the field `reward` unless told otherwise.
        describe: `describe(state, seat)`: the table as that seat sees it, for a person. Plain Python.
        action_text: `action_text(state, action)`: an action in words. Plain Python.
        resample: `resample(state, seat, generator)`: draw anew, uniformly over what `seat` holds possible from the
            cards alone, everything it cannot see.
        narrate: `narrate(before, move, after, seat)`: what a transition looked like from that seat; empty if nothing
            was to be seen. Plain Python.
        code: `code(state, seat)`: a whole number that stands for what the seat knows, for tables and for
            `info["state_code"]`; `index` numbers the same codes from 0.
        index: `index(state, seat)`: the place of the state in a table of `num_indices(options)`; 0 is the end.
        num_indices: how long such a table is; 0 if the game has no such index.
        codes: `codes(options)`: the codes of all indices in order, int64.
        deal: `deal(state)`: which deal of the game this is. Chance in a deal depends on the seed and on what was
            played in that deal only, so that players can be compared on the same cards.
        forfeit: `forfeit(state, seat)`: the reward of a seat that gives the game up now (by an illegal action).
        players: compiled players by name: `player(state, seat, mask, generator)` returns a legal action. One may look
            only at what the seat can know; the contract tests resample the rest and expect the same action.
        tables: players that are a table of actions by name: `table(options)` returns int8 actions by index.
        outside: players asked from outside the kernel, by name: `outside(options)` makes one that is shown its seat's
            observation and mask only; see `cardgym.players.base.OutsidePlayer`.
        won: `won(state, seat)`: the share of the game, or how many of its hands, the seat has won at the end.
        contests: `contests(state)`: what `won` sums to over the seats: 1 for a game, hands played for a game of hands.
        extra: further figures of a finished game for the arena's report, by name: `figure(state, seat)`. The arena
            reports a mean a game, and for a name that ends in `_games` (0 or 1 in each game) how many games it was.
        canonical: `canonical(state)`: rewrite the state as the one that stands for all those that differ from it by a
            symmetry of the rules only, such as the names of the suits. Solvers count and solve fewer states with it.
        names: `names(options)`: what policy files call all indices in order; their codes unless told. Plain Python.
        defaults: options that differ under this id from the dataclass's defaults (one game under two ids).
        stack_deck: `stack_deck(state, deck)`: let the next game set up in this record be dealt from a chosen deck;
            `CardgymError` for an impossible one. Plain Python.
        conserved: `conserved(state)`: numbers that every move must leave unchanged (cards, credits), for the tests.
            Plain Python.
    """

    id: str
    doc: str
    state: np.dtype[Any]
    options: type[Options]
    num_actions: int
    encodings: Mapping[str, Encoding]
    setup: Callable[[Record], None]
    outcomes: Callable[[Record], int]
    actor: Callable[[Record], int]
    legal: Callable[[Record, npt.NDArray[np.int8]], None]
    apply: Callable[[Record, int], None]
    describe: Callable[[Record, int], str]
    action_text: Callable[[Record, int], str]
    resample: Callable[[Record, int, Generator], None]
    won: Callable[[Record, int], float]
    contests: Callable[[Record], float]
    conserved: Callable[[Record], tuple[int, ...]]
    narrate: Callable[[Record, int, Record, int], str]
    rewards: Callable[[Record, npt.NDArray[np.float64]], None] = reward_field
    code: Callable[[Record, int], int] = no_code
    index: Callable[[Record, int], int] = no_code
    num_indices: Callable[[Any], int] | None = None
    codes: Callable[[Any], npt.NDArray[np.int64]] | None = None
    deal: Callable[[Record], int] = one_deal
    forfeit: Callable[[Record, int], float] = lose_one
    players: Mapping[str, Callable[..., int]] = field(default_factory=dict)
    tables: Mapping[str, Callable[[Any], npt.NDArray[np.int8]]] = field(default_factory=dict)
    outside: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    extra: Mapping[str, Callable[[Record, int], float]] = field(default_factory=dict)
    canonical: Callable[[Record], None] = no_symmetry
    names: Callable[[Any], list[str]] | None = None
    defaults: Mapping[str, int | str] = field(default_factory=dict)
    count_actions: Callable[[Any], int] | None = None
    stack_deck: Callable[[Record, Sequence[int]], None] = no_deck

    @property
    def max_players(self) -> int:
        """The most seats the record has room for."""
        return int(self.state["reward"].shape[0])

    @property
    def default_encoding(self) -> str:
        """The observation that an env shows unless asked otherwise."""
        return next(iter(self.encodings))

    @property
    def sources(self) -> tuple[Path, ...]:
        """The files of the rules, where they lie outside the package: compiled code depends on them."""
        own = [getattr(self, spec.name) for spec in dataclasses.fields(self)]
        written = [encoding.write for encoding in self.encodings.values()]
        return sources_of([*(value for value in own if callable(value)), *written, *self.players.values()])

    def actions(self, options: Options) -> int:
        """How many actions there are, legal or not."""
        return self.num_actions if self.count_actions is None else self.count_actions(options)

    def encoding(self, name: str) -> Encoding:
        """The observation of that name, or an error that names the nearest."""
        if name not in self.encodings:
            raise unknown("observation", name, self.encodings)
        return self.encodings[name]

    def new_record(self, options: Options) -> np.recarray[Any, Any]:
        """A batch of one record with the options written and no game set up yet."""
        batch = np.zeros(1, self.state).view(np.recarray)
        options.write(batch[0])
        return batch

    def new_state(self, options: Options) -> np.recarray[Any, Any]:
        """A batch of one record with the options written and the game set up."""
        batch = self.new_record(options)
        self.setup(batch[0])
        return batch

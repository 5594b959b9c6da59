"""The contract: what a game must define.

A state is one element of a NumPy structured array; the rules are a few small functions of it, which Numba compiles.
Chance is a move: at a chance node the rules return the number of equally likely outcomes, and `apply_action` plays one.
So an env can sample the rules, a solver can enumerate them, and a list of moves can be replayed.

A game's rules, observations and texts import only this module from cardgym, and use no randomness, no clock and no
mutable globals. Everything else (envs, arena, learners, table, tests) takes a `Game`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.declarations import (
    Feature,
    Observation,
    Options,
    State,
    choice,
    documented,
    feature_table,
    number,
    offsets,
    places,
)
from cardgym.engine.names import YOU, Names, inside
from cardgym.engine.rules import (
    Generator,
    count_bits,
    every_action,
    hides_nothing,
    is_rule,
    lose_one,
    no_key,
    no_resample,
    no_symmetry,
    one_deal,
    one_game,
    paid_most,
    rewards_from_paid,
    rule,
    uniform,
    uniform_float,
    uniform_legal,
    write_bits,
    write_zeros,
)
from cardgym.errors import CardgymError, of_kind, unknown

__all__ = [
    "CHANCE",
    "END",
    "YOU",
    "CardgymError",
    "CompiledPolicy",
    "Feature",
    "Float32s",
    "Float64s",
    "Game",
    "Generator",
    "Int8s",
    "Int64s",
    "Metric",
    "Names",
    "Observation",
    "Options",
    "Rules",
    "State",
    "StateIndex",
    "Words",
    "choice",
    "count_bits",
    "feature_table",
    "hides_nothing",
    "inside",
    "number",
    "offsets",
    "places",
    "rule",
    "uniform",
    "uniform_float",
    "uniform_legal",
    "write_bits",
    "write_zeros",
]

Int8s = npt.NDArray[np.int8]
Int64s = npt.NDArray[np.int64]
Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]
"""Arrays of each dtype."""
Mask = Int8s

END, CHANCE = -1, -2
"""In place of the seat to decide: the game is over, or a chance outcome comes next. `current_player` returns END."""

CompiledPolicy = Callable[[State, int, Mask, Generator], int]
"""A compiled player, made by `rule`: `policy(state, seat, mask, generator)` returns a legal action.

It may read only what the seat can know; the contract tests resample the rest and expect the same action.
"""


def no_invariants(state: State) -> tuple[int, ...]:
    """Return the invariants of a game that names none."""
    return ()


def no_deck(state: State, deck: Sequence[int]) -> None:
    """Raise `CardgymError`: the game does not deal a chosen `deck`."""
    raise CardgymError("this game cannot deal a chosen deck: leave `deck` out of reset's options")


# -- the parts of a game ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Part:
    """A group of a game's functions, collected by name."""

    @classmethod
    def of(cls, module: ModuleType, **functions: Any) -> Self:
        """Collect the functions that `module` defines under the names of the fields; `functions` override them.

        Raises:
            CardgymError: if a required function is missing.
        """
        fields = dataclasses.fields(cls)
        found = {spec.name: getattr(module, spec.name) for spec in fields if hasattr(module, spec.name)} | functions
        missing = [spec.name for spec in fields if spec.default is dataclasses.MISSING and spec.name not in found]
        if missing:
            raise CardgymError(f"{cls.__name__}: {module.__name__} lacks {', '.join(missing)}; define it there")
        return cls(**found)


@dataclass(frozen=True, eq=False)
class Rules(_Part):
    """The rules. All functions except `stack_deck` and `invariants` are compiled, made by `rule`.

    Attributes:
        setup: `setup(state)`: write the initial state, before any chance, from the options in the state. It overwrites
            every field except the options and `paid`.
        num_chance_outcomes: `num_chance_outcomes(state)`: the number of equally likely chance outcomes; 0 at a decision
            or the end.
        current_player: `current_player(state)`: the seat to decide; -1 at the end. Not called at chance nodes.
        apply_action: `apply_action(state, move)`: play an action, or chance outcome number `move`. It writes payments
            to the field `paid`, which is 0 for every seat before the call.
        resample: `resample(state, seat, generator)`: resample everything that `seat` cannot see, uniformly from the
            states consistent with the cards it has seen; `hides_nothing` if every seat sees everything. Advice, sampled
            best responses and the contract suite need it, nothing else does.
        legal_action_mask: `legal_action_mask(state, mask)`: fill `mask`, (num_actions,) int8, for the seat to decide.
            Default: every action is legal.
        score: `score(state, seat)`: the share of the game, or the number of its hands, that the seat has won at the
            end. Default: the seat with the highest last payment wins.
        max_score: `max_score(state)`: the sum of `score` over the seats: 1, or the number of hands played. Default: 1.
        invariants: `invariants(state)`: numbers that no move changes (of cards, of credits), for the tests.
        rewards: `rewards(state, out)`: add the payments of the last move to `out`, (num_players,) float64. Default:
            from the field `paid`. A game that defines this clears that field itself.
        deal: `deal(state)`: the number of the current deal. Chance in a deal depends only on the seed and the moves of
            that deal, so that players can be compared on the same cards.
        forfeit: `forfeit(state, seat)`: the reward of a seat that forfeits by an illegal action now. Default: -1.
        canonical: `canonical(state)`: replace the state by the representative of all states that differ from it only by
            a symmetry of the rules, such as the names of the suits, so that solvers have fewer states to solve. In a
            game of several seats it must not change what a seat sees at this or a later decision: the order of the draw
            pile is such a symmetry, the names of the suits are not.
        stack_deck: `stack_deck(state, deck)`: make the next `setup` of this state deal from a chosen deck; raises
            `CardgymError` for an impossible one.
    """

    setup: Callable[[State], None]
    num_chance_outcomes: Callable[[State], int]
    current_player: Callable[[State], int]
    apply_action: Callable[[State, int], None]
    resample: Callable[[State, int, Generator], None] = no_resample
    legal_action_mask: Callable[[State, Mask], None] = every_action
    score: Callable[[State, int], float] = paid_most
    max_score: Callable[[State], float] = one_game
    invariants: Callable[[State], tuple[int, ...]] = no_invariants
    rewards: Callable[[State, npt.NDArray[np.float64]], None] = rewards_from_paid
    deal: Callable[[State], int] = one_deal
    forfeit: Callable[[State, int], float] = lose_one
    canonical: Callable[[State], None] = no_symmetry
    stack_deck: Callable[[State, Sequence[int]], None] = no_deck


@dataclass(frozen=True, eq=False)
class Words(_Part):
    """The game in words, in plain Python; `cardgym.table.presentation` adds what people see at a table.

    They are read as `Game.describe`, `Game.action_text`, `cardgym.engine.sight.narrate` and
    `cardgym.engine.text.rules_text`, which have the defaults.

    Attributes:
        describe: `describe(state, seat)`: the state as that seat sees it. Default: the features of the first
            observation in words.
        action_text: `action_text(state, action)`: an action in words. Default: its name in `Game.action_names`.
        narrate: `narrate(before, move, after, seat, names)`: a move as that seat saw it, with the seats called by
            `Names`; empty if it saw nothing. Default: the action in words, for a seat that can tell it from other
            actions; for a chance move, the lines of `describe` that changed.
        opponent: what texts without names call the other of two seats. Default: `Seat` and its number.
        rules_text: `rules_text(state)`: the rules with these options, for a person who plays, in paragraphs. A first
            sentence of at most four words is a heading. Default: the sections of `Game.doc` that explain the game.
        neutral: words that recall the game, each with one that does not, for `TextView.neutral`.
    """

    describe: Callable[[State, int], str] | None = None
    action_text: Callable[[State, int], str] | None = None
    narrate: Callable[[State, int, State, int, Names], str] | None = None
    opponent: str = ""
    rules_text: Callable[[State], str] | None = None
    neutral: Mapping[str, str] | None = None


@dataclass(frozen=True, eq=False)
class StateIndex(_Part):
    """Information states as numbers, for tables and solvers.

    Attributes:
        info_state_key: `info_state_key(state, seat)`, compiled: an integer for what the seat knows, shown as
            `info["info_state_key"]`. Default: `info_state_index`.
        info_state_index: `info_state_index(state, seat)`, compiled: the position of that key in a table of length
            `num_info_states(options)`; 0 at the end of the game.
        num_info_states: `num_info_states(options)`: the length of such a table; None if keys have no index.
        info_state_keys: `info_state_keys(options)`: the keys by index, int64. Default: the indices.
        info_state_labels: `info_state_labels(options)`: the names by index in policy files. Default: the keys.
    """

    info_state_key: Callable[[State, int], int] = no_key
    info_state_index: Callable[[State, int], int] = no_key
    num_info_states: Callable[[Any], int] | None = None
    info_state_keys: Callable[[Any], npt.NDArray[np.int64]] | None = None
    info_state_labels: Callable[[Any], list[str]] | None = None

    def __post_init__(self) -> None:
        if self.info_state_key is no_key and self.num_info_states is not None:
            count = self.num_info_states
            object.__setattr__(self, "info_state_key", self.info_state_index)
            if self.info_state_keys is None:
                object.__setattr__(self, "info_state_keys", lambda options: np.arange(count(options)))

    @property
    def has_indices(self) -> bool:
        """Whether the keys have indices, so that a table can store a value for each."""
        return self.num_info_states is not None and self.info_state_index is not no_key


@dataclass(frozen=True)
class Metric:
    """A number computed from a finished game for the arena's report, in addition to scores and returns.

    Attributes:
        value: `value(state, seat)`, compiled.
        counts: whether it is always 0 or 1. The report then shows in how many games it was 1, otherwise its mean.
    """

    value: Callable[[State, int], float]
    counts: bool = False


RETURN = "return"
"""The value of `Game.payoff` for games whose payoff is the sum of rewards."""


# -- the game ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Game:
    """A game: its state, its options and its functions.

    Attributes:
        id: such as `Name-v0`.
        doc: the env's documentation, with Gymnasium's headings; `documentation` completes it.
        options: the class of its options. Default: no options, two players.
        state: the dtype of a state. It has a field for every option, `num_players` (int32), and `paid`, (max_players,)
            float32: what the last move paid each seat. States that differ only in `paid` are equal.
        num_actions: the number of actions, legal or not, under the default options.
        observations: the observations by name; the first is the default.
        state_index: keys and indices of information states, for tables and solvers.
        words: its `Words`.
        players: its players by name: a `CompiledPolicy`, made by `rule`, which the kernel plays, or a plain function
            `make(options)`, which imports what it needs and returns a player as `cardgym.players.PlayerSpec` has them.
            Every game also has `random`.
        table: how people see it, a `cardgym.table.presentation.Presentation`, or a function without arguments that
            imports and returns it, so that an env does not; without one, people see its words.
        opponent: the name of people's default opponent.
        posterior: what a seat believes if it knows the player in all other seats, exactly, for the search of
            `cardgym exploit`: a function of the game, the options, the player, the seats and a NumPy generator that
            returns a `cardgym.experiments.exploit.posterior.Worlds`, or None for options without one.
        metrics: further numbers to report for a finished game, by name.
        payoff: what players maximize in tournaments: `return`, the sum of rewards, or the name of a metric.
        count_actions: `count_actions(options)`: the number of actions, if it depends on the options.
        action_names: the names of the actions, used if `words` has no `action_text`.
        defaults: options whose default under this id differs from that of the class (one game with two ids).
    """

    id: str
    doc: str
    state: np.dtype[Any]
    num_actions: int
    rules: Rules
    observations: Mapping[str, Observation]
    options: type[Options] = Options
    words: Words = field(default_factory=Words)
    state_index: StateIndex = field(default_factory=StateIndex)
    players: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    table: Any = None
    opponent: str = "random"
    posterior: Callable[..., Any] | None = None
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    payoff: str = RETURN
    unit: str = "reward"
    count_actions: Callable[[Any], int] | None = None
    action_names: Sequence[str] = ()
    defaults: Mapping[str, int | str] = field(default_factory=dict)

    def __deepcopy__(self, memo: object) -> Game:
        """Return the game itself, whatever is registered under its id now: a copied env keeps its rules."""
        return self

    def variant(self, id: str, doc: str, **defaults: int | str) -> Game:
        """Return this game under another id, with `doc` as its documentation and other default options, `defaults`."""
        num_actions = self.actions(self.options.parse(defaults))
        return dataclasses.replace(self, id=id, doc=doc, num_actions=num_actions, defaults=defaults)

    @property
    def documentation(self) -> str:
        """`doc`, with missing sections generated from the options, actions and features."""
        return documented(self)

    @property
    def max_players(self) -> int:
        """The largest number of seats that a state has room for."""
        return int(self.state["paid"].shape[0])

    @property
    def default_observation(self) -> str:
        """The name of the observation that envs show by default."""
        return next(iter(self.observations))

    @property
    def compiled_players(self) -> dict[str, CompiledPolicy]:
        """The players that the kernel plays, by name."""
        return {name: player for name, player in self.players.items() if is_rule(player)}

    def actions(self, options: Options) -> int:
        """Return the number of actions, legal or not."""
        return self.num_actions if self.count_actions is None else self.count_actions(options)

    def observation(self, name: str) -> Observation:
        """Return the observation with that name; raise `CardgymError` for an unknown one, with the nearest."""
        if isinstance(name, str) and name in self.observations:
            return self.observations[name]
        raise unknown("observation", name, self.observations)

    def describe(self, state: State, seat: int) -> str:
        """Return the state in words, as `seat` sees it; see `Words`."""
        if self.words.describe is not None:
            return self.words.describe(state, seat)
        observation = self.observation(self.default_observation)
        features = observation.features(self.options.read(state))
        out = np.zeros(sum(feature.size for feature in features), np.float32)
        observation.write(state, seat, out)
        numbers = np.split(out, [*offsets(features).values()][1:])
        return "\n".join(row.in_words(values) for row, values in zip(features, numbers, strict=True))

    def action_text(self, state: State, action: int) -> str:
        """Return an action in words; see `Words`."""
        if self.words.action_text is not None:
            return self.words.action_text(state, action)
        return self.action_names[action] if action < len(self.action_names) else f"action {action}"

    def names(self, seat: int, num_players: int) -> Names:
        """Return what texts call `num_players` seats when nobody has a name; `seat` reads, -1 for none."""
        called = self.words.opponent if seat >= 0 else ""
        return Names(YOU if other == seat else called or f"Seat {other}" for other in range(num_players))

    def parse_options(self, values: Mapping[str, object] | None = None) -> Options:
        """Return options of names and values, with this id's defaults for the others; see `Options.parse`."""
        if values is not None:
            of_kind("options", values, Mapping, "None and a dict of names and values")
        return self.options.parse({**self.defaults, **(values or {})})

    def blank_state(self, options: Options) -> np.recarray[Any, Any]:
        """Return an array of one state with the options written, before `setup`."""
        batch = np.zeros(1, self.state).view(np.recarray)
        options.write(batch[0])
        return batch

"""The contract: what a game must define.

A state is one NumPy structured record; the rules are a handful of small functions over it, which Numba compiles.
Chance is a move: at a chance node a game says how many equally likely outcomes there are, and `apply_action` plays one.
So the same rules are sampled by an env, enumerated by a solver and replayed from a list of moves.

A game's rules, observations and texts import nothing of cardgym but this module, and hold no randomness, no clock and
no global that changes. Everything written over them (envs, arena, learners, play, the tests) takes a `Game`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.generator import Generator, uniform, uniform_float
from cardgym.engine.numba.compilation import rule
from cardgym.engine.numba.intrinsics import count_bits, write_bits, write_zeros
from cardgym.engine.observations import Feature, Observation, documented, feature_table, offsets
from cardgym.engine.options import Options, State, choice, number
from cardgym.errors import CardgymError, unknown

__all__ = [
    "CardgymError",
    "CompiledPolicy",
    "Feature",
    "Game",
    "Generator",
    "Metric",
    "Observation",
    "Options",
    "Rules",
    "State",
    "StateIndex",
    "Words",
    "choice",
    "count_bits",
    "feature_table",
    "number",
    "offsets",
    "rule",
    "uniform",
    "uniform_float",
    "write_bits",
    "write_zeros",
]

Mask = npt.NDArray[np.int8]

CompiledPolicy = Callable[[State, int, Mask, Generator], int]
"""A player's rule, made by `rule`: `policy(state, seat, mask, generator)` returns a legal action.

It may look only at what the seat can know; the contract tests resample the rest and expect the same action.
"""


# -- defaults for what a game may leave out ---------------------------------------------------------------------------


@rule
def no_key(state: State, seat: int) -> int:
    """The key and the index of a game that has none."""
    return -1


@rule
def one_deal(state: State) -> int:
    """The deal of a game that is dealt once."""
    return 0


@rule
def lose_one(state: State, seat: int) -> float:
    """What a forfeit costs in a game of plus and minus one."""
    return -1.0


@rule
def one_game(state: State) -> float:
    """The score to share of a game that has one winner."""
    return 1.0


@rule
def every_action(state: State, mask: npt.NDArray[np.int8]) -> None:
    """The mask of a game in which every action is always legal."""
    for action in range(mask.shape[0]):
        mask[action] = 1


@rule
def paid_most(state: State, seat: int) -> float:
    """The score of a game that pays at its end: 1 for the seat paid most, shared equally by seats paid the same."""
    winners = 0
    for other in range(state.num_players):
        if state.paid[other] > state.paid[seat]:
            return 0.0
        winners += state.paid[other] == state.paid[seat]
    return 1.0 / winners


@rule
def hides_nothing(state: State, seat: int, generator: Generator) -> None:
    """The resampling of a game in which every seat sees everything."""


def no_invariants(state: State) -> tuple[int, ...]:
    """A game without numbers that every move keeps."""
    return ()


@rule
def rewards_from_paid(state: State, out: npt.NDArray[np.float64]) -> None:
    """Add what the last move paid each seat, from the field `paid`."""
    for seat in range(state.num_players):
        out[seat] += state.paid[seat]


@rule
def no_symmetry(state: State) -> None:
    """A game whose rules have no symmetry: every state is its own representative."""


def no_deck(state: State, deck: Sequence[int]) -> None:
    """A game that deals by the seed alone."""
    raise CardgymError("this game cannot be dealt a chosen deck: leave `deck` out of reset's options")


# -- the parts of a game ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Part:
    """Functions of a game that belong together, found by their names."""

    @classmethod
    def of(cls, module: ModuleType, **functions: Any) -> Self:
        """The part whose functions `module` defines under the names of the fields; `functions` come from elsewhere.

        Raises:
            CardgymError: for a required function that is missing.
        """
        fields = dataclasses.fields(cls)
        found = {spec.name: getattr(module, spec.name) for spec in fields if hasattr(module, spec.name)} | functions
        missing = [spec.name for spec in fields if spec.default is dataclasses.MISSING and spec.name not in found]
        if missing:
            raise CardgymError(f"{cls.__name__}: {module.__name__} lacks {', '.join(missing)}; define it there")
        return cls(**found)


@dataclass(frozen=True, eq=False)
class Rules(_Part):
    """The rules proper. All but `stack_deck` and `invariants` are compiled, made by `rule`.

    Attributes:
        setup: `setup(state)`: the start, before any chance, from the options in the record. It overwrites every field
            but the options and `paid`.
        num_chance_outcomes: `num_chance_outcomes(state)`: how many equally likely outcomes chance has now; 0 at a
            decision or at the end.
        current_player: `current_player(state)`: the seat to decide; -1 at the end. Called only where there are no
            chance outcomes.
        apply_action: `apply_action(state, move)`: play an action, or chance outcome number `move`. What it pays goes
            into the field `paid`, which is 0 for every seat when it is called.
        legal_action_mask: `legal_action_mask(state, mask)`: fill `mask`, (num_actions,) int8, for the seat to decide.
            Default: every action is legal.
        score: `score(state, seat)`: the share of the game, or the number of its hands, that the seat has won at the
            end. Default: the seat that the last move paid most has won.
        max_score: `max_score(state)`: what `score` sums to over the seats: 1 for a game, hands played for a game of
            hands.
        resample: `resample(state, seat, generator)`: resample everything that `seat` cannot see, uniformly from the
            states consistent with the cards it has seen. Default: nothing is hidden.
        invariants: `invariants(state)`: numbers that every move leaves unchanged (cards, credits), for the tests.
        rewards: `rewards(state, out)`: add to `out`, (num_players,) float64, what the last move paid. Default: the
            field `paid`. A game with rewards of its own clears that field itself.
        deal: `deal(state)`: which deal of the game this is. Chance in a deal depends only on the seed and on what was
            played in that deal, so that players can be compared on the same cards.
        forfeit: `forfeit(state, seat)`: the reward of a seat that gives up now (by an illegal action). Default: -1.
        canonical: `canonical(state)`: rewrite the state as the representative of all states that differ from it only
            by a symmetry of the rules, such as the names of the suits. Solvers then count and solve fewer states.
        stack_deck: `stack_deck(state, deck)`: deal the next game set up in this record from a chosen deck;
            `CardgymError` for an impossible one.
    """

    setup: Callable[[State], None]
    num_chance_outcomes: Callable[[State], int]
    current_player: Callable[[State], int]
    apply_action: Callable[[State, int], None]
    legal_action_mask: Callable[[State, Mask], None] = every_action
    score: Callable[[State, int], float] = paid_most
    max_score: Callable[[State], float] = one_game
    resample: Callable[[State, int, Generator], None] = hides_nothing
    invariants: Callable[[State], tuple[int, ...]] = no_invariants
    rewards: Callable[[State, npt.NDArray[np.float64]], None] = rewards_from_paid
    deal: Callable[[State], int] = one_deal
    forfeit: Callable[[State, int], float] = lose_one
    canonical: Callable[[State], None] = no_symmetry
    stack_deck: Callable[[State, Sequence[int]], None] = no_deck


@dataclass(frozen=True, eq=False)
class Words(_Part):
    """The game in words. Plain Python. `cardgym.table.presentation` has what people see at a table besides.

    A function that is None is filled in by `Game`.

    Attributes:
        describe: `describe(state, seat)`: the game as that seat sees it. Default: the features of the first
            observation with their numbers.
        action_text: `action_text(state, action)`: an action in words. Default: its name among `Game.action_names`.
        narrate: `narrate(before, move, after, seat)`: what a move looked like to that seat; empty if it saw nothing.
            Default: the action in words; after a move of chance, the lines of `describe` that changed.
    """

    describe: Callable[[State, int], str] = None  # type: ignore[assignment]
    action_text: Callable[[State, int], str] = None  # type: ignore[assignment]
    narrate: Callable[[State, int, State, int], str] = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class StateIndex(_Part):
    """Numbers for what a seat knows, for tables and solvers.

    Attributes:
        info_state_key: `info_state_key(state, seat)`, compiled: a whole number for what the seat knows, shown as
            `info["info_state_key"]`. Default: `info_state_index`.
        info_state_index: `info_state_index(state, seat)`, compiled: the place of that key in a table of
            `num_info_states(options)`; 0 is the end.
        num_info_states: the length of such a table; None if the keys are not numbered.
        info_state_keys: `info_state_keys(options)`: the keys of all indices in order, int64. Default: the indices.
        info_state_labels: `info_state_labels(options)`: the names of all indices in policy files, in order. Default:
            their keys.
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
    def has_keys(self) -> bool:
        """Whether states have keys at all."""
        return self.info_state_key is not no_key

    @property
    def has_indices(self) -> bool:
        """Whether the keys are numbered, so that a table can be kept over them."""
        return self.num_info_states is not None and self.info_state_index is not no_key


@dataclass(frozen=True)
class Metric:
    """A figure of a finished game for the arena's report, in addition to scores and returns.

    Attributes:
        value: `value(state, seat)`, compiled.
        counts: whether it is 0 or 1 in each game, so that the report says in how many games it was 1; otherwise the
            report has its mean a game.
    """

    value: Callable[[State, int], float]
    counts: bool = False


RETURN = "return"
"""The payoff of a game that is the sum of its rewards; see `Game.payoff`."""


# -- the game ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Game:
    """A game: its record, its options and its parts.

    Attributes:
        id: the id it is registered under, such as `Name-v0`.
        doc: the env's documentation, under Gymnasium's headings. `documentation` adds the sections it leaves out.
        state: the record's dtype. It holds every option by name, `num_players` (int32), and `paid`, float32 of one
            number a seat: what the last move paid. `paid` does not tell states apart.
        options: the frozen dataclass of the options.
        num_actions: how many actions there are, legal or not, under the id's own options.
        rules: the rules.
        observations: the observations by name; the first is the default.
        words: the game in words.
        state_index: keys and indices of states; a game without tables leaves it out.
        players: the players it brings, by name: a rule `policy(state, seat, mask, generator)`, which the kernel plays
            (see `CompiledPolicy`), or a reference "module:function" to `make(options)`, which returns a player of
            `cardgym.players`. `random` comes with every game.
        opponent: the name of the player that people meet unless they name another.
        metrics: further figures of a finished game, by name.
        payoff: what players of the game play for, for tournaments: `return`, the rewards paid, or the name of a metric.
        unit: what payoffs are counted in.
        count_actions: `count_actions(options)`: how many actions there are under other options, if not always as many.
        action_names: what the actions are called, for a game whose words leave out `action_text`.
        defaults: options that differ under this id from the dataclass's defaults (one game under two ids).
    """

    id: str
    doc: str
    state: np.dtype[Any]
    options: type[Options]
    num_actions: int
    rules: Rules
    observations: Mapping[str, Observation]
    words: Words = field(default_factory=Words)
    state_index: StateIndex = field(default_factory=StateIndex)
    players: Mapping[str, CompiledPolicy | str] = field(default_factory=dict)
    opponent: str = "random"
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    payoff: str = RETURN
    unit: str = "reward"
    count_actions: Callable[[Any], int] | None = None
    action_names: Sequence[str] = ()
    defaults: Mapping[str, int | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        words = self.words
        filled = Words(
            self._describe if words.describe is None else words.describe,
            self._action_text if words.action_text is None else words.action_text,
            self._narrate if words.narrate is None else words.narrate,
        )
        object.__setattr__(self, "words", filled)

    def variant(self, id: str, doc: str, **defaults: int | str) -> Game:
        """The same game under another id, with other default options."""
        num_actions = self.actions(self.options.parse(defaults))
        return dataclasses.replace(self, id=id, doc=doc, num_actions=num_actions, defaults=defaults)

    @property
    def documentation(self) -> str:
        """`doc` with the sections that it leaves out, as tables of the options, actions and features."""
        return documented(self)

    @property
    def max_players(self) -> int:
        """The most seats the record has room for."""
        return int(self.state["paid"].shape[0])

    @property
    def default_observation(self) -> str:
        """The name of the observation that envs show by default."""
        return next(iter(self.observations))

    @property
    def compiled_players(self) -> dict[str, CompiledPolicy]:
        """The players that are rules, by name."""
        return {name: player for name, player in self.players.items() if not isinstance(player, str)}

    def actions(self, options: Options) -> int:
        """How many actions there are, legal or not."""
        return self.num_actions if self.count_actions is None else self.count_actions(options)

    def observation(self, name: str) -> Observation:
        """The observation of that name, or an error that names the nearest."""
        if name not in self.observations:
            raise unknown("observation", name, self.observations)
        return self.observations[name]

    def _describe(self, state: State, seat: int) -> str:
        observation = self.observations[self.default_observation]
        features = observation.features(self.options.read(state))
        out = np.zeros(sum(feature.size for feature in features), np.float32)
        observation.write(state, seat, out)
        places = offsets(features)
        lines = []
        for row in features:
            numbers = " ".join(f"{number:g}" for number in out[places[row.name] : places[row.name] + row.size])
            lines.append(f"{row.name}: {numbers} ({row.meaning})")
        return "\n".join(lines)

    def _action_text(self, state: State, action: int) -> str:
        return self.action_names[action] if action < len(self.action_names) else f"action {action}"

    def _narrate(self, before: State, move: int, after: State, seat: int) -> str:
        if self.rules.num_chance_outcomes(before) > 0:
            seen = self.words.describe(before, seat).splitlines()
            return "\n".join(line for line in self.words.describe(after, seat).splitlines() if line not in seen)
        mover = int(self.rules.current_player(before))
        return f"{'You' if mover == seat else f'Seat {mover}'}: {self.words.action_text(before, move)}"

    def parse_options(self, values: Mapping[str, object] | None = None) -> Options:
        """The options from names and values, those not named as this id has them."""
        return self.options.parse({**self.defaults, **(values or {})})

    def new_record(self, options: Options) -> np.recarray[Any, Any]:
        """A batch of one record with the options written and no game set up yet."""
        batch = np.zeros(1, self.state).view(np.recarray)
        options.write(batch[0])
        return batch

    def new_state(self, options: Options) -> np.recarray[Any, Any]:
        """A batch of one record with the options written and the game set up."""
        batch = self.new_record(options)
        self.rules.setup(batch[0])
        return batch

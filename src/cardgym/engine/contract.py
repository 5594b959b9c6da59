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

from cardgym.engine.bits import count_bits, write_bits, write_zeros
from cardgym.engine.generator import Generator, uniform, uniform_float
from cardgym.engine.numba.compilation import rule
from cardgym.engine.observations import Feature, Observation, feature_table, offsets
from cardgym.engine.options import Options, State, choice, number
from cardgym.errors import CardgymError, unknown

__all__ = [
    "CardgymError",
    "CompiledPolicy",
    "Feature",
    "Game",
    "Generator",
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
def reward_field(state: State, out: npt.NDArray[np.float64]) -> None:
    """Add what the last transition paid each seat, from the field `reward`."""
    for seat in range(state.num_players):
        out[seat] += state.reward[seat]


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
    def of(cls, *modules: ModuleType, **given: Any) -> Self:
        """The part whose functions stand in `modules` under the names of its fields; the first module wins.

        Raises:
            CardgymError: for a function that is required and missing.
        """
        values = dict(given)
        for spec in dataclasses.fields(cls):
            for module in modules:
                if spec.name not in values and hasattr(module, spec.name):
                    values[spec.name] = getattr(module, spec.name)
        required = {spec.name for spec in dataclasses.fields(cls) if spec.default is dataclasses.MISSING}
        missing = sorted(required - set(values))
        if missing:
            where = ", ".join(module.__name__ for module in modules)
            raise CardgymError(f"{cls.__name__}: {where} has no {', '.join(missing)}; define it there")
        return cls(**values)


@dataclass(frozen=True, eq=False)
class Rules(_Part):
    """The rules proper. All but `stack_deck` and `invariants` are compiled, made by `rule`.

    Attributes:
        setup: `setup(state)`: the start, before any chance, from the options in the record. It overwrites every field
            but the options.
        num_chance_outcomes: `num_chance_outcomes(state)`: how many equally likely outcomes chance has now; 0 at a
            decision or at the end.
        current_player: `current_player(state)`: the seat to decide; -1 at the end. Called only where there are no
            chance outcomes.
        legal_action_mask: `legal_action_mask(state, mask)`: fill `mask`, int8 of `num_actions` numbers, for the seat
            to decide.
        apply_action: `apply_action(state, move)`: play an action, or chance outcome number `move`; set `reward`.
        score: `score(state, seat)`: the share of the game, or how many of its hands, the seat has won at the end.
        max_score: `max_score(state)`: what `score` sums to over the seats: 1 for a game, hands played for a game of
            hands.
        resample: `resample(state, seat, generator)`: draw anew, uniformly over what `seat` holds possible from the
            cards alone, everything it cannot see.
        invariants: `invariants(state)`: numbers that every move must leave unchanged (cards, credits), for the tests.
        rewards: `rewards(state, out)`: add to `out`, float64 of one number a seat, what the last transition paid.
        deal: `deal(state)`: which deal of the game this is. Chance in a deal depends on the seed and on what was
            played in that deal only, so that players can be compared on the same cards.
        forfeit: `forfeit(state, seat)`: the reward of a seat that gives the game up now (by an illegal action).
        canonical: `canonical(state)`: rewrite the state as the representative of all those that differ from it by a
            symmetry of the rules only, such as the names of the suits. Solvers count and solve fewer states with it.
        stack_deck: `stack_deck(state, deck)`: let the next game set up in this record be dealt from a chosen deck;
            `CardgymError` for an impossible one.
    """

    setup: Callable[[State], None]
    num_chance_outcomes: Callable[[State], int]
    current_player: Callable[[State], int]
    legal_action_mask: Callable[[State, Mask], None]
    apply_action: Callable[[State, int], None]
    score: Callable[[State, int], float]
    resample: Callable[[State, int, Generator], None]
    invariants: Callable[[State], tuple[int, ...]]
    max_score: Callable[[State], float] = one_game
    rewards: Callable[[State, npt.NDArray[np.float64]], None] = reward_field
    deal: Callable[[State], int] = one_deal
    forfeit: Callable[[State, int], float] = lose_one
    canonical: Callable[[State], None] = no_symmetry
    stack_deck: Callable[[State, Sequence[int]], None] = no_deck


@dataclass(frozen=True, eq=False)
class Words(_Part):
    """The game in words. Plain Python. How people see it at a table is in `cardgym.table.presentation`.

    Attributes:
        describe: `describe(state, seat)`: the game as that seat sees it.
        action_text: `action_text(state, action)`: an action in words.
        narrate: `narrate(before, move, after, seat)`: what a transition looked like from that seat; empty if nothing
            was to be seen.
    """

    describe: Callable[[State, int], str]
    action_text: Callable[[State, int], str]
    narrate: Callable[[State, int, State, int], str]


@dataclass(frozen=True, eq=False)
class StateIndex(_Part):
    """Numbers for what a seat knows, for tables and solvers.

    Attributes:
        info_state_key: `info_state_key(state, seat)`, compiled: a whole number for what the seat knows, shown as
            `info["info_state_key"]`.
        info_state_index: `info_state_index(state, seat)`, compiled: the place of that key in a table of
            `num_info_states(options)`; 0 is the end.
        num_info_states: how long such a table is; None if the keys are not numbered.
        info_state_keys: `info_state_keys(options)`: the keys of all indices in order, int64.
        info_state_labels: `info_state_labels(options)`: what policy files call all indices in order; their keys unless
            given.
    """

    info_state_key: Callable[[State, int], int] = no_key
    info_state_index: Callable[[State, int], int] = no_key
    num_info_states: Callable[[Any], int] | None = None
    info_state_keys: Callable[[Any], npt.NDArray[np.int64]] | None = None
    info_state_labels: Callable[[Any], list[str]] | None = None

    @property
    def has_keys(self) -> bool:
        """Whether states have keys at all."""
        return self.info_state_key is not no_key

    @property
    def has_indices(self) -> bool:
        """Whether the keys are numbered, so that a table can be kept over them."""
        return self.num_info_states is not None and self.info_state_index is not no_key


RETURN = "return"
"""The payoff of a game that is the sum of its rewards; see `Game.payoff`."""


# -- the game ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Game:
    """A game: its record, its options and its parts.

    Attributes:
        id: the id it is registered under, such as `Name-v0`.
        doc: the env's documentation, under Gymnasium's headings.
        state: the record's dtype. It holds every option by name, `num_players` (int32), and `reward`, float32 of one
            number a seat: what the last transition paid. `reward` is no part of what a state is.
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
        metrics: further figures of a finished game for the arena's report, by name, compiled: `metric(state, seat)`.
            The arena reports a mean a game, and for a name that ends in `_games` (0 or 1 in each game) how many games.
        payoff: what players of the game play for, for tournaments: `return`, the rewards paid, or the name of a metric.
        unit: what payoffs are counted in.
        count_actions: `count_actions(options)`: how many actions there are under other options, if not always as many.
        defaults: options that differ under this id from the dataclass's defaults (one game under two ids).
    """

    id: str
    doc: str
    state: np.dtype[Any]
    options: type[Options]
    num_actions: int
    rules: Rules
    observations: Mapping[str, Observation]
    words: Words
    state_index: StateIndex = field(default_factory=StateIndex)
    players: Mapping[str, CompiledPolicy | str] = field(default_factory=dict)
    opponent: str = "random"
    metrics: Mapping[str, Callable[[State, int], float]] = field(default_factory=dict)
    payoff: str = RETURN
    unit: str = "reward"
    count_actions: Callable[[Any], int] | None = None
    defaults: Mapping[str, int | str] = field(default_factory=dict)

    def variant(self, id: str, doc: str, **defaults: int | str) -> Game:
        """The same game under another id, with other default options."""
        num_actions = self.actions(self.options.parse(defaults))
        return dataclasses.replace(self, id=id, doc=doc, num_actions=num_actions, defaults=defaults)

    @property
    def max_players(self) -> int:
        """The most seats the record has room for."""
        return int(self.state["reward"].shape[0])

    @property
    def default_observation(self) -> str:
        """The name of the observation that an env shows unless told otherwise."""
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

"""`StateDriver`: one game in which the caller chooses every move, chance's too.

For the contract checks, for hand-played lines in tests, and for small solvers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import NO_POLICY_TABLES
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import MAX_PLAYERS, code_name, kernel_of, rules_of
from cardgym.engine.numba.compilation import bind, bound, template
from cardgym.engine.registry import find
from cardgym.table.presentation import reveals_of, view_of
from cardgym.table.views import Reveal, View

END, CHANCE = -1, -2
"""What `StateDriver.current_player` is where no seat is to decide."""

_SETUP, _READ, _APPLY, _LEGAL, _RESAMPLE, _FORFEIT, _SCORE, _MAX_SCORE = range(8)


@template
def _call_rule(states: Any, rule: int, seat: int, move: int, generator: Any, mask: Any, paid: Any, facts: Any) -> float:
    """Call one rule. Then write into `facts`: outcomes of chance, who decides, the deal, the seat's key and index."""
    state = states[0]
    answer = 0.0
    if rule == _SETUP:
        bound.setup(state)
    elif rule == _APPLY:
        bound.apply_action(state, move)
        bound.rewards(state, paid)
    elif rule == _LEGAL:
        bound.legal_action_mask(state, mask)
    elif rule == _RESAMPLE:
        bound.resample(state, seat, generator)
    elif rule == _FORFEIT:
        answer = float(bound.forfeit(state, seat))
    elif rule == _SCORE:
        answer = float(bound.score(state, seat))
    elif rule == _MAX_SCORE:
        answer = float(bound.max_score(state))
    facts[0] = bound.num_chance_outcomes(state)
    facts[1] = bound.current_player(state) if facts[0] == 0 else CHANCE
    facts[2] = bound.deal(state)
    facts[3] = bound.info_state_key(state, seat)
    facts[4] = bound.info_state_index(state, seat)
    return answer


@template
def _choose(states: Any, policy: int, seat: int, mask: Any, generator: Any, tables: Any) -> int:
    return int(bound.choose(policy, states[0], seat, mask, generator, tables))


@template
def _observe(states: Any, seat: int, out: Any) -> None:
    bound.observe(states[0], seat, out)


@cache
def _compiled_rules(game: Game) -> Callable[..., float]:
    rules = rules_of(game)
    return bind(_call_rule, code_name(game, rules.values()), **rules)


@cache
def _compiled_players(game: Game) -> Callable[..., int]:
    return kernel_of(game, game.default_observation, game.compiled_players).entry_point(_choose)


@cache
def _compiled_observation(game: Game, observation_name: str) -> Callable[..., None]:
    write = game.observation(observation_name).write
    return bind(_observe, code_name(game, [write]), observe=write)


@cache
def _bytes_of_state(game: Game) -> npt.NDArray[np.intp]:
    """The places of a record's bytes that belong to the state: not those of `paid`, nor gaps between fields."""
    inside = np.zeros(game.state.itemsize, np.bool_)
    for name, (field, start, *_) in (game.state.fields or {}).items():
        inside[start : start + field.itemsize] = name != "paid"
    return np.flatnonzero(inside)


@dataclass(frozen=True)
class Move:
    """One transition.

    Attributes:
        seat: who moved, or CHANCE.
        num_chance_outcomes: how many outcomes chance had; 0 for a seat's action.
        move: the action, or the number of the outcome.
        paid: what it paid each seat, (8,) float64.
    """

    seat: int
    num_chance_outcomes: int
    move: int
    paid: npt.NDArray[np.float64]


class StateDriver:
    """Plays one game by its compiled rules, one chosen move at a time.

    Subclass it for the words of one game: cards by their names, actions by what they do.

    Args:
        game: the game or its id; `module:Id-v0` imports the module that registers it.
        options: the game's options, or those that differ from its defaults by name.
        deck: the deck to deal from, for games whose rules have `stack_deck`.

    Raises:
        CardgymError: for an unknown game, an option that is not allowed, or an impossible deck.

    Attributes:
        game: the game.
        options: its options.
        states: the record, as an array of one.
    """

    def __init__(
        self,
        game: str | Game,
        options: Options | Mapping[str, object] | None = None,
        *,
        deck: Sequence[int] | None = None,
    ) -> None:
        self.game = find(game)
        self.options = options if isinstance(options, Options) else self.game.parse_options(options)
        self._mask: npt.NDArray[np.int8] = np.zeros(self.game.actions(self.options), np.int8)
        self._paid = np.zeros(MAX_PLAYERS, np.float64)
        self._facts = np.zeros(5, np.int64)
        self._no_generator = np.zeros(2, np.uint64)
        self._rules = _compiled_rules(self.game)
        self._last_move = -1
        self._hold(np.zeros(1, self.game.state))
        self.options.write(self.state)
        self.setup(deck)

    def _hold(self, states: npt.NDArray[Any]) -> None:
        self.states = states
        self._bytes = states.view(np.uint8)  # Copying bytes is 20 times faster than copying a record's fields.
        self._bytes_before = np.zeros_like(self._bytes)
        self._record: Any = None

    def _call(self, rule: int, seat: int = 0, move: int = 0, generator: Any = None) -> float:
        source = self._no_generator if generator is None else generator
        return self._rules(self.states, rule, seat, move, source, self._mask, self._paid, self._facts)

    # -- the state ----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The record, its fields as attributes. Call `refresh` after writing to it."""
        if self._record is None:
            self._record = self.states.view(np.recarray)[0]
        return self._record

    @property
    def num_chance_outcomes(self) -> int:
        """How many outcomes chance has now; 0 at a decision or the end."""
        return int(self._facts[0])

    @property
    def current_player(self) -> int:
        """The seat to decide, CHANCE or END."""
        return int(self._facts[1])

    @property
    def deal(self) -> int:
        """Which deal of the game this is."""
        return int(self._facts[2])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.current_player == END

    def refresh(self) -> None:
        """Read the state again after its record was written to."""
        self._call(_READ)

    def copy(self) -> Self:
        """A driver in the same state that goes its own way."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._hold(np.empty_like(self.states))
        for name in ("_mask", "_paid", "_facts"):
            setattr(other, name, getattr(self, name).copy())
        other.assign(self)
        return other

    def assign(self, other: StateDriver) -> None:
        """Take over the state of another driver of the same game and options."""
        self._bytes[:] = other._bytes
        self._bytes_before[:] = other._bytes_before
        self._facts[:] = other._facts
        self._last_move = other._last_move

    def state_bytes(self) -> bytes:
        """The state as bytes, to compare with another of the same game; `paid` is no part of it."""
        return state_bytes(self.game, self.states)

    def digest(self) -> str:
        """A digest of the state, 16 hexadecimal digits; see `state_digest`."""
        return state_digest(self.states)

    # -- moves --------------------------------------------------------------------------------------------------------

    def setup(self, deck: Sequence[int] | None = None) -> None:
        """Start a new game in the same record, dealt from `deck` if given."""
        if deck is not None:
            self.game.rules.stack_deck(self.state, deck)
        self._call(_SETUP)

    def legal_action_mask(self, fill: int = 0) -> npt.NDArray[np.int8]:
        """What the seat to decide may do, (actions,) int8; `fill` is what the mask holds before the rules write it."""
        self._mask.fill(fill)
        self._call(_LEGAL)
        return self._mask.copy()

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to decide, in order."""
        self._call(_LEGAL)
        return [int(action) for action in np.flatnonzero(self._mask)]

    def apply_action(self, move: int) -> npt.NDArray[np.float64]:
        """Play an action, or outcome number `move` of chance, and return what it paid each seat, (8,) float64."""
        self._bytes_before[:] = self._bytes
        self._last_move = move
        self._paid[:] = 0.0
        self._call(_APPLY, 0, move)
        return self._paid.copy()

    def play(self, *moves: int) -> npt.NDArray[np.float64]:
        """Play moves one after another and return the sum of what they paid each seat, (8,) float64."""
        total = np.zeros(MAX_PLAYERS, np.float64)
        for move in moves:
            total += self.apply_action(move)
        return total

    def play_chance(self, choose: Callable[[int], Any]) -> npt.NDArray[np.float64]:
        """Play chance up to the next decision or the end.

        Args:
            choose: called with the number of outcomes, returns one's number: `random.Random(0).randrange`,
                `numpy.random.default_rng(0).integers`, ...

        Returns:
            The sum of what it paid each seat, (8,) float64.
        """
        total = np.zeros(MAX_PLAYERS, np.float64)
        while outcomes := self.num_chance_outcomes:
            total += self.apply_action(int(choose(outcomes)))
        return total

    def random_move(self, rng: np.random.Generator) -> Move:
        """Play a move drawn uniformly: an outcome of chance, or a legal action."""
        seat, outcomes = self.current_player, self.num_chance_outcomes
        if outcomes:
            move = int(rng.integers(outcomes))
        else:
            actions = self.legal_actions()
            if not actions:
                raise ContractError(f"{self}: no action is legal for seat {seat}, and the game is not over")
            move = actions[int(rng.integers(len(actions)))]
        return Move(seat, outcomes, move, self.apply_action(move))

    def play_randomly(self, rng: np.random.Generator, most: int) -> Iterator[Move]:
        """Play random moves to the end, at most `most` of them, and yield each after it was played."""
        for _ in range(most):
            if self.over:
                return
            yield self.random_move(rng)

    # -- what a seat knows --------------------------------------------------------------------------------------------

    def observe(self, seat: int, observation_name: str | None = None) -> npt.NDArray[np.float32]:
        """The observation of `seat`, (size,) float32; the game's default one unless named."""
        name = observation_name or self.game.default_observation
        out = np.zeros(self.game.observation(name).size(self.options), np.float32)
        self.observe_into(seat, name, out)
        return out

    def observe_into(self, seat: int, observation_name: str, out: npt.NDArray[np.float32]) -> None:
        """Write the observation of `seat` into `out`, which must have its size."""
        _compiled_observation(self.game, observation_name)(self.states, seat, out)

    def info_state_key(self, seat: int) -> int:
        """The key of what `seat` knows."""
        self._call(_READ, seat)
        return int(self._facts[3])

    def info_state_index(self, seat: int) -> int:
        """The place of that key in a table of the game's states."""
        self._call(_READ, seat)
        return int(self._facts[4])

    def resample(self, seat: int, generator: npt.NDArray[np.uint64]) -> None:
        """Draw anew what `seat` cannot see; `generator` is two uint64, key and counter."""
        self._call(_RESAMPLE, seat, 0, generator)

    def describe(self, seat: int) -> str:
        """The game in words, as `seat` sees it."""
        return self.game.words.describe(self.state, seat)

    def view(self, seat: int) -> View:
        """The game as `seat` sees it, with the legal actions if the seat is to decide; everything for seat -1."""
        return view_of(self.game, self.state, seat, self.legal_actions() if self.current_player == seat >= 0 else ())

    def reveals(self, seat: int) -> list[Reveal]:
        """What the last move put on the table, as `seat` saw it."""
        before = self._bytes_before.view(self.states.dtype).view(np.recarray)[0]
        return reveals_of(self.game, before, self._last_move, self.state, seat)

    def action_text(self, action: int) -> str:
        """An action in words."""
        return self.game.words.action_text(self.state, action)

    def narrate(self, seat: int) -> str:
        """The last move in words, as `seat` saw it."""
        before = self._bytes_before.view(self.states.dtype).view(np.recarray)[0]
        return self.game.words.narrate(before, self._last_move, self.state, seat)

    # -- players and results ------------------------------------------------------------------------------------------

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the compiled players."""
        return ("random", *self.game.compiled_players)

    def choose_action(self, player: str, generator: npt.NDArray[np.uint64]) -> int:
        """The action that a compiled player takes for the seat to decide."""
        self._call(_LEGAL)
        policy, seat = self.players.index(player), self.current_player
        return _compiled_players(self.game)(self.states, policy, seat, self._mask, generator, NO_POLICY_TABLES)

    def forfeit(self, seat: int) -> float:
        """The reward of a seat that gives the game up now."""
        return float(self._call(_FORFEIT, seat))

    def score(self, seat: int) -> float:
        """The share of the game that `seat` has won, at the end."""
        return float(self._call(_SCORE, seat))

    def max_score(self) -> float:
        """What the scores of all seats sum to, at the end."""
        return float(self._call(_MAX_SCORE))

    def __str__(self) -> str:
        return _name(self.game, self.options)


@cache
def _name(game: Game, options: Options) -> str:
    return f"{game.id} ({', '.join(f'{name}={value}' for name, value in options.asdict().items())})"


class ContractError(AssertionError):
    """A game breaks the contract; the message says with which options, where and how."""


def expect(condition: object, message: str) -> None:
    """Raise `ContractError` unless the condition holds."""
    if not condition:
        raise ContractError(message)


def state_bytes(game: Game, states: npt.NDArray[Any]) -> bytes:
    """A batch of records as bytes, to compare with another of the same game; `paid` is no part of a state."""
    return states.view(np.uint8).reshape(len(states), -1)[:, _bytes_of_state(game)].tobytes()


def state_digest(states: npt.NDArray[Any]) -> str:
    """A digest of a batch of records, 16 hexadecimal digits.

    The field `paid` is left out: it is no part of a state. Fields are read one by one, so that the layout of the
    record makes no difference.
    """
    digest = hashlib.sha256()
    for name in states.dtype.names or ():
        if name != "paid":
            digest.update(np.ascontiguousarray(states[name]).tobytes())
    return digest.hexdigest()[:16]


def generator(*numbers: int) -> npt.NDArray[np.uint64]:
    """A generator of the kernel's kind, two uint64, whose key is drawn from some numbers."""
    key = np.random.default_rng(numbers).integers(0, 2**63)
    return np.array([key, 0], np.uint64)

"""What a compiled player would do in a state, and a game played move by move.

The functions are compiled once per game or observation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import NO_POLICY_TABLES
from cardgym.engine.binding import bind_rules
from cardgym.engine.compilation import bound, template
from cardgym.engine.contract import CHANCE, END, Float64s, Game, Int8s, Int64s, Options, State
from cardgym.engine.kernel import MAX_PLAYERS, Kernel, kernel_of
from cardgym.engine.rules import Generator


class Record(np.record):  # type: ignore[misc]  # NumPy's hints call it final.
    """A state with its fields as attributes, read in half the time: `np.record` checks whether a field is safe."""

    __getattribute__ = object.__getattribute__

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            raise AttributeError(f"the state has no field {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def record(states: npt.NDArray[Any]) -> State:
    """Return the first of `states`, with its fields as attributes."""
    return np.asarray(states).view(np.dtype((Record, states.dtype)))[0]


def info_state_indices(game: Game, states: npt.NDArray[Any], seats: Int64s) -> Int64s:
    """Return the index of what `seats[i]` knows in `states[i]`, (rows,), int64; see `StateIndex`."""
    indices = np.empty(len(states), np.int64)
    bind_rules(_write_indices, game)(np.asarray(states).view(game.state), seats, indices)
    return indices


@template
def _write_indices(states: Any, seats: Any, indices: Any) -> None:
    for i in range(states.shape[0]):
        indices[i] = bound.info_state_index(states[i], seats[i])


# -- what a player would do -------------------------------------------------------------------------------------------


def choose_actions(
    game: Game,
    options: Options,
    policy: str | Int8s,
    states: npt.NDArray[Any],
    seats: Int64s,
    generator: Generator,
) -> Int64s:
    """Return the actions that a player in the kernel would take.

    Args:
        policy: the name of a compiled player, or a policy table: int8 actions by info state index.
        states: (rows,).
        seats: (rows,), the seat to decide in each state.
        generator: (2,) uint64; the player draws from it, row by row.

    Returns:
        Actions, (rows,) int64.
    """
    names = [policy] if isinstance(policy, str) else []
    kernel = kernel_of(game, game.default_observation, names)
    number = kernel.players.index(policy) if isinstance(policy, str) else len(kernel.players)
    tables = NO_POLICY_TABLES if isinstance(policy, str) else policy[None]
    actions = np.empty(len(states), np.int64)
    mask = np.empty(game.actions(options), np.int8)
    _compiled_choose(kernel)(np.asarray(states).view(game.state), seats, number, mask, generator, tables, actions)
    return actions


@template
def _choose(states: Any, seats: Any, policy: int, mask: Any, generator: Generator, tables: Any, actions: Any) -> None:
    for i in range(states.shape[0]):
        bound.legal_action_mask(states[i], mask)
        actions[i] = bound.choose(policy, states[i], seats[i], mask, generator, tables)


@cache
def _compiled_choose(kernel: Kernel) -> Callable[..., None]:
    return kernel.entry_point(_choose)


# -- one game move by move --------------------------------------------------------------------------------------------

_SETUP, _READ, _APPLY, _LEGAL, _RESAMPLE, _FORFEIT, _SCORE, _MAX_SCORE = range(8)


class SingleGame:
    """A game played by its compiled rules, in which the caller makes every move, including those of chance.

    `states` has the state, as an array of one.
    """

    def __init__(self, game: Game, options: Options, states: npt.NDArray[Any]) -> None:
        """Continue from `states`, an array of one state, which is modified in place."""
        self.game = game
        self.options = options
        self.states = states
        self._mask: Int8s = np.zeros(game.actions(options), np.int8)
        self._paid = np.zeros(MAX_PLAYERS, np.float64)
        self._facts = np.zeros(5, np.int64)
        self._no_generator = np.zeros(2, np.uint64)
        self._rules = bind_rules(_call_rule, game)

    def _call(self, rule: int, seat: int = 0, move: int = 0, generator: Any = None) -> float:
        source = self._no_generator if generator is None else generator
        answer: float = self._rules(self.states, rule, seat, move, source, self._mask, self._paid, self._facts)
        return answer

    @property
    def num_chance_outcomes(self) -> int:
        """The number of chance outcomes; 0 at a decision or the end."""
        return int(self._facts[0])

    @property
    def current_player(self) -> int:
        """The seat to decide, CHANCE or END."""
        return int(self._facts[1])

    @property
    def deal(self) -> int:
        """The number of the current deal."""
        return int(self._facts[2])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.current_player == END

    def refresh(self) -> None:
        """Read the state again after modifying its array."""
        self._call(_READ)

    def setup(self, deck: Sequence[int] | None = None) -> None:
        """Start a new game in the same array, dealing from `deck` if given."""
        if deck is not None:
            self.game.rules.stack_deck(record(self.states), deck)
        self._call(_SETUP)

    def legal_action_mask(self, fill: int = 0) -> Int8s:
        """Return the action mask of the seat to decide, (actions,) int8; it is `fill` before the rules write it."""
        self._mask.fill(fill)
        self._call(_LEGAL)
        return self._mask.copy()

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the seat to decide, in order."""
        self._call(_LEGAL)
        actions: list[int] = np.flatnonzero(self._mask).tolist()
        return actions

    def allows(self, move: int) -> bool:
        """Whether a move is a legal action or, at a chance node, an outcome; False at the end."""
        if self.current_player >= 0:
            self._call(_LEGAL)
            return 0 <= move < len(self._mask) and bool(self._mask[move])
        return 0 <= move < self.num_chance_outcomes

    def apply_action(self, move: int) -> Float64s:
        """Play an action or chance outcome number `move`; return what it paid each seat, (8,) float64."""
        self._paid[:] = 0.0
        self._call(_APPLY, 0, move)
        return self._paid.copy()

    def info_state_key(self, seat: int) -> int:
        """Return the key of what `seat` knows."""
        self._call(_READ, seat)
        return int(self._facts[3])

    def info_state_index(self, seat: int) -> int:
        """Return the index of what `seat` knows; see `StateIndex`."""
        self._call(_READ, seat)
        return int(self._facts[4])

    def resample(self, seat: int, generator: npt.NDArray[np.uint64]) -> None:
        """Resample what `seat` cannot see; `generator` is (2,) uint64."""
        self._call(_RESAMPLE, seat, 0, generator)

    def forfeit(self, seat: int) -> float:
        """Return the reward of a seat that forfeits now."""
        return float(self._call(_FORFEIT, seat))

    def score(self, seat: int) -> float:
        """Return the share of the game that `seat` has won, at the end."""
        return float(self._call(_SCORE, seat))

    def max_score(self) -> float:
        """Return the sum of the scores of all seats, at the end."""
        return float(self._call(_MAX_SCORE))


def new_state(game: Game, options: Options) -> np.recarray[Any, Any]:
    """Return an array of one state with the options written, after `setup`."""
    states = game.blank_state(options)
    SingleGame(game, options, states).setup()
    return states


@template
def _call_rule(states: Any, rule: int, seat: int, move: int, generator: Any, mask: Any, paid: Any, facts: Any) -> float:
    """Call one rule. Then write to `facts`: chance outcomes, current player, deal, and the seat's key and index."""
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


@cache
def row_moves(kernel: Kernel) -> tuple[Callable[..., None], Callable[..., int]]:
    """Return the kernel's moves in a batch of one row, compiled: `start` and `next_move`.

    `start(states, rows)` sets up the row's next game, before any chance. `next_move(states, rows, policy_tables, mask)`
    returns the next chance outcome or action of a policy in the kernel, which is not played yet; -1 for a decision from
    outside or the end.
    """
    return kernel.entry_point(_start), kernel.entry_point(_next_move)


@template
def _start(states: Any, rows: Any) -> None:
    bound.prepare(states[0], rows[0])


@template
def _next_move(states: Any, rows: Any, policy_tables: Any, mask: Any) -> int:
    return int(bound.next_move(states[0], rows[0], policy_tables, mask))

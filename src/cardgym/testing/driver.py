"""A table whose every move, chance's too, is chosen from outside: for tests, hand-played lines and small solvers."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import NO_POLICY_TABLES
from cardgym.engine.compilation import bind, bound, template
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import MAX_PLAYERS, kernel_of
from cardgym.engine.registry import find
from cardgym.errors import CardgymError

SETUP, LOOK, APPLY, LEGAL, RESAMPLE, ASK, FORFEIT, DRAW = range(8)

END, CHANCE = -1, -2
"""Who moves, where it is no seat."""


@template
def _probe(
    states: Any, op: int, seat: int, move: int, generator: Any, mask: Any, tables: Any, paid: Any, facts: Any
) -> float:
    """One call of one rule; then the facts of the state: who moves, the deal, and the seat's key and index."""
    state = states[0]
    answer = 0.0
    if op == SETUP:
        bound.setup(state)
    elif op == APPLY:
        bound.apply_action(state, move)
        bound.rewards(state, paid)
    elif op == LEGAL:
        bound.legal_action_mask(state, mask)
    elif op == RESAMPLE:
        bound.resample(state, seat, generator)
    elif op == ASK:
        answer = float(bound.choose(move, state, seat, mask, generator, tables))
    elif op == FORFEIT:
        answer = float(bound.forfeit(state, seat))
    elif op == DRAW:
        answer = float(bound.draw(state, generator))
    facts[0] = bound.num_chance_outcomes(state)
    facts[1] = bound.current_player(state) if facts[0] == 0 else CHANCE
    facts[2] = bound.deal(state)
    facts[3] = bound.info_state_key(state, seat)
    facts[4] = bound.info_state_index(state, seat)
    return answer


@template
def _observation(states: Any, seat: int, out: Any) -> None:
    bound.observe(states[0], seat, out)


@cache
def _compiled(game: Game) -> Callable[..., float]:
    return kernel_of(game, game.default_observation, game.compiled_players).entry_point(_probe)


@cache
def _compiled_observation(game: Game, observation_name: str) -> Callable[..., None]:
    return bind(_observation, f"{game.id}_{observation_name}", observe=game.observation(observation_name).write)


@dataclass(frozen=True)
class Move:
    """One transition of a table.

    Attributes:
        seat: who moved, or CHANCE.
        num_chance_outcomes: how many outcomes chance had; 0 for a seat's action.
        move: the action, or the number of the outcome.
        paid: what it paid each seat, float64.
    """

    seat: int
    num_chance_outcomes: int
    move: int
    paid: npt.NDArray[np.float64]


class StateDriver:
    """One table of a game, played by its compiled rules one move at a time.

    Args:
        game: the game or its id; `module:Id-v0` imports the module that registers it.
        options: the game's options; those of its id if None.
    """

    def __init__(self, game: str | Game, options: Options | None = None) -> None:
        self.game = find(game)
        self.options = self.game.parse_options() if options is None else options
        self._probe = _compiled(self.game)
        self.states: npt.NDArray[Any] = np.zeros(1, self.game.state)
        self.options.write(self.state)
        self._mask: npt.NDArray[np.int8] = np.zeros(actions_of(self.game, self.options), np.int8)
        self._paid = np.zeros(MAX_PLAYERS, np.float64)
        self._facts = np.zeros(5, np.int64)
        self._idle = np.zeros(2, np.uint64)
        self.setup()

    def _call(self, op: int, seat: int = 0, move: int = 0, generator: Any = None) -> float:
        source = self._idle if generator is None else generator
        return self._probe(self.states, op, seat, move, source, self._mask, NO_POLICY_TABLES, self._paid, self._facts)

    @property
    def state(self) -> Any:
        """The record, its fields as attributes; writing to them changes the table."""
        return self.states.view(np.recarray)[0]

    @property
    def num_chance_outcomes(self) -> int:
        """How many outcomes chance has now; 0 at a decision or the end."""
        return int(self._facts[0])

    @property
    def seat(self) -> int:
        """The seat to decide, CHANCE or END."""
        return int(self._facts[1])

    @property
    def deal(self) -> int:
        """Which deal of the game this is."""
        return int(self._facts[2])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.seat == END

    def setup(self) -> None:
        """Set the game up anew in the same record."""
        self._call(SETUP)

    def look(self) -> None:
        """Read the facts anew, after the record was written to from outside."""
        self._call(LOOK)

    def mask(self) -> npt.NDArray[np.int8]:
        """What the seat to decide may do, (actions,) int8."""
        self._call(LEGAL)
        return self._mask.copy()

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to decide."""
        return [int(action) for action in np.flatnonzero(self.mask())]

    def apply(self, move: int) -> npt.NDArray[np.float64]:
        """Play an action, or outcome number `move` of chance; what it paid each seat, (8,) float64."""
        self._paid[:] = 0.0
        self._call(APPLY, 0, move)
        return self._paid.copy()

    def play(self, *moves: int) -> npt.NDArray[np.float64]:
        """Play moves one after another; the sum of what they paid each seat, (8,) float64."""
        total = np.zeros(MAX_PLAYERS, np.float64)
        for move in moves:
            total += self.apply(move)
        return total

    def observe(self, seat: int, observation_name: str | None = None) -> npt.NDArray[np.float32]:
        """What `seat` knows in an encoding (the game's first by default), (size,) float32."""
        name = observation_name or self.game.default_observation
        out = np.zeros(self.game.observation(name).size(self.options), np.float32)
        self.observe_into(seat, name, out)
        return out

    def observe_into(self, seat: int, observation_name: str, out: npt.NDArray[np.float32]) -> None:
        """Have the observation written into `out`, which says how long it is."""
        _compiled_observation(self.game, observation_name)(self.states, seat, out)

    def info_state_key(self, seat: int) -> int:
        """The code of what `seat` knows."""
        self._call(LOOK, seat)
        return int(self._facts[3])

    def info_state_index(self, seat: int) -> int:
        """The place of what `seat` knows in a table of the game's states."""
        self._call(LOOK, seat)
        return int(self._facts[4])

    def resample(self, seat: int, generator: npt.NDArray[np.uint64]) -> None:
        """Draw anew what `seat` cannot see; `generator` is two uint64, key and counter."""
        self._call(RESAMPLE, seat, 0, generator)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the compiled players."""
        return ("random", *self.game.compiled_players)

    def ask(self, player: str, generator: npt.NDArray[np.uint64]) -> int:
        """The action that a compiled player takes at the seat to decide."""
        seat = self.seat
        self._call(LEGAL)
        return int(self._call(ASK, seat, self.players.index(player), generator))

    def draw(self, generator: npt.NDArray[np.uint64]) -> int:
        """The chance outcome that the kernel draws now from its generator of cards and dice; -1 at a decision."""
        return int(self._call(DRAW, 0, 0, generator))

    def forfeit(self, seat: int) -> float:
        """The reward of a seat that gives the game up now."""
        return float(self._call(FORFEIT, seat))

    def copy(self) -> StateDriver:
        """A table in the same state that goes its own way."""
        other = object.__new__(StateDriver)
        other.__dict__.update(self.__dict__)
        for name in ("states", "_mask", "_paid", "_facts", "_idle"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def random_move(self, rng: np.random.Generator) -> Move:
        """Play a move drawn uniformly: an outcome of chance, or a legal action."""
        seat, outcomes = self.seat, self.num_chance_outcomes
        if outcomes:
            move = int(rng.integers(outcomes))
        else:
            actions = self.legal_actions()
            if not actions:
                raise ContractError(f"{self}: no action is legal for seat {seat}, and the game is not over")
            move = actions[int(rng.integers(len(actions)))]
        return Move(seat, outcomes, move, self.apply(move))

    def play_randomly(self, rng: np.random.Generator, most: int) -> Iterator[Move]:
        """Play random moves until the end, `most` at most, and yield each after it was played."""
        for _ in range(most):
            if self.over:
                return
            yield self.random_move(rng)

    def digest(self) -> str:
        """A digest of the state, `reward` left out, field by field and so whatever the record's layout."""
        return state_digest(self.states)

    def __str__(self) -> str:
        return f"{self.game.id} ({', '.join(f'{k}={v}' for k, v in self.options.asdict().items())})"


class ContractError(AssertionError):
    """A game breaks the contract; the message says with which options, where and how."""


def expect(condition: object, message: str) -> None:
    """Raise `ContractError` unless the condition holds."""
    if not condition:
        raise ContractError(message)


def actions_of(game: Game, options: Options) -> int:
    """How many actions there are under these options."""
    count = getattr(game, "actions", None)
    return int(game.num_actions if count is None else count(options))


def state_digest(states: npt.NDArray[Any]) -> str:
    """A digest of a batch of records, 16 hexadecimal digits; the field `reward` is no part of a state."""
    digest = hashlib.sha256()
    for name in states.dtype.names or ():
        if name != "reward":
            digest.update(np.ascontiguousarray(states[name]).tobytes())
    return digest.hexdigest()[:16]


def generator(*numbers: int) -> npt.NDArray[np.uint64]:
    """A generator of the kernel's kind, two uint64, its key drawn from some numbers."""
    key = np.random.default_rng(numbers).integers(0, 2**63)
    return np.array([key, 0], np.uint64)


def option_cases(game: Game, limit: int = 12) -> list[Options]:
    """Sets of options: those of the id, then others in which every option takes its values in turn.

    A number of a wide range is taken at its smallest and around its default, so that games stay short. Sets that the
    game refuses as a whole are left out.
    """
    first = game.parse_options()
    values: dict[str, list[Any]] = {}
    for spec in dataclasses.fields(game.options):
        default = getattr(first, spec.name)
        if "choices" in spec.metadata:
            others = list(spec.metadata["choices"])
        else:
            low, high, step = (int(spec.metadata[key]) for key in ("low", "high", "step"))
            whole = range(low, high + 1, step)
            others = list(whole) if len(whole) <= 8 else [low, low + step, min(default + step, high)]
        values[spec.name] = [default, *(value for value in others if value != default)]
    cases: list[Options] = [first]
    for number in range(1, 4 * limit):
        chosen, stride_of = {}, dict.fromkeys(map(len, values.values()), 1)
        for name, allowed in values.items():
            chosen[name] = allowed[number // stride_of[len(allowed)] % len(allowed)]
            stride_of[len(allowed)] *= len(allowed)
        with contextlib.suppress(CardgymError):
            case = game.options(**chosen)
            if case not in cases:
                cases.append(case)
        if len(cases) == limit:
            break
    return cases

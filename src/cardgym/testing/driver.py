"""`StateDriver`: a game in which the caller chooses every move, including chance outcomes.

For the contract checks, hand-played lines in tests, and small solvers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import look_into
from cardgym.engine.contract import Float32s, Float64s, Game, Options
from cardgym.engine.kernel import MAX_PLAYERS
from cardgym.engine.registry import find
from cardgym.engine.sight import narrate
from cardgym.engine.states import SingleGame, choose_actions, record
from cardgym.players import resolve
from cardgym.table.presentation import presentation_of, view_of
from cardgym.table.views import Reveal, View


@cache
def _bytes_of_state(game: Game) -> npt.NDArray[np.intp]:
    """Return the positions of the bytes that tell states apart: not those of `paid`, nor gaps between fields."""
    inside = np.zeros(game.state.itemsize, np.bool_)
    for name, (field, start, *_) in (game.state.fields or {}).items():
        inside[start : start + field.itemsize] = name != "paid"
    return np.flatnonzero(inside)


@dataclass(frozen=True)
class Move:
    """One move: of a seat or CHANCE, with its number of outcomes (0 for an action), and what it paid, (8,) float64."""

    seat: int
    num_chance_outcomes: int
    move: int
    paid: Float64s


class StateDriver(SingleGame):
    """Plays a game by its compiled rules, move by move.

    Tests of a game may subclass it to use the names of its cards and actions.

    Args:
        game: the game or its id; `module:Id-v0` imports the module that registers it.
        deck: the deck to deal from, for games whose rules have `stack_deck`.

    Raises:
        CardgymError: for an unknown game, an invalid option, or an impossible deck.
    """

    def __init__(
        self,
        game: str | Game,
        options: Options | Mapping[str, object] | None = None,
        *,
        deck: Sequence[int] | None = None,
    ) -> None:
        game = find(game)
        options = options if isinstance(options, Options) else game.parse_options(options)
        super().__init__(game, options, np.zeros(1, game.state))
        self.last_move = -1
        self._attach(self.states)
        self.options.write(self.state)
        self.setup(deck)

    def _attach(self, states: npt.NDArray[Any]) -> None:
        self.states = states
        self._bytes = states.view(np.uint8)  # Copying bytes is 20 times as fast as copying fields.
        self._bytes_before = np.zeros_like(self._bytes)
        self._state: Any = None

    # -- the state ----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The state, with its fields as attributes. Call `refresh` after writing to it."""
        if self._state is None:
            self._state = record(self.states)
        return self._state

    def copy(self) -> Self:
        """Return an independent driver in the same state."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._attach(np.empty_like(self.states))
        for name in ("_mask", "_paid", "_facts"):
            setattr(other, name, getattr(self, name).copy())
        other.assign(self)
        return other

    def assign(self, other: StateDriver) -> None:
        """Copy the state of the driver `other`, which has the same game and options."""
        self._bytes[:] = other._bytes
        self._bytes_before[:] = other._bytes_before
        self._facts[:] = other._facts
        self.last_move = other.last_move

    def state_bytes(self) -> bytes:
        """Return the state as bytes, without `paid`; equal states have equal bytes."""
        return state_bytes(self.game, self.states)

    def digest(self) -> str:
        """Return the digest of the state."""
        return state_digest(self.states)

    # -- moves --------------------------------------------------------------------------------------------------------

    def apply_action(self, move: int) -> Float64s:
        """Play an action or chance outcome number `move`; return what it paid each seat, (8,) float64."""
        self._bytes_before[:] = self._bytes
        self.last_move = move
        return super().apply_action(move)

    def play(self, *moves: int) -> Float64s:
        """Play several moves; return the sum of what they paid each seat, (8,) float64."""
        total = np.zeros(MAX_PLAYERS, np.float64)
        for move in moves:
            total += self.apply_action(move)
        return total

    def play_chance(self, choose: Callable[[int], Any]) -> Float64s:
        """Play chance outcomes up to the next decision or the end; return the sum of what they paid, (8,) float64.

        `choose` maps the number of outcomes to one of them, such as `numpy.random.default_rng(0).integers`.
        """
        total = np.zeros(MAX_PLAYERS, np.float64)
        while outcomes := self.num_chance_outcomes:
            total += self.apply_action(int(choose(outcomes)))
        return total

    def random_move(self, rng: np.random.Generator) -> Move:
        """Play and return a chance outcome or legal action, drawn by `rng`; raise `ContractError` without any."""
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
        """Play at most `most` random moves, drawn by `rng`, and yield each one after playing it."""
        for _ in range(most):
            if self.over:
                return
            yield self.random_move(rng)

    # -- what a seat knows --------------------------------------------------------------------------------------------

    def observe(self, seat: int, observation_name: str | None = None) -> Float32s:
        """Return the observation of `seat`, (size,) float32; the game's default observation if None."""
        name = observation_name or self.game.default_observation
        out = np.zeros(self.game.observation(name).size(self.options), np.float32)
        self.observe_into(seat, name, out)
        return out

    def observe_into(self, seat: int, observation_name: str, out: Float32s) -> None:
        """Write the observation of `seat` to `out`, (size,) float32."""
        seats, masks, keys = np.array([seat]), np.empty((1, len(self._mask)), np.int8), np.empty(1, np.int64)
        look_into(self.game, observation_name, self.states, seats, out[None], masks, keys)

    def describe(self, seat: int) -> str:
        """Return the game in words, as `seat` sees it."""
        return self.game.describe(self.state, seat)

    def view(self, seat: int) -> View:
        """Get the game as `seat` sees it, with the legal actions if the seat is to decide; everything for seat -1."""
        return view_of(self.game, self.state, seat, self.legal_actions() if self.current_player == seat >= 0 else ())

    def reveals(self, seat: int) -> list[Reveal]:
        """Return what the last move revealed, as `seat` saw it."""
        before = record(self._bytes_before.view(self.states.dtype))
        names = self.game.names(seat, self.options.num_players)
        return presentation_of(self.game).reveals(before, self.last_move, self.state, seat, names)

    def action_text(self, action: int) -> str:
        """Return an action in words."""
        return self.game.action_text(self.state, action)

    def narrate(self, seat: int) -> str:
        """Return the last move in words, as `seat` saw it."""
        before = record(self._bytes_before.view(self.states.dtype))
        return narrate(self.game, before, self.last_move, self.state, seat)

    # -- players and results ------------------------------------------------------------------------------------------

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the compiled players."""
        return ("random", *self.game.compiled_players)

    def choose_action(self, player: str, generator: npt.NDArray[np.uint64]) -> int:
        """Return the action of a compiled player for the seat to decide; `generator` is its state, (2,), uint64."""
        seats = np.array([self.current_player])
        return int(choose_actions(self.game, self.options, player, self.states, seats, generator)[0])

    def chooser(self, player: str | Callable[..., int], rng: np.random.Generator) -> Callable[[], int]:
        """Return a function that returns the action of a player for the seat to decide, drawn by `rng`.

        The player is a name or, as in `Game.players`, a rule.
        """
        if not isinstance(player, str):
            rule = player
            return lambda: int(rule(self.state, self.current_player, self.legal_action_mask(), _source(rng)))
        if player in self.players:
            name = player
            return lambda: self.choose_action(name, _source(rng))
        resolved = resolve(player, self.game, self.options)

        def choose() -> int:
            seen = self.observe(self.current_player, resolved.observation_name)
            return int(resolved.act(seen[None], self.legal_action_mask()[None], rng.random(1))[0])

        return choose

    def __str__(self) -> str:
        return _name(self.game, self.options)


def _source(rng: np.random.Generator) -> npt.NDArray[np.uint64]:
    return rng.integers(2**63, size=2, dtype=np.uint64)


@cache
def _name(game: Game, options: Options) -> str:
    return f"{game.id} ({', '.join(f'{name}={value}' for name, value in options.asdict().items())})"


def positions(
    driver: StateDriver, seed: int, most: int, *, again: bool = False, ends: bool = False
) -> Iterator[tuple[int, str]]:
    """At most `most` positions of random play, each with its number and with words for messages.

    With `ends`, final positions are among them; with `again`, another game follows the end.
    """
    rng = np.random.default_rng(seed)
    for number in range(most):
        if driver.over and not ends:
            if not again:
                return
            driver.setup()
        yield number, f"{driver}, seed {seed}, move {number}"
        if not driver.over:
            driver.random_move(rng)
        elif again:
            driver.setup()
        else:
            return


class ContractError(AssertionError):
    """A game breaks the contract; the message says how, and with which options, seed and move."""


def expect(condition: object, message: str) -> None:
    """Raise `ContractError` unless the condition holds."""
    if not condition:
        raise ContractError(message)


def state_bytes(game: Game, states: npt.NDArray[Any]) -> bytes:
    """Return an array of states as bytes, without `paid`; equal states have equal bytes."""
    return states.view(np.uint8).reshape(len(states), -1)[:, _bytes_of_state(game)].tobytes()


def state_digest(states: npt.NDArray[Any]) -> str:
    """Return a digest of an array of states without `paid`, 16 hexadecimal digits.

    It does not depend on the layout of the dtype, because it reads the fields one by one.
    """
    digest = hashlib.sha256()
    for name in states.dtype.names or ():
        if name != "paid":
            digest.update(np.ascontiguousarray(states[name]).tobytes())
    return digest.hexdigest()[:16]


def generator(*numbers: int) -> npt.NDArray[np.uint64]:
    """Return a generator for compiled rules, (2,) uint64, seeded with the numbers."""
    key = np.random.default_rng(numbers).integers(0, 2**63)
    return np.array([key, 0], np.uint64)

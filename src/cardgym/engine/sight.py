"""What a seat sees of a position, which moves it cannot tell apart, and what it is told of a move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cardgym.engine.batch import look
from cardgym.engine.contract import Game, Names, State
from cardgym.engine.rules import hides_nothing, no_resample
from cardgym.engine.states import SingleGame, record
from cardgym.errors import CardgymError

_WORLDS = 8
"""How many times what a seat cannot see is drawn again, in search of a move that would look the same to it."""


def narrate(game: Game, before: State, move: int, after: State, seat: int, names: Names | None = None) -> str:
    """Put a move into words, as `seat` saw it; empty if it saw nothing. See `Words`."""
    names = names or game.names(seat, int(before.num_players))
    if game.words.narrate is not None:
        return game.words.narrate(before, move, after, seat, names)
    if game.rules.num_chance_outcomes(before) > 0:
        seen = game.describe(before, seat).splitlines()
        return "\n".join(line for line in game.describe(after, seat).splitlines() if line not in seen)
    mover = int(game.rules.current_player(before))
    if seat != mover and not can_tell(game, before, move, after, seat):
        return ""
    return f"{names[mover]}: {game.action_text(before, move)}"


def is_told(position: SingleGame, seats: Sequence[int]) -> bool:
    """Whether one of `seats` reads of the decision that is due, judged by its first action."""
    after = _copy(position)
    after.apply_action(action := position.legal_actions()[0])
    moved = record(position.states), action, record(after.states)
    return any(narrate(position.game, *moved, seat) for seat in seats)


def looks_same(one: SingleGame, two: SingleGame, seat: int, *, choices: bool = True) -> bool:
    """Whether two positions of a game look the same to `seat`.

    It sees who is to decide, what the last move paid it, every observation and the description; with `choices`, its
    legal actions and their words too.
    """
    return all(
        first == second for first, second in zip(_seen(one, seat, choices), _seen(two, seat, choices), strict=False)
    )


def _seen(position: SingleGame, seat: int, choices: bool) -> Iterator[object]:
    """Yield what `seat` sees, part by part, the cheapest first: positions often differ in the first."""
    game, options, states = position.game, position.options, position.states
    yield position.current_player, position.deal, float(states["paid"][0, seat])
    for name in game.observations:
        yield look(game, options, states, np.array([seat], np.int64), name)[0].tobytes()
    state = record(states)
    yield game.describe(state, seat)
    if choices and position.current_player == seat:
        yield [(action, game.action_text(state, action)) for action in position.legal_actions()]


def can_tell(game: Game, before: State, move: int, after: State, seat: int) -> bool:
    """Whether `seat` sees which action another seat took.

    It does not if another action would look the same to it: one that was legal, or that would have been legal with
    other hidden cards. Where chance moves after one of the two actions only, the seat sees what comes of it.
    """
    options = game.options.read(before)
    start, reached = (SingleGame(game, options, np.frombuffer(state.tobytes(), game.state).copy())
                      for state in (before, after))  # fmt: skip
    start.refresh()
    reached.refresh()
    text = game.action_text(before, move)
    for world in _worlds(start, seat):
        for action in world.legal_actions():
            if game.action_text(record(world.states), action) != text:
                other = _copy(world)
                other.apply_action(action)
                if looks_same(*_level(reached, other), seat):
                    return False
    return True


def _worlds(start: SingleGame, seat: int) -> Iterator[SingleGame]:
    """Yield the position as it is, then as it may be for all that `seat` knows."""
    yield start
    if start.game.rules.resample not in (hides_nothing, no_resample):
        for number in range(_WORLDS):
            world = _copy(start)
            world.resample(seat, np.array([number, 0], np.uint64))
            world.refresh()
            yield world


def _level(one: SingleGame, two: SingleGame) -> tuple[SingleGame, SingleGame]:
    """Two positions, both at a decision or both before chance: chance plays on where it moves in one of them only."""
    if bool(one.num_chance_outcomes) != bool(two.num_chance_outcomes):
        one, two = _copy(one), _copy(two)
        for position in (one, two):
            while position.num_chance_outcomes:
                position.apply_action(0)
    return one, two


def _copy(position: SingleGame) -> SingleGame:
    copy = SingleGame(position.game, position.options, position.states.copy())
    copy.refresh()
    return copy


def require_resample(game: Game) -> None:
    """Refuse a game that does not say what a seat cannot see, for what needs to know: advice, sampled worlds, tests."""
    if game.rules.resample is no_resample:
        raise CardgymError(
            f"{game.id} does not say what a seat cannot see: pass `resample=` to Rules, a rule `resample(state, seat, "
            "generator)` that redraws it, or `hides_nothing` if every seat sees everything"
        )

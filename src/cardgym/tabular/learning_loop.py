"""The loop of Q-learning and Sarsa over a table, compiled for a game; `cardgym.tabular.learning` drives it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.compilation import bind, rule
from cardgym.generator import uniform, uniform_float
from cardgym.kernel import Kernel, uniform_legal
from cardgym.players.hashed import hash_of

DECISIONS, GAMES, STATES, UNTIL, FULL = range(5)
"""Places in the whole numbers that `_learn` reads and writes."""


def _unbound(*_: Any) -> Any:
    raise NotImplementedError("a template is used through `learning_loop`")


draw = actor = legal = apply = rewards = choose = prepare = observe = index = row_of = deal = _unbound


def _row_by_index(state: Any, seat: int, observation: Any, keys: Any, numbers: Any) -> int:
    return int(index(state, seat))


def _row_by_hash(state: Any, seat: int, observation: Any, keys: Any, numbers: Any) -> int:
    """The row of the observation, made if need be; -1 if there is no room. Linear probing."""
    observe(state, seat, observation)
    key = hash_of(observation)
    last = np.uint64(keys.shape[0] - 1)
    place = key & last
    while keys[place] != key:
        if keys[place] == np.uint64(0):
            if numbers[STATES] * 4 >= keys.shape[0] * 3:
                return -1
            keys[place] = key
            numbers[STATES] += 1
            break
        place = (place + np.uint64(1)) & last
    return np.int64(place)  # type: ignore[return-value]  # int() would keep it unsigned when compiled.


@rule
def best_legal(values: npt.NDArray[np.float64], mask: npt.NDArray[np.int8]) -> float:
    """The highest value of a legal action."""
    best = -np.inf
    for action in range(mask.shape[0]):
        if mask[action] and values[action] > best:
            best = values[action]
    return float(best)


@rule
def greedy_legal(values: npt.NDArray[np.float64], mask: npt.NDArray[np.int8], generator: Any) -> int:
    """A legal action of the highest value, at random among equals."""
    best = best_legal(values, mask)
    equals = 0
    for action in range(mask.shape[0]):
        equals += mask[action] != 0 and values[action] == best
    place = uniform(generator, equals) if equals > 1 else 0
    for action in range(mask.shape[0]):
        if mask[action] and values[action] == best:
            if place == 0:
                return action
            place -= 1
    return -1


@rule
def linear(step: float, start: float, end: float, steps: float) -> float:
    """From `start` to `end` in `steps`, in a straight line; `end` from there on."""
    return end if step >= steps else start + (end - start) * step / steps


@rule
def update(values: Any, visits: Any, opened: Any, seat: int, target: float, numbers: Any, settings: Any) -> None:
    """Move the value of what the seat did last towards `target`, if that waits; then nothing waits."""
    state = opened[seat, 0]
    if state < 0:
        return
    action = opened[seat, 1]
    visits[state, action] += 1
    size = linear(float(numbers[DECISIONS]), settings[4], settings[5], settings[0])
    if settings[6] > 0.0:
        size /= float(visits[state, action]) ** settings[6]
    values[state, action] += size * (target - values[state, action])
    opened[seat, 0] = -1


def _learn(
    states: Any,
    rows: Any,
    tables: Any,
    choices: Any,
    shares: Any,
    values: Any,
    visits: Any,
    keys: Any,
    observation: Any,
    mask: Any,
    opened: Any,
    pay: Any,
    generator: Any,
    numbers: Any,
    settings: Any,
    sarsa: bool,
    deal_ends: bool,
) -> None:
    """Play and learn until the learner has taken `numbers[UNTIL]` decisions.

    `opened[seat]` is the state and the action that wait for the seat's next decision, or -1; `pay[0, seat]` what the
    seat was paid since.
    """
    state = states[0]
    row = rows[0]
    while numbers[DECISIONS] < numbers[UNTIL]:
        if row.actor < 0:
            for place in range(1, state.num_players):
                drawn = uniform_float(generator)
                number = 0
                while number < shares.shape[0] - 1 and shares[number] <= drawn:
                    number += 1
                row.lineup[place] = choices[number]
            prepare(state, row)
            row.actor = 0
        before_deal = deal(state)
        move = draw(state, row.chance)
        seat = -1
        ended = False
        if move < 0:
            seat = actor(state)
            ended = seat < 0
        learns = False
        here = -1
        if seat >= 0:
            legal(state, mask)
            policy = row.policies[seat]
            learns = policy < 0
            if learns:
                here = row_of(state, seat, observation, keys, numbers)
                if here < 0:
                    numbers[FULL] = 1
                    return
                step = float(numbers[DECISIONS])
                if uniform_float(generator) < linear(step, settings[1], settings[2], settings[3]):
                    move = uniform_legal(mask, generator)
                else:
                    move = greedy_legal(values[here], mask, generator)
            else:
                move = choose(policy, state, seat, mask, row.choice, tables)
        for other in range(state.num_players):
            if ended or (learns and other == seat):
                ahead = 0.0
                if not ended:
                    ahead = values[here, move] if sarsa else best_legal(values[here], mask)
                update(values, visits, opened, other, pay[0, other] + settings[7] * ahead, numbers, settings)
        if ended:
            row.actor = -1
            numbers[GAMES] += 1
            continue
        if learns:
            numbers[DECISIONS] += 1
            opened[seat, 0] = here
            opened[seat, 1] = move
            pay[0, seat] = 0.0
        apply(state, move)
        for other in range(state.num_players):
            pay[1, other] = 0.0
        rewards(state, pay[1])
        for other in range(state.num_players):
            pay[0, other] += pay[1, other]
        if deal_ends and deal(state) != before_deal:
            for other in range(state.num_players):
                update(values, visits, opened, other, pay[0, other], numbers, settings)


@cache
def learning_loop(kernel: Kernel, encoding: str) -> Callable[..., Any]:
    """`_learn` with the rules and players of a kernel; states are observations by that name, hashed, or numbered."""
    game, suffix = kernel.game, f"{kernel.suffix}_{encoding or 'index'}"
    if encoding:
        row = bind(_row_by_hash, suffix, game.sources, observe=game.encoding(encoding).write)
    else:
        row = bind(_row_by_index, suffix, game.sources, index=game.index)
    rules = {name: getattr(game, name) for name in ("actor", "legal", "apply", "rewards", "deal")}
    return bind(
        _learn,
        suffix,
        game.sources,
        **rules,
        row_of=row,
        draw=kernel.draw,
        choose=kernel.choose,
        prepare=kernel.prepare,
    )

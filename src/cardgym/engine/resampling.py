"""The default `resample`: a search of the game for the states that look the same to a seat."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from cardgym.engine.rules import Generator, rule, uniform_float
from cardgym.errors import CardgymError

MAX_MOVES, MAX_STATES = 64, 100_000
"""The longest line of play and the largest number of states in a search."""


def by_search(game: Any) -> Any:
    """A `resample` for a small `Game` without options, whose default observation tells a seat all that it has seen.

    It searches every line of play for the states with the seat's observation and the same player to decide, and draws
    one of them with the probability of its chance moves. The last payments are left as they are.

    Raises:
        CardgymError: if the game has options.
    """
    if dataclasses.fields(game.options):
        raise CardgymError(f"{game.id}: a game with options defines `resample`, or passes `hides_nothing`")
    rules, observation = game.rules, game.observation(game.default_observation)
    setup, num_chance_outcomes, apply_action = rules.setup, rules.num_chance_outcomes, rules.apply_action
    current_player, legal_action_mask = rules.current_player, rules.legal_action_mask
    observe, size, num_actions = observation.write, observation.size(game.parse_options()), game.num_actions

    @rule
    def to_act(state: Any) -> int:
        outcomes = num_chance_outcomes(state)
        return -1 - outcomes if outcomes > 0 else int(current_player(state))

    @rule
    def replay(state: Any, path: Any, length: int, mask: Any) -> float:
        """Play a line from the start. Returns the probability of its chance moves; -1 if the last move is illegal."""
        probability = 1.0
        setup(state)
        for place in range(length):
            outcomes = num_chance_outcomes(state)
            if outcomes > 0:
                probability /= outcomes
            elif place == length - 1:
                legal_action_mask(state, mask)
                if mask[path[place]] == 0:
                    return -1.0
            state.paid[:] = 0.0
            apply_action(state, path[place])
        return probability

    @rule
    def resample(state: Any, seat: int, generator: Generator) -> None:
        seen, other = np.zeros(size, np.float32), np.zeros(size, np.float32)
        mask, paid = np.zeros(num_actions, np.int8), state.paid.copy()
        path, width = np.zeros(MAX_MOVES, np.int64), np.zeros(MAX_MOVES, np.int64)
        observe(state, seat, seen)
        acts = to_act(state)
        total, goal = 0.0, np.inf
        for _ in range(2):  # The first pass sums the probabilities; the second stops at a random point of the sum.
            found = 0.0
            length = visited = 0
            while True:
                visited += 1
                if visited > MAX_STATES or length == MAX_MOVES:
                    raise ValueError("the game is too large for the default `resample`: define one")
                probability = replay(state, path, length, mask)
                moves = 0
                if probability >= 0.0:
                    now = to_act(state)
                    moves = -1 - now if now < -1 else num_actions if now >= 0 else 0
                    other[:] = 0.0
                    observe(state, seat, other)
                    if now == acts and np.all(other == seen):
                        found += probability
                        if found > goal or found == total:
                            for owner in range(paid.size):  # Assigned as a whole, it takes seconds to compile.
                                state.paid[owner] = paid[owner]
                            return
                if moves > 0:
                    path[length], width[length] = 0, moves
                    length += 1
                    continue
                while length > 0 and path[length - 1] == width[length - 1] - 1:
                    length -= 1
                if length == 0:
                    break
                path[length - 1] += 1
            total = found
            goal = uniform_float(generator) * total

    return resample

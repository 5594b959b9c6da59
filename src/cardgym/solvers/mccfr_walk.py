"""The compiled walks of external-sampling MCCFR; see `mccfr`.

All actions of a decision get the same chance outcomes (common random numbers). Each value keeps its distribution, and
the differences between values are less noisy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import bound, template
from cardgym.engine.kernel import MAX_PLAYERS
from cardgym.engine.rules import Generator, hash_of, next_bits, rule, uniform, uniform_float
from cardgym.solvers.walk import find_place

DONE, FULL, TOO_DEEP = range(3)


@rule
def match_regrets(regrets: npt.NDArray[np.float32], mask: npt.NDArray[np.int8], out: npt.NDArray[np.float64]) -> None:
    """Fill `out` with the strategy proportional to positive regrets; uniform over legal actions if none is positive."""
    total = 0.0
    legal = 0
    for action in range(mask.shape[0]):
        out[action] = max(float(regrets[action]), 0.0) if mask[action] else 0.0
        total += out[action]
        legal += mask[action] != 0
    for action in range(mask.shape[0]):
        if mask[action]:
            out[action] = out[action] / total if total > 0.0 else 1.0 / legal


@rule
def draw_action(strategy: npt.NDArray[np.float64], mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """An action sampled from the strategy."""
    left = uniform_float(generator)
    chosen = -1
    for action in range(mask.shape[0]):
        if mask[action] and strategy[action] > 0.0 and left >= 0.0:
            chosen = action
            left -= strategy[action]
    return chosen


@template
def walk(
    states: Any, copies: Any, num_players: int, keys: Any, regrets: Any, sums: Any, observation: Any, generator: Any,
    by_deal: bool, branch: float, goal: int, counters: Any,
) -> int:  # fmt: skip
    """Iterate up to `goal`. `states` and `copies` share memory: the initial state, and the state at each frame.

    A frame is a decision of the updating seat: its row in the table, its strategy, the values of its actions, and the
    position of the walk's chance stream.
    """
    num_actions = regrets.shape[1]
    depth_limit = states.shape[0] - 2
    places = np.empty(depth_limit, np.int64)
    actions = np.empty(depth_limit, np.int64)
    masks = np.empty((depth_limit, num_actions), np.int8)
    strategies = np.empty((depth_limit, num_actions))
    values = np.empty((depth_limit, num_actions))
    earned = np.empty(depth_limit + 1)
    chance = np.zeros(2, np.uint64)
    drawn = np.empty(depth_limit, np.uint64)
    branches = np.empty(depth_limit, np.bool_)
    mask = np.empty(num_actions, np.int8)
    strategy = np.empty(num_actions)
    paid = np.empty(MAX_PLAYERS)
    size = copies.shape[1]
    last = states.shape[0] - 1
    while counters[0] < goal:
        # An iteration adds few observations, so a half-empty table cannot fill up during one.
        if counters[1] * 2 >= keys.shape[0]:
            return FULL
        weight = float(counters[0] + 1)
        deal = bound.deal(states[0]) if by_deal else -1
        for turn in range(num_players):
            depth = 0
            chance[0], chance[1] = next_bits(generator), 0
            for byte in range(size):
                copies[last, byte] = copies[0, byte]
            total = 0.0
            while True:
                # Play on to the seat's next decision, or to the end.
                state = states[last]
                finished = False
                while True:
                    outcomes = bound.num_chance_outcomes(state)
                    if by_deal and bound.deal(state) != deal:
                        finished = True
                        break
                    if outcomes > 0:
                        move = np.int64(uniform(chance, outcomes))
                    else:
                        seat = bound.current_player(state)
                        if seat < 0:
                            finished = True
                            break
                        bound.legal_action_mask(state, mask)
                        bound.observe(state, seat, observation)
                        key = hash_of(observation)
                        place = find_place(keys, key)
                        if keys[place] == np.uint64(0):
                            if (counters[1] + 1) * 8 >= keys.shape[0] * 7:
                                return FULL
                            keys[place] = key
                            counters[1] += 1
                        counters[2] += 1
                        match_regrets(regrets[place], mask, strategy)
                        if seat == turn:
                            break
                        for action in range(num_actions):
                            sums[place, action] += weight * strategy[action]
                        move = np.int64(draw_action(strategy, mask, generator))
                    bound.apply_action(state, move)
                    for other in range(num_players):
                        paid[other] = 0.0
                    bound.rewards(state, paid)
                    total += paid[turn]
                if not finished:
                    if depth == depth_limit:
                        return TOO_DEEP
                    # A new frame: save the state and start with the first action.
                    for byte in range(size):
                        copies[depth + 1, byte] = copies[last, byte]
                    places[depth] = place
                    actions[depth] = -1
                    earned[depth] = total
                    drawn[depth] = chance[1]
                    for action in range(num_actions):
                        masks[depth, action] = mask[action]
                        strategies[depth, action] = strategy[action]
                    branches[depth] = branch >= 1.0 or uniform_float(generator) < branch
                    if not branches[depth]:
                        move = np.int64(draw_action(strategy, mask, generator))
                        for action in range(num_actions):
                            masks[depth, action] = action == move
                            strategies[depth, action] = action == move
                    depth += 1
                elif depth > 0:
                    values[depth - 1, actions[depth - 1]] = total
                # The next action of the deepest frame; frames without one are complete.
                while depth > 0:
                    frame = depth - 1
                    action = actions[frame] + 1
                    while action < num_actions and masks[frame, action] == 0:
                        action += 1
                    if action < num_actions:
                        actions[frame] = action
                        break
                    value = 0.0
                    for action in range(num_actions):
                        if masks[frame, action]:
                            value += strategies[frame, action] * values[frame, action]
                    for action in range(num_actions):
                        if masks[frame, action] and branches[frame]:
                            regrets[places[frame], action] += weight * (values[frame, action] - value)
                    depth -= 1
                    if depth > 0:
                        values[depth - 1, actions[depth - 1]] = value
                if depth == 0:
                    break
                frame = depth - 1
                for byte in range(size):
                    copies[last, byte] = copies[frame + 1, byte]
                total = earned[frame]
                chance[1] = drawn[frame]
                state = states[last]
                bound.apply_action(state, actions[frame])
                for other in range(num_players):
                    paid[other] = 0.0
                bound.rewards(state, paid)
                total += paid[turn]
        if by_deal:
            # Play out the deal with the current strategies; the next iteration starts where it ends.
            state = states[0]
            while True:
                outcomes = bound.num_chance_outcomes(state)
                if outcomes > 0:
                    bound.apply_action(state, np.int64(uniform(generator, outcomes)))
                    if bound.deal(state) != deal:
                        break
                    continue
                seat = bound.current_player(state)
                if seat < 0:
                    bound.setup(state)
                    break
                bound.legal_action_mask(state, mask)
                bound.observe(state, seat, observation)
                place = find_place(keys, hash_of(observation))
                match_regrets(regrets[place], mask, strategy)
                bound.apply_action(state, draw_action(strategy, mask, generator))
                if bound.deal(state) != deal:
                    break
        counters[0] += 1
    return DONE

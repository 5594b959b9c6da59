"""Transitions from one turn of a seat to its next: observation, action, reward, next observation."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardgym.engine.contract import Float64s, Int64s
from cardgym.files.limits import check_memory
from cardgym.learn.rollouts import Turns


class Transitions(NamedTuple):
    """Transitions, one in each row: from a turn of a seat to its next turn (its n-th next), or to the game's end.

    Attributes:
        observations: what the seat saw, (rows, size), float32.
        actions: what it did, (rows,), int64.
        rewards: what it was paid until the next turn, discounted and summed over n of them, (rows,), float32.
        next_observations: what it saw at that next turn, (rows, size), float32.
        next_masks: what was legal then, (rows, actions), bool.
        done: whether the game ended first, (rows,), bool. The next observation and mask then mean nothing.
    """

    observations: Any
    actions: Any
    rewards: Any
    next_observations: Any
    next_masks: Any
    done: Any


class TransitionBuilder:
    """Builds n-step transitions from the turns of a rollout.

    A transition spans everything between two turns of its stream: the other players' turns, chance, and all rewards
    paid to the stream. A reward before the stream's first turn belongs to no action and is dropped.
    With n steps a transition is complete at the n-th next turn; the end of the game completes all that are open.
    """

    saved: ClassVar[tuple[str, ...]] = ("_observations", "_actions", "_rewards", "_open", "_next", "_paid")

    def __init__(self, num_streams: int, observation_size: int, num_actions: int, n_step: int, gamma: float) -> None:
        self.n_step = n_step
        self.gamma = gamma
        self._num_actions = num_actions
        needed = n_step * num_streams * (4 * observation_size + 16)
        check_memory(f"the last {n_step:,} turns of {num_streams:,} streams", needed, "lower n_step or num_envs")
        # Each stream has a ring of its last n turns.
        self._observations = np.zeros((n_step, num_streams, observation_size), np.float32)
        self._actions = np.zeros((n_step, num_streams), np.int64)
        self._rewards = np.zeros((n_step, num_streams), np.float64)
        self._open = np.zeros(num_streams, np.int64)  # How many of them wait for rewards.
        self._next = np.zeros(num_streams, np.int64)  # The slot of the next turn.
        self._paid = np.zeros(num_streams, np.float64)  # Rewards of the stream since its last turn.

    def act(self, turns: Turns, actions: Int64s) -> None:
        """Record the actions, (turns,), int64, that were chosen at these turns."""
        streams = turns.streams
        slots = self._next[streams]
        self._observations[slots, streams] = turns.observations
        self._actions[slots, streams] = actions
        self._rewards[slots, streams] = 0.0
        self._paid[streams] = 0.0
        self._next[streams] = (slots + 1) % self.n_step
        self._open[streams] += 1

    def complete(self, rewards: Float64s, turns: Turns, ended: Int64s) -> tuple[Transitions, Transitions]:
        """The transitions that the last step completed by another turn of their stream, and by the end of their game.

        `turns` follow the step; it paid each stream `rewards`, (streams,), float64, and ended the games of the streams
        `ended`, (ended,), int64.
        """
        self._paid += rewards
        return self._turn(turns), self._end(ended)

    def _turn(self, turns: Turns) -> Transitions:
        self._credit(turns.streams)
        full = np.flatnonzero(self._open[turns.streams] == self.n_step)
        streams = turns.streams[full]
        self._open[streams] -= 1
        slots = self._next[streams]  # All slots are taken: the next one to be overwritten has the oldest turn.
        done = np.zeros(len(streams), np.bool_)
        return self._transitions(slots, streams, turns.observations[full], turns.masks[full] != 0, done)

    def _end(self, ended: Int64s) -> Transitions:
        self._credit(ended)
        ages, which = np.nonzero(np.arange(self.n_step)[:, None] < self._open[ended])
        streams = ended[which]
        slots = (self._next[streams] - 1 - ages) % self.n_step
        self._open[ended] = 0
        next_observations = np.zeros((len(streams), self._observations.shape[2]), np.float32)
        next_masks = np.ones((len(streams), self._num_actions), np.bool_)
        return self._transitions(slots, streams, next_observations, next_masks, np.ones(len(streams), np.bool_))

    def _transitions(self, slots: Int64s, streams: Int64s, *after: Any) -> Transitions:
        """The transitions from the turns in these slots to what comes `after` them: the last three fields."""
        rewards = self._rewards[slots, streams].astype(np.float32)
        return Transitions(self._observations[slots, streams], self._actions[slots, streams], rewards, *after)

    def _credit(self, streams: Int64s) -> None:
        """Add what was paid since the last turn to every open turn, discounted by the turn's age."""
        for age in range(self.n_step):
            older = streams[self._open[streams] > age]
            slots = (self._next[older] - 1 - age) % self.n_step
            self._rewards[slots, older] += self.gamma**age * self._paid[older]
        self._paid[streams] = 0.0

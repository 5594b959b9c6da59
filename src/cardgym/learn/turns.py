"""From the turns of many seats at many tables to transitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cardgym.learn.dqn.replay import Transitions


class TurnRecorder:
    """Turns of many seats at many tables made into transitions.

    A stream is one seat at one table. What lies between two of its turns, other players' turns and chance, is part
    of one transition, and so is everything the seat is paid meanwhile. What it is paid before its first turn belongs
    to no action. Over n steps a transition waits for n rewards; the end of the game closes all that wait.
    """

    def __init__(self, streams: int, observation_size: int, n_step: int, gamma: float) -> None:
        self.n_step = n_step
        self.gamma = gamma
        self._observations = np.zeros((n_step, streams, observation_size), np.float32)
        self._actions = np.zeros((n_step, streams), np.int64)
        self._rewards = np.zeros((n_step, streams), np.float64)
        self._open = np.zeros(streams, np.int64)
        self._next = np.zeros(streams, np.int64)
        self._paid = np.zeros(streams, np.float64)

    def act(
        self,
        streams: npt.NDArray[np.int64],
        observations: npt.NDArray[np.float32],
        actions: npt.NDArray[np.int64],
    ) -> None:
        """These streams saw this and did that; call after `turn` for the same streams."""
        place = self._next[streams]
        self._observations[place, streams] = observations
        self._actions[place, streams] = actions
        self._rewards[place, streams] = 0.0
        self._paid[streams] = 0.0
        self._next[streams] = (place + 1) % self.n_step
        self._open[streams] += 1

    def pay(self, amounts: npt.NDArray[np.float64]) -> None:
        """Every stream was paid this much, (streams,)."""
        self._paid += amounts

    def turn(
        self,
        streams: npt.NDArray[np.int64],
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
    ) -> Transitions:
        """These streams are to decide again: the transitions that this completes, as NumPy arrays."""
        self._settle(streams)
        full = np.flatnonzero(self._open[streams] == self.n_step)
        whole = streams[full]
        self._open[whole] -= 1
        place = self._next[whole]  # With all places taken, the next to be overwritten is the oldest.
        return Transitions(
            self._observations[place, whole],
            self._actions[place, whole],
            self._rewards[place, whole].astype(np.float32),
            observations[full],
            masks[full] != 0,
            np.zeros(len(whole), np.bool_),
        )

    def end(self, streams: npt.NDArray[np.int64], num_actions: int) -> Transitions:
        """The games of these streams ended: their last transitions, with `done` set."""
        self._settle(streams)
        ages, which = np.nonzero(np.arange(self.n_step)[:, None] < self._open[streams])
        whole = streams[which]
        place = (self._next[whole] - 1 - ages) % self.n_step
        self._open[streams] = 0
        return Transitions(
            self._observations[place, whole],
            self._actions[place, whole],
            self._rewards[place, whole].astype(np.float32),
            np.zeros((len(whole), self._observations.shape[2]), np.float32),
            np.ones((len(whole), num_actions), np.bool_),
            np.ones(len(whole), np.bool_),
        )

    def _settle(self, streams: npt.NDArray[np.int64]) -> None:
        """Give what was paid since the last turn to every open turn, discounted by its age."""
        for age in range(self.n_step):
            older = streams[self._open[streams] > age]
            place = (self._next[older] - 1 - age) % self.n_step
            self._rewards[place, older] += self.gamma**age * self._paid[older]
        self._paid[streams] = 0.0

    def state_dict(self) -> dict[str, Any]:
        """All it holds, as tensors."""
        return {name: torch.from_numpy(array.copy()) for name, array in self._arrays().items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what `state_dict` gave."""
        for name, array in self._arrays().items():
            array[...] = state[name].numpy()

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "observations": self._observations,
            "actions": self._actions,
            "rewards": self._rewards,
            "open": self._open,
            "next": self._next,
            "paid": self._paid,
        }

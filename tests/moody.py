"""A player whose choices tell what it sees, for tests of posteriors against walks through all histories."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.players import Masks, Observations, Player


class Moody(Player):
    """Acts with probabilities that depend on every number that it sees.

    Attributes:
        seen: the observations that it was asked for.
    """

    name = "moody"
    observation_name = "full"

    def __init__(self) -> None:
        self.seen: list[npt.NDArray[np.float32]] = []

    def probabilities(self, observations: Observations, masks: Masks, temperature: float = 0.0) -> Any:
        self.seen.append(np.array(observations))
        weights = np.random.default_rng(1).normal(size=(masks.shape[1], observations.shape[1]))
        scores = np.exp(np.sin(observations.astype(np.float64) @ weights.T)) * masks
        return scores / scores.sum(axis=1, keepdims=True)

    def act(self, observations: Observations, masks: Masks, draws: object = None) -> Any:
        raise AssertionError("its probabilities are known")


def key_of(state: Any) -> str:
    """The state's values but what was paid last; the bytes between them may be anything."""
    return str([np.asarray(state[name]).tolist() for name in state.dtype.names if name != "paid"])

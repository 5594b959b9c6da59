"""Returns and lengths of the games that a learner plays in training."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.learn import tags
from cardgym.learn.resume import pack, unpack


class EpisodeStatistics:
    """Adds up what each stream is paid and how often it decides, and means over the games that end.

    A stream is one seat of one env, as in `SelfPlayRollout`. An episode is what the learner sees of a game from one
    seat; a seat in which it took no decision has none.
    """

    def __init__(self, num_streams: int) -> None:
        self._returns = np.zeros(num_streams)  # So far, in the games that go on.
        self._lengths = np.zeros(num_streams, np.int64)
        self._ended = np.zeros(3)  # Episodes, sums of their returns and lengths since `statistics` was called.

    def add(self, acted: npt.NDArray[np.int64], rewards: npt.NDArray[np.float64], ended: npt.NDArray[np.int64]) -> None:
        """Add a step.

        Args:
            acted: the streams that took a decision, (turns,), int64, each once.
            rewards: what the step paid each stream, (streams,), float64.
            ended: the streams whose games it ended, (ended,), int64.
        """
        self._returns += rewards
        self._lengths[acted] += 1
        if len(ended):
            lengths = self._lengths[ended]
            self._ended += (np.count_nonzero(lengths), self._returns[ended][lengths > 0].sum(), lengths.sum())
            self._returns[ended] = 0.0
            self._lengths[ended] = 0

    def statistics(self) -> dict[str, float]:
        """The mean return and the mean length of the episodes that ended since the last call, by tag; none if none."""
        episodes, returns, lengths = self._ended.tolist()
        self._ended[:] = 0.0
        if not episodes:
            return {}
        return {tags.EPISODIC_RETURN: returns / episodes, tags.EPISODIC_LENGTH: lengths / episodes}

    def state_dict(self) -> dict[str, Any]:
        """The sums so far, as tensors."""
        return pack(self._arrays())

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        saved = unpack(state)
        for name, array in self._arrays().items():
            array[...] = saved[name]

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {"returns": self._returns, "lengths": self._lengths, "ended": self._ended}

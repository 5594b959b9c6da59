"""The turns of a rollout, with the rewards up to the next turn of each seat, and their advantages."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float32s, Float64s, Int64s
from cardgym.files.limits import check_memory
from cardgym.learn.rollouts import Turns

NONE = -1


class TurnBatch(NamedTuple):
    """Complete turns, one per row, as NumPy arrays.

    Attributes:
        observations: what the seat saw, (rows, size), float32.
        others: what the other seats saw, (rows, others), float32; no columns if no critic reads it.
        masks: what was legal, (rows, actions), bool.
        actions: what it did, (rows,), int64.
        log_probs: the log-probability with which it did, (rows,), float32.
        values: the critic's value when it did, (rows,), float32.
        advantages: generalized advantage estimates, (rows,), float32.
        returns: advantages plus values, the critic's targets, (rows,), float32.
    """

    observations: Any
    others: Any
    masks: Any
    actions: Any
    log_probs: Any
    values: Any
    advantages: Any
    returns: Any


class TurnBuffer:
    """Collects the turns of all streams of a rollout in the order in which they are taken.

    A turn is complete when its stream has another turn or its game ends; until then the stream is paid for this turn,
    no matter who moves. A turn that is still open when a batch is made waits for the next batch, so it is neither
    dropped nor credited with less than it earned. Payments before a stream's first turn of a game belong to no action.
    """

    def __init__(
        self, num_streams: int, capacity: int, observation_size: int, num_actions: int, others_size: int = 0
    ) -> None:
        """Allocate room for `capacity` turns; `others_size` numbers say what the other seats saw."""
        needed = capacity * (4 * (observation_size + others_size) + num_actions + 29)
        check_memory(f"a rollout of {capacity:,} turns", needed, "lower num_steps or num_envs")
        self.size = 0
        self._blocks = [0]  # Where the turns of each step of the rollout begin.
        self._open = np.full(num_streams, NONE)  # The place of each stream's open turn.
        self._fields: dict[str, npt.NDArray[Any]] = {
            "observations": np.zeros((capacity, observation_size), np.float32),
            "others": np.zeros((capacity, others_size), np.float32),
            "masks": np.zeros((capacity, num_actions), np.bool_),
            "actions": np.zeros(capacity, np.int64),
            "log_probs": np.zeros(capacity, np.float32),
            "values": np.zeros(capacity, np.float32),
            "rewards": np.zeros(capacity, np.float32),
            "done": np.zeros(capacity, np.bool_),
            "next": np.full(capacity, NONE),  # The place of the stream's next turn in the same game.
        }

    def act(
        self, turns: Turns, actions: Int64s, log_probs: Float32s, values: Float32s, others: Float32s | None = None
    ) -> None:
        """Record `actions`, `log_probs` and `values` of turns, (turns,), and what `others` saw, (turns, others)."""
        places = np.arange(self.size, self.size + len(actions))
        before = self._open[turns.streams]
        self._fields["next"][before[before != NONE]] = places[before != NONE]
        self._open[turns.streams] = places
        new = {
            "observations": turns.observations,
            "others": 0.0 if others is None else others,
            "masks": turns.masks != 0,
            "actions": actions,
            "log_probs": log_probs,
            "values": values,
            "rewards": 0.0,
            "done": False,
            "next": NONE,
        }
        for name, value in new.items():
            self._fields[name][places] = value
        self.size += len(actions)
        self._blocks.append(self.size)

    def pay(self, rewards: Float64s, ended: Int64s) -> None:
        """Credit the `rewards` of a step, (streams,), to the open turns, and close those of the streams `ended`."""
        waiting = np.flatnonzero(self._open != NONE)
        self._fields["rewards"][self._open[waiting]] += rewards[waiting]
        closing = self._open[ended]
        self._fields["done"][closing[closing != NONE]] = True
        self._open[ended] = NONE

    def take(self, gamma: float, gae_lambda: float) -> TurnBatch:
        """Return the complete turns with their advantages by `gamma` and `gae_lambda`; the open ones stay."""
        found = self.collected
        advantage = self._advantages(gamma, gae_lambda)
        complete = found["done"] | (found["next"] != NONE)
        found |= {"advantages": advantage, "returns": advantage + found["values"]}
        batch = TurnBatch(*(found[name][complete] for name in TurnBatch._fields))
        self._keep(np.flatnonzero(~complete))
        return batch

    def _advantages(self, gamma: float, gae_lambda: float) -> Float32s:
        """Return the generalized advantage estimate of each turn; an open turn has 0 and passes on its value.

        Schulman et al., "High-dimensional continuous control using generalized advantage estimation", ICLR 2016,
        along the turns of one seat.
        """
        rewards, values, following = (self._fields[name] for name in ("rewards", "values", "next"))
        done = self._fields["done"]
        result = np.zeros(self.size, np.float32)
        for first, last in zip(self._blocks[-2::-1], self._blocks[:0:-1], strict=True):
            later = following[first:last]
            continues = later != NONE
            next_values = np.where(continues, values[later], 0.0)
            delta = rewards[first:last] + gamma * next_values - values[first:last]
            ahead = np.where(continues, result[later], 0.0)
            result[first:last] = np.where(continues | done[first:last], delta + gamma * gae_lambda * ahead, 0.0)
        return result

    def _keep(self, places: Int64s) -> None:
        """Move the open turns to the front."""
        moved = np.full(self.size + 1, NONE)
        moved[places] = np.arange(len(places))
        self._open = moved[self._open]  # NONE, -1, reads the extra last entry.
        for array in self._fields.values():
            array[: len(places)] = array[places]
        self.size = len(places)
        self._blocks = [0, self.size]

    # -- resuming -----------------------------------------------------------------------------------------------------

    saved: ClassVar[tuple[str, ...]] = ("size", "_blocks", "_open", "collected")

    @property
    def collected(self) -> dict[str, npt.NDArray[Any]]:
        """The turns so far by field: views."""
        return {name: array[: self.size] for name, array in self._fields.items()}

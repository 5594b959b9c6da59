"""Actions from values and probabilities, and the check that they are legal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError

Observations = npt.NDArray[np.float32]
Masks = npt.NDArray[np.int8]
Actions = npt.NDArray[np.int64]

_SMALLEST_SHARE = np.float32(1e-30)


def sample_actions(probabilities: npt.NDArray[np.floating[Any]], draws: npt.NDArray[np.float64]) -> Actions:
    """An action of each row by inversion: the first whose cumulative probability reaches the draw.

    Args:
        probabilities: (rows, actions), float32 or float64; exactly 0 for illegal actions, which are never sampled.
        draws: (rows,), uniform in [0, 1).

    Returns:
        (rows,), int64.
    """
    dtype = probabilities.dtype
    cumulative = probabilities.cumsum(axis=1, dtype=np.float64).astype(dtype)
    # In (0, total]: above 0, so that a leading action of probability 0 does not reach it, and never beyond the total.
    # A draw that rounds to 1 leaves the smallest share; it must stay a normal number times a total just below 1,
    # because trainings flush smaller ones to 0.
    goals = np.maximum(1 - np.asarray(draws).astype(dtype), _SMALLEST_SHARE) * cumulative[:, -1]
    actions: Actions = (cumulative < goals[:, None]).sum(axis=1)
    return actions


def best_actions(values: npt.NDArray[np.floating[Any]], masks: Masks) -> Actions:
    """The legal action of the highest value in each row, the first among equals, (rows,), int64."""
    actions: Actions = np.where(masks != 0, values, np.finfo(values.dtype).min).argmax(axis=1)
    return actions


def softmax(values: npt.NDArray[np.floating[Any]], masks: Masks, temperature: float) -> npt.NDArray[np.float32]:
    """Probabilities proportional to exp(value / temperature) over the legal actions, (rows, actions), float32."""
    legal = np.where(masks != 0, values, -np.inf)
    weights = np.exp((legal - legal.max(axis=1, keepdims=True)) / temperature).astype(np.float32)
    shares: npt.NDArray[np.float32] = weights / weights.sum(axis=1, keepdims=True)
    return shares


def one_hot(actions: Actions, masks: Masks) -> npt.NDArray[np.float32]:
    """Probability 1 for one action of each row, (rows, actions), float32."""
    shares = np.zeros(masks.shape, np.float32)
    shares[np.arange(len(actions)), actions] = 1.0
    return shares


def are_legal(actions: npt.NDArray[np.integer[Any]], masks: Masks) -> npt.NDArray[np.bool_]:
    """Whether the action of each row is legal, (rows,), bool; see `check_legal`."""
    in_range = (actions >= 0) & (actions < masks.shape[1])
    legal: npt.NDArray[np.bool_] = in_range & (masks[np.arange(len(masks)), np.where(in_range, actions, 0)] != 0)
    return legal


def check_legal(
    actions: npt.NDArray[np.integer[Any]],
    masks: Masks,
    where: Callable[[int], str],
    error: type[CardgymError] = CardgymError,
) -> None:
    """Raise for the first row whose action is not legal.

    Args:
        actions: (rows,), whole numbers.
        masks: (rows, actions), int8, 1 where legal.
        where: what the message says before "action ...", given the row, such as "env 3: ".
        error: the class of the error.

    Raises:
        CardgymError: an `error` that names the legal actions.
    """
    legal = are_legal(actions, masks)
    if not legal.all():
        row = int(np.argmin(legal))
        allowed = ", ".join(map(str, np.flatnonzero(masks[row])))
        raise error(f"{where(row)}action {actions[row]} is not legal; allowed are {allowed}")

"""One check of actions against action masks, for whoever decides outside the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError


def check_legal(
    actions: npt.NDArray[np.integer[Any]],
    masks: npt.NDArray[np.int8],
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
        CardgymError: or rather `error`, with the actions that are allowed.
    """
    in_range = (actions >= 0) & (actions < masks.shape[1])
    legal = in_range & (masks[np.arange(len(masks)), np.where(in_range, actions, 0)] != 0)
    if not legal.all():
        row = int(np.argmin(legal))
        allowed = ", ".join(map(str, np.flatnonzero(masks[row])))
        raise error(f"{where(row)}action {actions[row]} is not legal; allowed are {allowed}")

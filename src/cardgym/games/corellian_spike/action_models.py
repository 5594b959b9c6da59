"""How `ppo` acts, by the round and by |sum| of the cards held, from the shares in `action_models.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.engine.contract import Float64s

SIZES = 21
"""Number of distinct sizes |sum|: 0 to 19, and 20 or more."""


def _shares(model: dict[str, Any]) -> Float64s:
    """Get the probability of each bet from `CHECKED` to `RERAISED`, then of buying, (6, 4, 21), by round and |sum|."""
    tables = (np.array(model[name], np.float64) / 100.0 for name in ("opens", "reraises", "folds", "buys"))
    opens, reraises, folds, buys = tables
    calls = 1.0 - reraises - folds
    return np.stack([1.0 - opens, calls, calls / (calls + folds), opens, reraises, buys])


def _places(model: dict[str, Any]) -> Float64s:
    """Return the weight of a placement that leaves |sum|, relative to the other three, (31,)."""
    # A product, not a power: it gives the same bits on every machine.
    ratios: Float64s = np.full(31, model["place_ratio"])
    ratios[0] = 1.0
    return ratios.cumprod(dtype=np.float64)


_MODEL = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["ppo"]
SHARES = _shares(_MODEL)
"""(6, 4, 21); see `_shares`."""
PLACES = _places(_MODEL)
"""(31,); see `_places`."""

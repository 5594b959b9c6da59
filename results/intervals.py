"""Figures with intervals: those of the results, and those shown in a text that no result has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?"
FIGURE = re.compile(rf"(?P<value>{_NUMBER})[^\[\]|;\d]{{0,40}}?\[(?P<low>{_NUMBER}), (?P<high>{_NUMBER})\]")
"""A figure with its interval, such as `58.7 % [58.4, 59.1]` or `+3.0 credits a game [2.2, 3.9]`."""


CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
"""Code and the output of commands, where brackets are not intervals."""


def results_with_intervals(folder: Path) -> npt.NDArray[np.float64]:
    """Every figure of the results in a folder with its interval, (figures, 3): the value and both ends."""
    documents = (json.loads(path.read_text()) for path in sorted(folder.glob("**/*.json")))
    return np.array([figure for document in documents for figure in _kept(document)], np.float64).reshape(-1, 3)


def _kept(value: Any) -> Iterator[tuple[float, float, float]]:
    """The figures of a JSON document: `x` with `x_ci95` (`ci95` in reports on exploitability), spreads, and lists."""
    if isinstance(value, list):
        for item in value:
            yield from _kept(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _paired(item, value.get("ci95" if name in ("won", "payoff") else f"{name}_ci95"))
            yield from _kept(item)
        if {"median", "low", "high"} <= set(value):
            yield value["median"], value["low"], value["high"]


def _paired(value: Any, ends: Any) -> Iterator[tuple[float, float, float]]:
    if isinstance(value, list) and isinstance(ends, list) and len(value) == len(ends):
        for one, its_ends in zip(value, ends, strict=True):
            yield from _paired(one, its_ends)
    elif isinstance(value, int | float) and isinstance(ends, list) and None not in ends:
        yield value, ends[0], ends[1]


def without_result(text: str, known: npt.NDArray[np.float64]) -> list[str]:
    """The figures of a text that no result has, at the digits shown.

    A share may be shown in percent, and what one player wins as what the other loses.
    """
    scaled = np.concatenate([factor * known for factor in (1.0, 100.0, -1.0, -100.0)])
    exact = np.column_stack([scaled[:, 0], np.sort(scaled[:, 1:], axis=1)])
    missing = []
    for found in FIGURE.finditer(re.sub(r"\s+", " ", text)):
        shown = [found[name].replace(",", "") for name in ("value", "low", "high")]
        half = [0.5001 * 10.0 ** -len(word.partition(".")[2]) for word in shown]
        if not (np.abs(exact - np.array(shown, np.float64)) <= half).all(axis=1).any():
            missing.append(found[0])
    return missing

"""Figures on pages: those with intervals or spreads, which the results must have, and plain ones, which are listed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?"
FIGURE = re.compile(rf"(?P<value>{_NUMBER})[^\[\]|;\d]{{0,40}}?\[(?P<low>{_NUMBER}), (?P<high>{_NUMBER})\]")
"""A figure with its interval, such as `58.7 % [58.4, 59.1]` or `+3.0 credits a game [2.2, 3.9]`."""


SPREAD = re.compile(rf"(?P<value>{_NUMBER})(?: %)? ?± ?(?P<spread>{_NUMBER})")
"""A mean with a standard deviation or half an interval, such as `59.4 % ± 0.7`."""
PLAIN = re.compile(r"[+-]?(?:(?:\d[\d,]*|(?<![\d.]))\.\d+|\d{1,3}(?:,\d{3})+)(?: ?%)?|[+-]?\d+ ?%|\d+/\d+")
"""A figure without an interval: a decimal, a percentage, a fraction, or a number with commas."""
_TARGET = re.compile(r"\]\([^)]*\)")
CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
"""Code and the output of commands, where brackets are not intervals."""


class Figures(NamedTuple):
    """Figures of the results.

    Attributes:
        intervals: (figures, 3): the value and both ends of its interval.
        spreads: (figures, 2): a mean with the standard deviation of its runs, or half the length of its interval.
    """

    intervals: npt.NDArray[np.float64]
    spreads: npt.NDArray[np.float64]


def figures_of(folder: Path, spreads: Iterable[tuple[float, float]] = ()) -> Figures:
    """Every figure of the results in a folder; `spreads` are others that follow from them."""
    documents = (json.loads(path.read_text()) for path in sorted(folder.glob("**/*.json")))
    found = [figure for document in documents for figure in _kept(document)]
    intervals = np.array([one for one in found if len(one) == 3], np.float64).reshape(-1, 3)
    halves = np.column_stack([intervals[:, 0], (intervals[:, 2] - intervals[:, 1]) / 2])
    given = np.array([*spreads, *(one for one in found if len(one) == 2)], np.float64).reshape(-1, 2)
    return Figures(intervals, np.concatenate([halves, given]))


def _kept(value: Any) -> Iterator[tuple[float, ...]]:
    """The figures of a JSON document: `x` with `x_ci95` (`ci95` in reports on exploitability), spreads, and lists.

    A study has its `figures` by name: `[value, low, high]`, or `[mean, standard deviation]`.
    """
    if isinstance(value, list):
        for item in value:
            yield from _kept(item)
    elif isinstance(value, dict):
        if isinstance(value.get("figures"), dict):
            yield from (tuple(figure) for figure in value["figures"].values())
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


def without_result(text: str, known: Figures) -> list[str]:
    """The figures of a text that no result has, at the digits shown.

    A share may be shown in percent, and what one player wins as what the other loses.
    """
    scaled = np.concatenate([factor * known.intervals for factor in (1.0, 100.0, -1.0, -100.0)])
    exact = np.column_stack([scaled[:, 0], np.sort(scaled[:, 1:], axis=1)])
    spread = np.concatenate([known.spreads * factor for factor in ((1, 1), (100, 100), (-1, 1), (-100, 100))])
    line = re.sub(r"\s+", " ", text)
    missing = [found[0] for found in FIGURE.finditer(line) if not _is_among(found.groups(), exact)]
    return missing + [found[0] for found in SPREAD.finditer(line) if not _is_among(found.groups(), spread)]


def plain_figures(text: str) -> Counter[str]:
    """The figures of a text without interval or spread, and how often it shows each; not those of links."""
    line = re.sub(r"\s+", " ", _TARGET.sub("]", text))
    for kind in (FIGURE, SPREAD):
        line = kind.sub("", line)
    return Counter(found[0].replace(" ", "") for found in PLAIN.finditer(line))


def _is_among(shown: Iterable[str], exact: npt.NDArray[np.float64]) -> bool:
    words = [word.replace(",", "") for word in shown]
    half = [0.5001 * 10.0 ** -len(word.partition(".")[2]) for word in words]
    return bool((np.abs(exact - np.array(words, np.float64)) <= half).all(axis=1).any())

"""Figures on pages: those with intervals or spreads, which the results must have, and plain ones, which are listed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

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


Figure = tuple[float, ...]
"""The value and both ends of its interval, or a mean with the standard deviation of its runs."""


def figures_of(folder: Path) -> dict[str, list[Figure]]:
    """The figures of the results in a folder, by where they are kept, such as `matches/Coda-v0/bayes`."""
    found: dict[str, list[Figure]] = {}
    for path in sorted(folder.glob("**/*.json")):
        file, document = path.relative_to(folder).with_suffix("").as_posix(), json.loads(path.read_text())
        for entry in entries(document):
            place = file if entry is document else f"{file}/{_place(entry)}"
            found.setdefault(place, []).extend(_kept(entry))
    return found


def entries(document: Any) -> list[Any]:
    """The parts of a JSON document that have figures of their own."""
    return document if isinstance(document, list) else document.get("matches", [document])


def _place(entry: Mapping[str, Any]) -> str:
    match entry:
        case {"env": env, "players": [str(first), *_]}:
            return f"{env}/{first}"
        case {"page": place} | {"table": place} | {"what": place} | {"env": place}:
            return str(place)
    raise ValueError(f"an entry that is not of a match, a page, a table or a game: {list(entry)}")


def figures_in(kept: Mapping[str, Iterable[Figure]], places: Iterable[str]) -> list[Figure]:
    """The figures kept in some places; `*` in the name of a place stands for any text."""
    return [one for place in kept if any(fnmatchcase(place, name) for name in places) for one in kept[place]]


def _kept(value: Any) -> Iterator[Figure]:
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
            yield from _paired(
                item, value.get("ci95" if name in ("exploitability", "payoff", "won") else f"{name}_ci95")
            )
            yield from _kept(item)
        if {"median", "low", "high"} <= set(value):
            yield value["median"], value["low"], value["high"]


def _paired(value: Any, ends: Any) -> Iterator[Figure]:
    if isinstance(value, list) and isinstance(ends, list) and len(value) == len(ends):
        for one, its_ends in zip(value, ends, strict=True):
            yield from _paired(one, its_ends)
    elif isinstance(value, int | float) and isinstance(ends, list) and None not in ends:
        yield value, ends[0], ends[1]


def without_result(text: str, known: Iterable[Figure]) -> list[str]:
    """The figures of a text that are not among those `known`, at the digits shown.

    A share may be shown in percent, and what one player wins as what the other loses. Half the length of an interval is
    a spread.
    """
    known = list(known)
    intervals = np.array([one for one in known if len(one) == 3], np.float64).reshape(-1, 3)
    halves = np.column_stack([intervals[:, 0], (intervals[:, 2] - intervals[:, 1]) / 2])
    spreads = np.concatenate([halves, np.array([one for one in known if len(one) == 2], np.float64).reshape(-1, 2)])
    scaled = np.concatenate([factor * intervals for factor in (1.0, 100.0, -1.0, -100.0)])
    exact = np.column_stack([scaled[:, 0], np.sort(scaled[:, 1:], axis=1)])
    spread = np.concatenate([spreads * factor for factor in ((1, 1), (100, 100), (-1, 1), (-100, 100))])
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

"""The plan of a sweep: its grid of settings and its seeds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cardgym.errors import CardgymError, quoted
from cardgym.experiments.launch import Run, TrainingScript

MAX_SEED = 2**63 - 1
MAX_RUNS = 100_000


def runs_of(script: TrainingScript, grid: Mapping[str, Sequence[str]], seeds: Sequence[int]) -> list[Run]:
    """All runs of a sweep: each setting of the grid with each seed; every setting's first seed comes first.

    Raises:
        CardgymError: for a key or a value that the config does not take, and for values that are the same.
    """
    settings = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    if len(settings) * len(seeds) > MAX_RUNS:
        raise CardgymError(f"{len(settings) * len(seeds):,} runs: at most {MAX_RUNS:,} are allowed in one sweep")
    by_setting = [script.runs(setting, seeds) for setting in settings]
    runs = [run for same_seed in zip(*by_setting, strict=True) for run in same_seed]
    for run in _twice(runs):
        raise CardgymError(f"the grid has {run.label} twice; name each value once")
    return runs


def _twice(runs: Iterable[Run]) -> Iterator[Run]:
    names = set()
    for run in runs:
        if run.name in names:
            yield run
        names.add(run.name)


def parse_grid(words: Sequence[str]) -> dict[str, list[str]]:
    """The values of each key from words such as `learning_rate=1e-3,2e-3`.

    Raises:
        CardgymError: for a word of another form, or a key named twice.
    """
    grid: dict[str, list[str]] = {}
    for word in words:
        key, sign, values = word.partition("=")
        if not sign or not key or not all(value.strip() for value in values.split(",")):
            raise CardgymError(f"--grid {quoted(word)}: write KEY=VALUE,VALUE, such as learning_rate=1e-3,2e-3")
        if key in grid:
            raise CardgymError(f"--grid has {key} twice; name all of its values at once")
        grid[key] = [value.strip() for value in values.split(",")]
    return grid


def parse_seeds(text: str) -> list[int]:
    """The seeds from words such as `1-5` or `1,4,7-9`, in ascending order.

    Raises:
        CardgymError: for another form, numbers out of range, or too many.
    """
    seeds: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,30})\s*(?:-\s*(\d{1,30})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise CardgymError(f"--seeds {quoted(text)}: write a range such as 1-5, or seeds such as 1,4,7-9")
        if last > MAX_SEED or last - first >= MAX_RUNS:
            raise CardgymError(
                f"--seeds {quoted(text)}: allowed are seeds from 0 to {MAX_SEED:,}, at most {MAX_RUNS:,} of them"
            )
        seeds.update(range(first, last + 1))
    return sorted(seeds)

"""The verdicts on the papers' pages: one rule, two-sided, by the interval beside each verdict."""

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from cardgym.papers.commands import papers
from cardgym.papers.pages import Answer, Claim, claims_table, verdict
from cardgym.statistics import UNKNOWN, Estimate, mean_estimate

PAGES = Path(__file__).parents[2] / "docs" / "papers"
NUMBER = r"[+-]?[\d,]+(?:\.\d+)?"
RANGES = {
    rf"at least ({NUMBER})": (0, None),
    rf"at most ({NUMBER})": (None, 0),
    rf"({NUMBER}) to ({NUMBER})": (0, 1),
    rf"({NUMBER})": (0, 0),
}
"""How pages write a range, and which of its numbers is the lowest and the highest value."""
JUDGED = re.compile(rf"({NUMBER})(?: ± ({NUMBER}))?: (holds|fails|open)\b")


def to_float(word: str) -> float:
    return float(word.replace(",", ""))


def range_of(cell: str) -> tuple[float, float] | None:
    for pattern, places in RANGES.items():
        if found := re.fullmatch(pattern, cell):
            low, high = (math.inf if place is None else to_float(found.groups()[place]) for place in places)
            return (-low if places[0] is None else low), high
    return None


def claims_of(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Each row of the tables with a column `range`: the row, its range, and its cells behind that."""
    place = -1
    for before, line in pairwise(["", *text.splitlines()]):
        cells = re.split(r" *(?<!\\)\| *", line)[1:-1]
        if not before.startswith("|"):
            place = cells.index("range") if "range" in cells else -1
        elif place >= 0 and line.startswith("| "):
            yield line, cells[place], cells[place + 1 :]


@pytest.mark.parametrize("name", papers())
def test_every_verdict_on_a_page_follows_from_the_interval_beside_it(name: str) -> None:
    text = (PAGES / name / "results.md").read_text(encoding="utf-8")
    assert "(../README.md#verdicts)" in text
    judged = 0
    for line, written, cells in claims_of(text):
        allowed = range_of(written)
        verdicts = [found for cell in cells if (found := JUDGED.match(cell))]
        assert bool(verdicts) == (allowed is not None), line
        for value, half, given in (found.groups() for found in verdicts):
            assert allowed is not None
            middle, width = to_float(value), to_float(half or "0")
            unit = 0.5 * 10.0 ** -len(value.partition(".")[2]) if half else 0.0  # Both are rounded.
            possible = {
                verdict(Estimate(middle, (middle - width - change, middle + width + change)), *allowed)
                for change in (-min(2 * unit, width), 0.0, 2 * unit)
            }
            assert given in possible, line
            judged += 1
    assert judged >= 9


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(-1, 3, "holds"), (1.1, 3, "open"), (2.5, 9, "fails"), (-9, -1, "fails")]
)
def test_verdicts_are_two_sided_and_follow_from_the_interval(low: float, high: float, expected: str) -> None:
    assert verdict(mean_estimate([0.9, 1.0, 1.1]), low, high) == expected


def test_a_value_without_an_interval_is_exact() -> None:
    assert [verdict(Estimate(4.0, UNKNOWN), 4, high) for high in (4, math.inf)] == ["holds", "holds"]
    assert verdict(Estimate(4.0, UNKNOWN), 5, 6) == "fails"


def test_claims_have_a_column_for_each_way_to_measure() -> None:
    rows: list[Claim | Answer] = [
        Claim("1", "more", 0, math.inf, [Estimate(2.0, (1.0, 3.0)), Estimate(-2.0, (-3.0, -1.0))], notes=["", "; why"]),
        Answer("2", "said", "not measured"),
    ]
    assert claims_table(("a", "b"), rows)[2:] == [
        "| 1 | more | at least 0 | +2.0 ± 1.0: holds | -2.0 ± 1.0: fails; why |",
        "| 2 | said |  | not measured |  |",
    ]

"""Damaged files at random; `python tests/files/fuzz.py 10000` opens more of them."""

from __future__ import annotations

from fuzz import DOORS, FILES, check, good
from hypothesis import HealthCheck, given, settings


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(FILES)
def test_damaged_files_are_opened_or_refused_in_one_line(file: tuple[str, bytes]) -> None:
    check(*file)


def test_good_files_are_opened() -> None:
    assert [suffix for suffix in DOORS if not check(suffix, good(suffix))] == []

"""The pictures of the docs show today's pages."""

from pathlib import Path
from typing import Any

import pytest
from screenshots import changes, check


@pytest.mark.slow
def test_the_pictures_show_the_pages_of_today(browser: Any, tmp_path: Path) -> None:
    found = check(browser, tmp_path)
    assert not found, "\n".join([*found, "take them again: python tests/web/screenshots.py"])


def test_a_changed_page_is_named_with_its_first_difference() -> None:
    before = {"images/lobby": "- main:\n  - button: Sit down", "images/review": "- main", "images/old": "- main"}
    now = {"images/lobby": "- main:\n  - button: Sit", "images/review": "- main"}
    assert changes(before, now) == [
        "images/lobby has changed: was - button: Sit down, is - button: Sit",
        "images/old has changed: was - main, is nothing",
    ]

"""Damaged files of every format are refused in one line, or opened with the content that they had."""

from __future__ import annotations

import pytest
from corpus import check, damaged, places
from formats import FORMATS, Format, good, good_value, new_path

NAMES = [form.name for form in FORMATS]


@pytest.mark.parametrize("form", FORMATS, ids=NAMES)
def test_good_files_are_opened(form: Format) -> None:
    path = new_path(form)
    path.write_bytes(good(form))
    assert check(form, path)
    assert good_value(form)


@pytest.mark.parametrize("form", FORMATS, ids=NAMES)
def test_what_is_not_a_file_is_refused_in_one_line(form: Format) -> None:
    for name in places(form, new_path(form)):
        path = new_path(form)
        places(form, path)[name]()
        opened = check(form, path)
        assert not opened or name == "no permission", name  # The superuser needs no permission.


def test_damaged_files_are_refused_or_opened_unchanged() -> None:
    for is_opened, _, name in damaged(300, seed=1):
        try:
            is_opened()
        except BaseException as error:
            error.add_note(name)
            raise

"""Files of every format: good ones open, damaged and crafted ones are refused in one line or open unchanged."""

from pathlib import Path

import pytest
from crafted import crafted
from damage import check, little_memory, open_damaged, places
from formats import FORMATS, Format, good, good_value, new_path

from cardgym.errors import printable, quoted
from cardgym.files.json_values import parse_json

each_format = pytest.mark.parametrize("form", FORMATS, ids=[form.name for form in FORMATS])
limited = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited by what /proc tells")


@each_format
def test_good_files_are_opened(form: Format) -> None:
    path = new_path(form)
    path.write_bytes(good(form))
    assert check(form, path)
    assert good_value(form)


@each_format
def test_what_is_not_a_file_is_refused_in_one_line(form: Format) -> None:
    for name in places(form, new_path(form)):
        path = new_path(form)
        places(form, path)[name]()
        opened = check(form, path)
        assert not opened or name == "no permission", name  # The superuser needs no permission.


@limited
@each_format
def test_crafted_files_are_refused_in_one_line_with_little_memory(form: Format) -> None:
    with little_memory():
        for name, content in crafted(form):
            path = new_path(form)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            assert not check(form, path, other=True), name
            path.unlink()


def test_damaged_files_are_refused_or_opened_unchanged() -> None:
    open_damaged(300, seed=1)


# -- texts ------------------------------------------------------------------------------------------------------------


def test_texts_from_files_are_escaped_and_cut() -> None:
    assert printable("a\x1b[31m\u202eb\ud800") == "a\\x1b[31m\\u202eb\\ud800"
    assert printable("x" * 300, 20) == "x" * 17 + "..."
    assert printable("\n" * 20, 20) == "\\n" * 8 + "\\..."
    assert quoted("é") == "'é'"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"a": 1, "a": 2}', "key 'a' appears twice"),
        ("[NaN]", "NaN is not JSON"),
        ("[1e999]", "too large for a float"),
        ("9" * 30, "30 digits"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff", "can't decode"),
    ],
)
def test_ambiguous_json_is_refused(content: str | bytes, reason: str) -> None:
    with pytest.raises(ValueError, match="cannot be read as JSON") as refused:
        parse_json(content, "file x")
    assert reason in str(refused.value)


def test_json_with_a_byte_order_mark_is_read() -> None:
    assert parse_json("\ufeff[1]".encode(), "file x") == [1]

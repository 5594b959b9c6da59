"""Every hostile file is refused in one clear line with exit code 2, with little memory and quickly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from crafted import write_all

from cardgym.errors import printable, quoted
from cardgym.files.json_values import parse_json

MEGABYTES = 512
"""Memory that opening a file may add to an idle process; zip bombs ask for a gigabyte and more."""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited by what /proc tells")
def test_hostile_files_end_in_one_line(tmp_path: Path) -> None:
    # One process opens all of them: imports take seconds, and a memory limit cannot be lifted again.
    write_all(tmp_path)
    words = [sys.executable, str(Path(__file__).with_name("open_all.py")), str(tmp_path), str(MEGABYTES)]
    opened = subprocess.run(words, capture_output=True, text=True)
    assert opened.returncode == 0, opened.stderr[-2000:]
    results = json.loads(opened.stdout)
    assert len(results) > 140
    for name, (code, message) in results.items():
        if name.startswith("good"):
            assert (code, message) == (0, ""), name
        else:
            assert code == 2, (name, message)
            assert message.count("\n") == 1, name
            assert message.strip().isprintable(), name
            assert len(message) < 1000, name


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

"""Tables that fit their terminal, and progress."""

from __future__ import annotations

import io
import sys

import pytest

from cardgym.console import Progress, fitting_tables

HEAD = ["player", "win rate", "points in all of the hands", "x"]
ROWS = [
    ["checkpoints/a_rather_long_name_of_a_player.safetensors", "51.2 %\n[50.1, 52.3]", "+114.57", "1"],
    ["random", "48.8 %\n[47.7, 49.9]", "+7.00", "2"],
]


def printed(width: int) -> tuple[int, str]:
    from rich.console import Console

    out = io.StringIO()
    tables = fitting_tables(HEAD, ROWS, width)
    Console(file=out, width=width).print(*tables, sep="\n")
    return len(tables), out.getvalue()


@pytest.mark.parametrize(("width", "count"), [(160, 1), (60, 1), (46, 2)])
def test_no_cell_is_cut(width: int, count: int) -> None:
    tables, shown = printed(width)
    assert tables == count
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    for cell in ("[50.1, 52.3]", "+114.57", "+7.00"):
        assert shown.count(cell) == 1
    assert shown.count("random") == count  # Every table repeats the first column.
    letters = "".join(line.split("│")[1].strip() for line in shown.splitlines() if line.count("│") > 1)
    assert letters.count(ROWS[0][0]) == count


def test_heads_are_wrapped_to_the_width_of_their_cells() -> None:
    shown = printed(160)[1].splitlines()
    assert any("points" in line and "hands" not in line for line in shown)
    assert max(map(len, shown)) < 110


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_quiet_where_stderr_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("games", "games") as progress:
        progress(50, 100)
        progress.note("halfway")
    assert capsys.readouterr().err == ""


def test_progress_prints_notes_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("", "decisions", total=2_000, done=500, lines=True) as progress:
        progress(1_000)
        progress.note("wins 61.0 % against random")
        progress.advance(500)
        progress.note("done")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "       1,000 of 2,000 decisions: wins 61.0 % against random",
        "       1,500 of 2,000 decisions: done",
    ]


def test_progress_bar_shows_what_is_done_the_rate_and_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with Progress("matches", "games") as progress:
        progress(50, 100)
        progress.note("note [1, 2]")
    shown = stderr.getvalue()
    for text in ("matches", "50/100", "games/s", "note [1, 2]"):
        assert text in shown

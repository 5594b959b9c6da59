"""Tables that fit the terminal they are printed on."""

from __future__ import annotations

import io

import pytest

from cardgym.console import fitting_tables

HEAD = ["player", "win rate", "points in all of the hands", "x"]
ROWS = [
    ["checkpoints/a_rather_long_name_of_a_player.safetensors", "51.2 %\n[50.1, 52.3]", "+114.57", "1"],
    ["random", "48.8 %\n[47.7, 49.9]", "+7.00", "2"],
]


def printed(width):
    from rich.console import Console

    out = io.StringIO()
    tables = fitting_tables(HEAD, ROWS, width)
    Console(file=out, width=width).print(*tables, sep="\n")
    return len(tables), out.getvalue()


@pytest.mark.parametrize(("width", "count"), [(160, 1), (60, 1), (46, 2)])
def test_no_figure_and_no_name_is_cut(width, count):
    found, shown = printed(width)
    assert found == count
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    for cell in ("[50.1, 52.3]", "+114.57", "+7.00"):
        assert shown.count(cell) == 1
    assert shown.count("random") == count  # Every table says whose figures it has.
    letters = "".join(line.split("│")[1].strip() for line in shown.splitlines() if line.count("│") > 1)
    assert letters.count(ROWS[0][0]) == count


def test_headings_are_no_broader_than_their_figures():
    shown = printed(160)[1].splitlines()
    assert any("points" in line and "hands" not in line for line in shown)
    assert max(map(len, shown)) < 110

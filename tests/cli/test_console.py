"""Tables that fit their terminal, and progress."""

import io
import sys

import pytest

from cardgym.console.progress import Progress, waiting
from cardgym.console.streams import adapt_streams
from cardgym.console.tables import fitting_tables, results_console, share, short_names

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


@pytest.mark.parametrize(("width", "count"), [(160, 1), (60, 2), (46, 2)])
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


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_word_of_a_name_is_cut(width: int) -> None:
    rows = [["random-consistent-player of the game", "51.20 %\n[50.10, 52.30]", "+114.57"]]
    out = io.StringIO()
    from rich.console import Console

    Console(file=out, width=width).print(*fitting_tables(["player", "win rate", "mean return"], rows, width))
    for word in ("random-consistent-player", "[50.10, 52.30]", "+114.57"):
        assert word in out.getvalue()


def test_files_have_their_shortest_distinct_names() -> None:
    assert short_names(["random", "runs/a/model.safetensors", "best.json", "random"]) == [
        "random", "model", "best", "random",
    ]  # fmt: skip
    assert short_names(["runs/a/model.safetensors", "runs/b/model.safetensors:greedy", "runs/b/model.safetensors"]) == [
        "a/model", "model:greedy", "b/model",
    ]  # fmt: skip
    assert short_names(["a.zip", "b/a.zip"]) == ["a", "b/a"]
    assert short_names(["a/x.json", "a/x.safetensors"]) == ["a/x", "a/x"]


def test_only_all_is_said_to_be_all() -> None:
    assert [share(part) for part in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0%", "1%", "50%", "99%", "100%"]


def test_headers_are_wrapped_to_the_width_of_their_cells() -> None:
    shown = printed(160)[1].splitlines()
    assert any("points" in line and "hands" not in line for line in shown)
    assert max(map(len, shown)) < 110


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_quiet_if_stderr_is_not_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_progress_bar_shows_count_rate_and_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with Progress("matches", "games") as progress:
        progress(50, 100)
        progress.note("note [1, 2]")
    shown = stderr.getvalue()
    for text in ("matches", "50 of 100 games", "0:00:0", "note [1, 2]"):
        assert text in shown


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_missing_characters_get_plain_substitutes(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    adapt_streams()
    print("5♦ → A♠ ☃", flush=True)
    assert written.getvalue().split() == [b"5D", b"->", b"AS", b"?"]


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("cardgym.console.progress._now", clock)
    return clock


def test_a_pipe_gets_a_line_a_minute_with_rate_and_time_left(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("evaluation", "games") as progress:
        clock.seconds += 30
        progress.beat()
        assert capsys.readouterr().err == ""
        clock.seconds += 25
        progress.beat()
        assert capsys.readouterr().err == "cardgym: evaluation: after 55 s\n"
        progress(100, 1000)
        clock.seconds += 60
        progress(400)
        progress.beat()
    assert (
        capsys.readouterr().err
        == "cardgym: evaluation: 400 of 1,000 games, after 1 min 55 s, 5.0 games/s, 2 min 00 s left\n"
    )


def test_no_line_directly_follows_a_note(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("training", "steps", lines=True) as progress:
        clock.seconds += 49
        progress.note("wins 61.0 %")
        clock.seconds += 49
        progress.beat()
    assert capsys.readouterr().err.count("\n") == 1


def test_slow_task_shows_the_time_for_each(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("paper", "runs", total=4) as progress:
        clock.seconds += 90
        progress(1)
        clock.seconds += 80
        progress.beat()
        progress(2)
        clock.seconds += 60
        progress.beat()
    first, second = capsys.readouterr().err.splitlines()
    assert first == "cardgym: paper: 1 of 4 runs, after 2 min 50 s, 2 min 50 s each, 8 min 30 s left"
    assert second == "cardgym: paper: 2 of 4 runs, after 3 min 50 s, 2 min 20 s each, 4 min 40 s left"


def test_wait_is_shown_with_the_current_task(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("evaluation", "games", total=10) as progress:
        with waiting("compiling a game"):
            clock.seconds += 60
            progress.beat()
        clock.seconds += 60
        progress.beat()
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("after 1 min 00 s (compiling a game)")
    assert second.endswith("after 2 min 00 s")


def test_wait_without_a_task_is_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with waiting("compiling a game"):
        pass
    assert "compiling a game" in stderr.getvalue()
    assert "0:00:0" in stderr.getvalue()  # The time moves: nothing looks hung.


def test_results_have_the_width_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert results_console().width == 160
    monkeypatch.setenv("COLUMNS", "70")
    assert results_console().width == 70

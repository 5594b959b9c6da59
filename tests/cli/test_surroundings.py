"""Commands on other systems and for other users: drives, shells, missing signals, a home that cannot be written."""

import ntpath
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cardgym import find
from cardgym.cli.flags import open_log
from cardgym.files import paths
from cardgym.players.mixture_file import read_mixture, save_mixture
from killing import SEARCH_PATH


def test_paths_on_another_drive_stay_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has no relative path from one drive to another; the two are imitated."""
    game = find("CorellianSpike-v0")
    options = game.parse_options()
    agent, team = tmp_path / "d" / "agent.json", tmp_path / "c" / "team.mixture.json"
    agent.parent.mkdir()
    agent.touch()

    def relpath(path: object, start: object = os.curdir) -> str:
        return ntpath.relpath("C:\\cup" if str(path) == str(agent) else "D:\\runs", "D:\\work")

    monkeypatch.setattr(os.path, "relpath", relpath)
    save_mixture(team, {str(agent): 1.0}, game, options)
    monkeypatch.undo()
    assert read_mixture(team, game, options) == {str(agent): 1.0}


def test_paths_are_quoted_for_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--logdir", Path("my runs"), "it's [1]")
    assert shlex.split(paths.pasted(*words)) == [str(word) for word in words]
    monkeypatch.setattr(paths, "_WINDOWS", True)
    assert paths.pasted("--out", "C:\\runs\\a-1.x", "D:\\my runs", "a&b") == '--out C:\\runs\\a-1.x "D:\\my runs" "a&b"'


_WINDOWS = """
import ntpath, os, signal, sys
for module, names in ((os, ("fork", "forkpty", "killpg", "sched_getaffinity", "getuid", "setsid")),
                      (signal, ("SIGHUP", "SIGALRM", "setitimer", "pthread_sigmask", "SIGKILL"))):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
def relpath(path, start=os.curdir):
    raise ValueError("path is on mount 'C:', start on mount 'D:'")
os.path.relpath = relpath
from cardgym.cli import main
words = sys.argv[1:]
sys.exit(main(words) or main([*words, "--resume", "--total-steps", "3000"]))
"""


def test_training_needs_neither_fork_nor_signals_nor_one_drive(tmp_path: Path) -> None:
    words = [
        "train", "tabular", "--env-id", "register_tiny:Tiny-v0", "--total-steps", "2000", "--observation", "plain",
        "--eval-every", "0",
        "--final-games", "10", "--out", "my runs/a run",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", _WINDOWS, *words], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": SEARCH_PATH}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("--logdir 'my runs'") == 2


@pytest.mark.parametrize(
    "home",
    [
        "a file in its place",
        "none",
        pytest.param("refused", marks=pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")),
    ],
)
def test_games_are_played_where_none_can_be_saved(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("CARDGYM_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file" / "data"))
    if home == "refused":  # Although the permissions of root would allow it.
        monkeypatch.setenv("XDG_DATA_HOME", "/proc/none")
    if home == "none":
        monkeypatch.setattr("cardgym.table.game_log.user_folder", lambda *_: None)
    with open_log() as log:
        assert list(log.entries()) == []
        folder = log.path.parent
    said = capsys.readouterr().err
    assert said.startswith("cardgym: games are not saved: ")
    assert "CARDGYM_DATA_DIR" in said
    assert len(said.splitlines()) == 1
    assert not folder.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_games_are_saved_where_they_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CARDGYM_DATA_DIR", str(tmp_path / "new" / "data"))
    with open_log() as log:
        assert log.path == tmp_path / "new" / "data" / "games.sqlite"
    assert capsys.readouterr().err == ""

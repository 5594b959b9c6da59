"""What papers add to the command line."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import cardgym.papers
from cardgym.cli import main
from cardgym.papers.commands import TRAINERS, papers

FOLDER = Path(cardgym.papers.__path__[0])


def test_every_paper_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(papers()) == {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert main(["reproduce", "--help"]) == 0
    out = capsys.readouterr().out
    for name, help in papers().items():
        assert f"\n  {name.replace('_', '-')} " in out
        assert help in out


@pytest.mark.parametrize("name", papers())
def test_a_paper_parses_its_own_words(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", name, "--help"]) == 0
    assert f"usage: cardgym reproduce {name.replace('_', '-')}" in capsys.readouterr().out
    assert main(["reproduce", name, "--gams", "5"]) == 2
    assert "did you mean '--games'?" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main(["reproduce", name, "--out", str(tmp_path / "file" / "page")]) == 2
    assert "cannot make the folder" in capsys.readouterr().err  # Before anything is played.
    for thread in threading.enumerate():
        if thread.name == "progress":  # A refused command shows no progress minutes later.
            thread.join(1)
            assert not thread.is_alive()


def test_trainings_of_papers_parse_their_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    for name in TRAINERS:
        assert main(["train", name, "--help"]) == 0
        assert f"usage: cardgym train {name} " in capsys.readouterr().out


def test_listing_commands_imports_no_module_of_a_paper_and_no_game() -> None:
    program = "import sys; from cardgym.cli import main; main([]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = [name.split(".") for name in done.stdout.split()]
    assert not [name for name in loaded if name[:2] == ["cardgym", "papers"]]
    assert not [name for name in loaded if name[:2] == ["cardgym", "games"] and len(name) > 3]

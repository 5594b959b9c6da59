"""What a game's package adds to the command line: commands and a solver. Papers are scripts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from cardgym import Command, GamePackage, registered
from cardgym.cli import main
from cardgym.engine import registry
from cardgym.files import shipped

HEARTS = "HeartsTest-v0"

MODULES = {
    "hearts_game": """
import dataclasses
from cardgym import find

GAME = dataclasses.replace(find("CorellianSpike-v0"), id="HeartsTest-v0")
""",
    "hearts_command": """
'''Shuffle a deck.'''

def add_arguments(parser):
    parser.add_argument("--times", type=int, default=1)

def run(arguments):
    print(f"shuffled {arguments.times} times")
""",
    "hearts_training": """
def main(words: list[str]):
    print("trained with", *words)
    return 3
""",
}


@pytest.fixture(autouse=True)
def _hearts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with everything that a game can bring to the command line."""
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("_IDS", "_GAMES"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    registry.register_package(
        GamePackage(
            name="hearts_test",
            games={HEARTS: "hearts_game:GAME"},
            commands={
                "shuffle": Command("hearts_command", "shuffle a deck"),
                "train-hearts": Command("hearts_training", "train at hearts"),
                "games": Command("hearts_command", "an attempt to replace a command"),
            },
        )
    )
    yield
    gymnasium.registry.pop(HEARTS)
    for name in MODULES:
        sys.modules.pop(name, None)


def test_commands_of_games_are_listed_and_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert "shuffle a deck" in out
    assert "an attempt to replace a command" not in out
    assert main(["shuffle", "--times", "3"]) == 0
    assert capsys.readouterr().out == "shuffled 3 times\n"
    assert main(["shuffle", "--time", "3"]) == 2
    assert "did you mean '--times'?" in capsys.readouterr().err


def test_training_command_parses_its_own_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train-hearts", "--seed", "2"]) == 3
    assert capsys.readouterr().out == "trained with --seed 2\n"


def test_modules_of_a_game_are_imported_only_when_called() -> None:
    assert main([]) == 0
    assert HEARTS in registered()
    assert not set(MODULES) & set(sys.modules)


PAPER = """
'''Reproduce the paper on hearts.'''
import sys
from pathlib import Path

from cardgym.cli import guarded
from cardgym.console.arguments import Parser
from hearts_page import page

def main(words):
    parser = Parser(prog="cardgym reproduce hearts", description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    print(page(parser.parse_args(words).games))
    return 0

sys.exit(guarded(lambda: main(sys.argv[1:])))
"""


def test_reproduce_runs_a_script_that_imports_its_neighbors(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "papers/hearts_test"
    folder.mkdir(parents=True)
    (folder / "hearts_test_paper.py").write_text(PAPER)
    (folder / "hearts_page.py").write_text("def page(games):\n    return f'{games} games'\n")
    monkeypatch.setattr(shipped, "root", lambda: tmp_path)
    assert main(["reproduce", "hearts-test", "--games", "5"]) == 0
    assert capsys.readouterr().out == "5 games\n"
    assert main(["reproduce", "--help"]) == 0
    assert "hearts-test  Reproduce the paper on hearts." in capsys.readouterr().out
    assert main(["reproduce", "hearts-test", "--gams", "5"]) == 2
    assert "did you mean '--games'?" in capsys.readouterr().err

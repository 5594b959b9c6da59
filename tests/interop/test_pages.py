"""The examples of docs/interop run, with fewer steps. foreign/ tests libraries that need their own environments."""

import re
from pathlib import Path

import pytest

import pages
from cardgym.cli import main
from cardgym.interop import sb3

SB3 = pages.text("stable_baselines3")


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_loop_in_sixty_lines_plays_legal_actions_only() -> None:
    names = pages.run("gymnasium#CleanRL-style loops", {"200_000": "12_800", "games=2000": "games=40"})
    assert names["stored"] > 12_000  # All steps but those that start a game.
    assert names["stored"] < 12_800
    assert names["report"].games == 40
    lines = [line for line in pages.blocks("gymnasium#CleanRL-style loops")[0].splitlines() if line.strip()]
    assert len(lines) <= 60


def test_gymnasium(tmp_path: Path) -> None:
    pages.run("gymnasium#Gymnasium", {'gym.make("CorellianSpike-v0", render': 'gym.make("OnePlayPoker-v0", render'})
    assert list((tmp_path / "videos").glob("*.mp4"))


def test_players_from_python() -> None:
    assert pages.run("README")["report"].players[0].name == "lowest"


@pytest.mark.parametrize("file", sorted(Path(__file__).parent.glob("foreign/test_*.py")), ids=lambda file: file.stem)
def test_sections_that_the_foreign_tests_run_have_code(file: Path) -> None:
    (section,) = re.findall(r"pages\.(?:run|blocks)\(\"([^\"]+)\"", file.read_text(encoding="utf-8"))
    assert pages.blocks(section)


@pytest.mark.parametrize("page", sorted(path.stem for path in pages.FOLDER.glob("*.md")))
def test_every_page_is_in_the_index(page: str) -> None:
    assert page == "README" or re.search(rf"\({page}\.md[#)]", pages.text("README"))


def test_stable_baselines3(capsys: pytest.CaptureFixture[str]) -> None:
    shorter = {
        "600_000": "640",
        "800_000": "640",
        "num_envs=128": "num_envs=16",
        "num_envs=512": "num_envs=16",
        "learning_starts=10_000": "learning_starts=100",
        "eval_freq=1_000": "eval_freq=20, n_eval_games=12",
    }
    pages.run("stable_baselines3", shorter)
    assert capsys.readouterr().out.count("against heuristic") >= 2  # Each prints its evaluations.
    (command,) = (line for line in SB3.splitlines() if line.startswith("cardgym evaluate CorellianSpike"))
    assert main([*command.split()[1:], "--games", "30"]) == 0


def test_table_of_stable_baselines3_names_what_there_is() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", SB3.partition("\n## ")[0], re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"\w+", row)) == sorted(sb3.__all__)

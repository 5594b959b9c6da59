"""docs/adding_a_game.md: its snippets are parts of the files it names, or they run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding_a_game.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "examples"
EXCERPT = re.compile(r"```(?:python|toml)\n# (\S+\.(?:py|toml))\n(.*?)```", re.DOTALL)
PROGRAM = re.compile(r"```python\n(?!# \S+\.py\n)(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("name", "excerpt"), EXCERPT.findall(PAGE))
def test_excerpts_are_parts_of_the_files(name: str, excerpt: str) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for part in re.split(r"^\.\.\.\n", excerpt, flags=re.MULTILINE):
        assert part.strip("\n") in text


@pytest.mark.parametrize("program", PROGRAM.findall(PAGE))
def test_programs_run(program: str) -> None:
    exec(compile(program, "docs/adding_a_game.md", "exec"), {})


def test_links_and_paths_exist() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link
    listed = re.search(r"```text\nexamples/\n(.*?)```", PAGE, re.DOTALL)
    assert listed is not None
    for line in listed[1].splitlines():
        assert (EXAMPLES / line.split()[0]).exists(), line

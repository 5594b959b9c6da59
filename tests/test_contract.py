"""Every game that cardgym brings has a contract suite, in its own folder of tests."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

import cardgym
from env_suite import EnvSuite
from reproducibility import games

GAMES = Path(__file__).parent / "games"


def suites(folder: Path) -> Iterator[type[EnvSuite]]:
    for path in sorted(folder.glob("test_*contract.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, EnvSuite) and value is not EnvSuite:
                yield value


@pytest.mark.parametrize("game_id", games())
def test_game_has_a_contract_suite(game_id: str) -> None:
    [package] = [package.name for package in cardgym.packages() if game_id in package.ids]
    assert game_id in {suite.game for suite in suites(GAMES / package)}

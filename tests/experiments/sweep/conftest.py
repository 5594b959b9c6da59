from pathlib import Path

import pytest

from killing import SEARCH_PATH, TINY


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A training of seconds, for double DQN; workers find its game."""
    monkeypatch.setenv("PYTHONPATH", SEARCH_PATH)
    path = tmp_path / "double_dqn.toml"
    path.write_text(TINY)
    return path

"""A folder has one process at a time; the lock of a dead one is taken over."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cardgym import CardgymError
from cardgym.cli import main
from cardgym.files.locks import locked

OWNER = """
import sys, time
from pathlib import Path
from cardgym.files.locks import locked
with locked(Path(sys.argv[1]), file=sys.argv[2]):
    print("locked", flush=True)
    time.sleep(600)
"""


def test_a_second_process_is_refused_and_a_dead_owners_lock_is_taken_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path), ""], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "locked\n"
        owned = f"{tmp_path}: in use by process {owner.pid} on {socket.gethostname()}; wait until it ends"
        with pytest.raises(CardgymError, match=owned), locked(tmp_path):
            pass
        config = ["--config", "corellian_spike/dqn", "--out", str(tmp_path)]
        for words in (["train", "dqn", *config], ["train", "league", "--env-id", "CorellianSpike-v0", *config[2:]]):
            assert main(words) == 2
            assert capsys.readouterr().err.startswith(f"{words[1]}.py: {owned}")
        assert main(["sweep", *config[1:2], "--script", "dqn", *config[2:]]) == 2
        assert capsys.readouterr().err.startswith(f"cardgym: {owned}")
        owner.kill()
    with locked(tmp_path), locked(tmp_path):  # The same process may enter again.
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", ".owner"]


def test_a_second_solve_of_one_file_is_refused_and_other_files_are_free(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"a.json": ["OnePlayPoker-v0"], "b.safetensors": ["KuhnPoker-v0", "--by", "cfr", "--iterations", "2"]}
    for name, words in names.items():
        out, other = tmp_path / name, tmp_path / f"other-{name}"
        command = [sys.executable, "-c", OWNER, str(tmp_path), name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
            assert owner.stdout is not None
            assert owner.stdout.readline() == "locked\n"
            assert main(["solve", *words, "--out", str(out)]) == 2
            assert f"cardgym: {out}: in use by process {owner.pid} on" in capsys.readouterr().err
            assert main(["solve", *words, "--out", str(other)]) == 0
            owner.kill()
        assert not out.exists()
        assert main(["solve", *words, "--out", str(out)]) == 0
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
        assert out.exists()
        assert other.exists()


def test_nothing_is_left_of_a_lock(tmp_path: Path) -> None:
    with locked(tmp_path / "a" / "b"):
        pass
    assert not (tmp_path / "a").exists()
    with locked(tmp_path):
        (tmp_path / "kept").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]

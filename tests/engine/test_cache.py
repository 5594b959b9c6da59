"""Compiled code on a disk that is full, damaged, read-only or not there only costs time; so does a clock that jumps."""

import errno
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import filelock
import pytest
from numba.core.caching import IndexDataCacheFile

from cardgym.engine import cache as code_folders
from cardgym.engine.cache import cache_folder, cache_root, digest_of
from cardgym.engine.compilation import compiled, known_internals
from cardgym.engine.jit import JIT_DISABLED
from cardgym.errors import CardgymError
from cardgym.table.game_log import data_folder

pytestmark = pytest.mark.skipif(
    JIT_DISABLED or not known_internals(), reason="nothing is compiled, or Numba alone keeps the code"
)
YEARS = 10 * 365.25 * 24 * 3600


def thrice(number: int) -> int:
    return 3 * number


@pytest.fixture(autouse=True)
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of `thrice`, empty."""
    folders = (code_folders.cache_folder, code_folders._temporary_root, code_folders._prune)
    for folder in folders:
        folder.cache_clear()
    monkeypatch.setenv("CARDGYM_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path / "cache" / "compiled" / digest_of(compiled(thrice))
    for folder in folders:
        folder.cache_clear()


def loaded() -> bool:
    """Call `thrice` as in a process that has just started; whether its code was on disk."""
    function: Any = compiled(thrice)
    assert function(14) == 42
    hits, misses = (sum(counts.values()) for counts in (function.stats.cache_hits, function.stats.cache_misses))
    assert hits + misses == 1
    return bool(hits)


def test_code_is_compiled_once(cold: Path) -> None:
    assert [loaded(), loaded()] == [False, True]
    assert {path.suffix for path in cold.iterdir()} >= {".nbi", ".nbc"}


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99, None])
def test_damaged_code_is_compiled_again_and_replaced(cold: Path, suffix: str, share: float | None) -> None:
    loaded()
    [path] = cold.glob(f"*{suffix}")
    whole = path.read_bytes()
    # None: what a disk may hold after the power failed.
    path.write_bytes(bytes(len(whole)) if share is None else whole[: int(share * len(whole))])
    assert [loaded(), loaded()] == [False, True]


def test_half_written_folder_is_completed(cold: Path) -> None:
    loaded()
    [code] = cold.glob("*.nbc")
    code.rename(f"{code}.tmp.0123456789abcdef")  # Killed before the file got its name; the index has it already.
    assert [loaded(), loaded()] == [False, True]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
@pytest.mark.parametrize("step", ["_save_index", "_save_data"])
def test_full_disk_or_quota_only_costs_time(
    cold: Path, monkeypatch: pytest.MonkeyPatch, number: int, step: str
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as full:
        full.setattr(IndexDataCacheFile, step, refuse)
        assert [loaded(), loaded()] == [False, False]
    assert [loaded(), loaded()] == [False, True]


def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to write below the cache folder, as a disk mounted to be read does; root may write anywhere else."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", refuse)


def test_read_only_cache_is_read(cold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded()
    read_only(monkeypatch)
    cache_folder.cache_clear()
    assert cache_folder(cold.name) == cold
    assert loaded()


def test_read_only_cache_without_the_code_is_left_alone(cold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cold.mkdir(parents=True)
    read_only(monkeypatch)
    assert cache_folder(cold.name) != cold
    assert not loaded()
    assert list(cold.iterdir()) == []
    assert code_folders.cache_folder("rules").is_dir()  # A temporary one; rules that found none seemed unusable.


def test_nothing_can_be_written_at_all(cold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for module, name in ((Path, "mkdir"), (tempfile, "mkdtemp"), (os, "makedirs")):
        monkeypatch.setattr(module, name, refuse)
    assert [loaded(), loaded()] == [False, False]


def test_disk_without_locks_only_costs_time(cold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise NotImplementedError("FileSystem does not appear to support flock")

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    assert [loaded(), loaded()] == [False, True]


@pytest.mark.skipif(sys.platform != "linux", reason="home folders of Linux")
def test_user_without_a_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import pwd

    def unknown(number: int) -> Any:
        raise KeyError(number)

    monkeypatch.chdir(tmp_path)
    for name in ("CARDGYM_CACHE_DIR", "CARDGYM_DATA_DIR", "HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert cache_root() is None
    assert code_folders.cache_folder("rules").is_dir()
    assert [loaded(), loaded()] == [False, True]
    with pytest.raises(CardgymError, match="no home folder to keep games in; name a folder with CARDGYM_DATA_DIR"):
        data_folder()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("jump", [YEARS, -YEARS])
def test_clock_jumps_only_cost_time(cold: Path, monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    loaded()
    other = cold.with_name("other")
    other.mkdir()
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + jump)
    for folder in (code_folders.cache_folder, code_folders._prune):
        folder.cache_clear()
    loaded()
    assert loaded()
    assert other.exists() == (jump < 0)  # Forwards, it looks unused for long.


def test_folder_removed_by_another_process_is_created_again(cold: Path) -> None:
    loaded()
    shutil.rmtree(cold)
    assert [loaded(), loaded()] == [False, True]

"""Kill a training, resume it, and compare the result with an uninterrupted run; for tests of training commands."""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardgym.console.progress import Progress
from cardgym.learn.saved_state import load_state

ROOT = Path(__file__).parents[1]
TINY = """
env_id = "register_tiny:Tiny-v0"
total_steps = 2000
num_envs = 32
hidden_sizes = [16]
learning_starts = 200
train_frequency = 16
batch_size = 32
buffer_size = 2000
eval_opponents = ["random"]
eval_every = 500
eval_games = 100
final_games = 100
save_every = 200
"""
"""The config of a training of seconds; `SEARCH_PATH` has its game."""
SEARCH_PATH = os.pathsep.join(str(ROOT / folder) for folder in ("src", "tests"))


def check_killed_run_ends_with_the_same_bits(
    main: Callable[[list[str]], int],
    program: list[str],
    words: list[str],
    saves: tuple[str, str] | None,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    suffixes: tuple[str, ...] = (".json", ".safetensors"),
) -> None:
    """Train once without interruption and once killed and resumed; both must end with the same bits.

    Args:
        main: runs the training in this process.
        program: what to run with Python for the same in another process, which is killed.
        words: the flags, without --out and --resume.
        saves: what the training says on stderr at its first save, and at its second, and never again; the steps of
            its first evaluations if None.
        folder: where to work.
        capsys: pytest's.
        suffixes: the files that must be the same.
    """
    whole, killed, log = folder / "whole", folder / "killed", folder / "log"
    assert main([*words, "--out", str(whole)]) == 0
    first, second = saves or re.findall(r"[\d,]+ of [\d,]+ steps", capsys.readouterr().err)[:2]
    with log.open("wb") as file:
        run = subprocess.Popen(
            [sys.executable, *program, *words, "--out", str(killed)],
            env={**os.environ, "PYTHONPATH": SEARCH_PATH}, stderr=file, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    while not _said(second, log.read_text()):
        assert run.poll() is None, log.read_text()
        time.sleep(0.002)
    time.sleep(random.Random().uniform(0, 0.2))  # Not seeded: killed at any moment, perhaps while it saves.
    run.kill()
    run.wait()
    capsys.readouterr()
    assert main([*words, "--out", str(killed), "--resume"]) == 0
    assert not _said(first, capsys.readouterr().err), "it started over"
    check_same_bits(whole, killed, suffixes)


def check_run_that_is_asked_to_end_saves(
    main: Callable[[list[str]], int],
    words: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    by: signal.Signals = signal.SIGTERM,
    suffixes: tuple[str, ...] = (".safetensors",),
    after: int = 3,
) -> None:
    """Train once without interruption and once stopped by a signal and resumed; both must end with the same bits.

    All of it in this process: the signal comes at a fixed step. The other arguments are those of the check above.

    Args:
        after: at how many advances of its progress bar the run is asked to end.
    """
    whole, asked = folder / "whole", folder / "asked"
    assert main([*words, "--out", str(whole)]) == 0
    advance, calls = Progress.__call__, 0

    def ask(self: Progress, done: int, total: int | None = None) -> None:
        nonlocal calls
        advance(self, done, total)
        calls += 1
        assert done < (self._total or done + 1), "it went on to its end"
        if calls == after:
            os.kill(os.getpid(), by)

    capsys.readouterr()
    with monkeypatch.context() as patched:
        patched.setattr(Progress, "__call__", ask)
        assert main([*words, "--out", str(asked)]) == 128 + by
    assert f"to continue, run the same command with `--resume --out {asked}`" in capsys.readouterr().err
    assert not list(asked.glob(".*.part"))
    assert main([*words, "--out", str(asked), "--resume"]) == 0
    check_same_bits(whole, asked, suffixes)


def programs(folder: Path) -> list[int]:
    """The trainings of workers that run in a folder or below it."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = entry.read_bytes().split(b"\0")
            if b"--follow" in words and any(word.startswith(str(folder).encode()) for word in words):
                found.append(int(entry.parent.name))
    return found


def _said(text: str, stderr: str) -> bool:
    return re.search(rf"(?<![\d,]){re.escape(text)}", stderr) is not None


def check_same_bits(one: Path, other: Path, suffixes: tuple[str, ...]) -> None:
    states = [_leaves(load_state(folder / "resume.safetensors")) for folder in (one, other)]
    assert states[0].keys() == states[1].keys()
    for name, value in states[0].items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, states[1][name], name, strict=True)  # No number is NaN.
        else:
            assert value == states[1][name], name
    if not suffixes:
        return
    files = [
        {path.name: _without_clock(path) for path in folder.iterdir() if path.suffix in suffixes}
        for folder in (one, other)
    ]  # fmt: skip
    assert files[0]
    assert files[0].keys() == files[1].keys()
    differ = [name for name, content in files[0].items() if content != files[1][name]]
    assert not differ, f"these files differ: {', '.join(differ)}"


def _without_clock(file: Path) -> bytes:
    """The content of a file, without the lines about elapsed time and their digest."""
    lines = file.read_bytes().splitlines(keepends=True)
    return b"".join(
        line for line in lines if file.suffix != ".json" or not re.search(rb'seconds"|_per_second"|"sha256"', line)
    )


def _leaves(value: Any, name: str = "") -> dict[str, Any]:
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        return {path: leaf for key, inner in value.items() for path, leaf in _leaves(inner, f"{name}/{key}").items()}
    return {name: value}

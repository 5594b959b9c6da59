"""A scheduler's last word: SIGTERM and SIGHUP end a training with its state saved, and nothing of it is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardgym.files import remove_leftovers
from cardgym.learn import signals as stopping
from cardgym.learn.signals import Saving, Stopped, listening

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@posix
def test_training_that_cannot_save_in_time_is_ended_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "SECONDS", 0.05)
    before = signal.getsignal(signal.SIGTERM)

    def train_on() -> None:
        with listening():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(30)

    with pytest.raises(Stopped) as stopped:
        train_on()
    assert stopped.value.number == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before
    assert not Saving(0).due()


def test_states_are_saved_at_intervals_of_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    saving, never = Saving(2), Saving(0)
    assert not saving.due()
    now += 120
    assert saving.due()
    saving.done()
    now += 119
    assert not saving.due()
    assert not never.due()


def test_leftover_files_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, own, old = (tmp_path / f".a.json.{name}.part" for name in (ended.pid, os.getpid(), "x"))
    for path in (left, own, old, tmp_path / "a.json"):
        path.write_text("{", encoding="utf-8")
    os.utime(old, (0, 0))
    remove_leftovers(tmp_path)
    kept = {path.name for path in tmp_path.iterdir()}
    assert {own.name, "a.json"} <= kept
    assert old.name not in kept
    assert (left.name in kept) == (os.name != "posix")

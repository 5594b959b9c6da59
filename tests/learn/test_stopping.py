"""A scheduler's last word: SIGTERM and SIGHUP end a training with its state saved, and nothing of it is lost."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardgym.files import remove_leftovers
from cardgym.learn import signals as stopping
from cardgym.learn.signals import Saving, listening
from cardgym.scaling.stopping import ENDING, Stopped

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@posix
@pytest.mark.parametrize("number", ENDING)
def test_training_that_cannot_save_in_time_is_ended_anyway(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setattr(stopping, "SECONDS", 0.05)
    monkeypatch.setattr(stopping, "INTERRUPT_SECONDS", 0.05)
    before = signal.getsignal(number)

    def train_on() -> None:
        with listening():
            saving = Saving(0)
            os.kill(os.getpid(), number)
            assert saving.due()
            time.sleep(30)

    with pytest.raises(Stopped) as stopped:
        train_on()
    assert (stopped.value.number, stopped.value.code) == (number, 128 + number)
    assert signal.getsignal(number) is before
    assert not Saving(0).due()


@posix
def test_second_signal_and_signal_before_there_is_anything_to_save_end_a_training_at_once() -> None:
    def train_on(signals: int, *, ready: bool, saved: bool = False) -> str:
        reached = "start"
        with contextlib.suppress(Stopped), listening():
            if ready:
                Saving(0).done(last=saved)
            for _ in range(signals):
                signal.raise_signal(signal.SIGINT)
                reached = "went on"
        return reached

    assert train_on(1, ready=False) == "start"
    assert train_on(1, ready=True) == "went on"
    assert train_on(2, ready=True) == "went on"
    assert train_on(1, ready=True, saved=True) == "start"


@posix
def test_signals_that_the_process_ignores_stay_ignored() -> None:
    """`nohup` ignores SIGHUP; a script's background commands ignore SIGINT."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with listening():
            signal.raise_signal(signal.SIGHUP)
            assert not Saving(0).due()
    finally:
        signal.signal(signal.SIGHUP, before)


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

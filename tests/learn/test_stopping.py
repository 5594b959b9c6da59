"""A scheduler's last word: SIGTERM and SIGHUP end a training with its state saved, and nothing of it is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from learning_game import ROOT

from cardgym.engine.contract import Game
from cardgym.files import sweep
from cardgym.learn import stopping
from cardgym.learn.stopping import Saving, Stopped, listening
from killing import check_killed_run_ends_with_the_same_bits

WORDS = [
    "--env-id", "register_tiny:Tiny-v0", "--observation", "plain", "--table-size", "4000",
    "--opponents", "perfect=1", "self=1", "--total-steps", "1400000", "--save-every", "1400000",
    "--eval-every", "100000", "--eval-games", "20", "--final-games", "0",
]  # fmt: skip

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@posix
@pytest.mark.parametrize("by", stopping.SIGNALS)
def test_run_that_is_asked_to_end_saves_and_ends_with_the_same_bits_when_resumed(
    tabular: ModuleType, tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], by: signal.Signals
) -> None:
    # Nothing but the signal makes this run save before its end.
    saves = "100,000 of 1,400,000 steps", "200,000 of 1,400,000 steps"
    program = [str(ROOT / "train" / "tabular.py")]
    check_killed_run_ends_with_the_same_bits(tabular.main, program, WORDS, saves, tmp_path, capsys, by=by)


@posix
def test_training_that_cannot_save_in_time_is_ended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_states_are_saved_every_so_many_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_files_that_a_killed_process_left_are_swept(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, own, old = (tmp_path / f".a.json.{name}.part" for name in (ended.pid, os.getpid(), "x"))
    for path in (left, own, old, tmp_path / "a.json"):
        path.write_text("{", encoding="utf-8")
    os.utime(old, (0, 0))
    sweep(tmp_path)
    kept = {path.name for path in tmp_path.iterdir()}
    assert {own.name, "a.json"} <= kept
    assert old.name not in kept
    assert (left.name in kept) == (os.name != "posix")

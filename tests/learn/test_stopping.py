"""A scheduler's last word: SIGTERM and SIGHUP end a training with its state saved, and nothing of it is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from learning_game import ROOT, load_script

from cardgym.engine.contract import Game
from cardgym.files import remove_leftovers
from cardgym.learn import signals as stopping
from cardgym.learn.saved_state import STATE_FILE, load_state, save_state
from cardgym.learn.signals import Saving, Stopped, listening
from killing import check_run_that_is_asked_to_end_saves

TINY = ["--env-id", "register_tiny:Tiny-v0", "--eval-every", "0", "--final-games", "0"]
DQN = [
    *TINY, "--total-steps", "1200", "--num-envs", "16", "--hidden-sizes", "16", "--opponents", "self=1", "snapshot=1",
    "--snapshot-every", "300", "--learning-starts", "100", "--train-frequency", "16", "--batch-size", "32",
    "--buffer-size", "500",
]  # fmt: skip
PPO = [
    *TINY, "--total-steps", "1600", "--num-envs", "16", "--num-steps", "8", "--hidden-sizes", "16",
    "--opponents", "self=1", "snapshot=1", "--snapshot-every", "300",
]  # fmt: skip
NFSP = [
    *TINY, "--total-steps", "1200", "--num-envs", "16", "--hidden-sizes", "16", "--opponents", "self=1", "snapshot=1",
    "--snapshot-every", "300", "--learning-starts", "100", "--train-frequency", "16", "--batch-size", "32",
    "--buffer-size", "500", "--anticipatory-param", "0.5", "--reservoir-size", "100",
]  # fmt: skip
TABULAR = [*TINY, "--observation", "plain", "--table-size", "4000", "--total-steps", "200000"]
SCRIPTS = {
    "dqn": (DQN, ".safetensors"),
    "ppo": (PPO, ".safetensors"),
    "nfsp": (NFSP, ".safetensors"),
    "tabular": (TABULAR, ".safetensors"),
}
"""The words and the file of each script. Nothing but a signal makes these runs save before their end."""

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@posix
@pytest.mark.parametrize("by", stopping.SIGNALS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_terminated_run_saves_and_resumes_with_the_same_bits(
    tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    name: str, by: signal.Signals,
) -> None:  # fmt: skip
    words, suffix = SCRIPTS[name]
    script = load_script(ROOT / "train" / f"{name}.py")
    check_run_that_is_asked_to_end_saves(script.main, words, tmp_path, monkeypatch, capsys, by, (suffix,))


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


def test_run_of_an_earlier_version_is_resumed_with_the_defaults_of_newer_keys(
    tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = load_script(ROOT / "train" / "tabular.py")
    assert script.main([*TABULAR, "--out", str(tmp_path)]) == 0
    state = load_state(tmp_path / STATE_FILE)
    began = json.loads(state["config"])
    del began["save_every_minutes"]
    save_state(tmp_path / STATE_FILE, {**state, "config": json.dumps(began)})
    assert script.main([*TABULAR, "--resume", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    assert script.main([*TABULAR, "--save-every-minutes", "5", "--resume", "--out", str(tmp_path)]) == 2
    assert "began with save_every_minutes=0.0, not 5.0" in capsys.readouterr().err


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

"""The table trainers' scripts, killed for real and taken up again, end with the same bits as a run left alone."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from cardgym.learn.resume import load_state

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}

TABULAR = [
    "tabular.py", "--env", "CorellianSpike-v0", "--observation", "paper", "--table-size", "40000", "--opponents",
    "initial=1", "self=1", "--decisions", "700000", "--save-every", "100000", "--eval-every", "100000",
    "--eval-games", "20", "--final-games", "0",
]  # fmt: skip
BATCH_Q = [
    "batch_q.py", "--exploration", "legal", "--iterations", "7", "--games", "300", "--sweeps", "5",
    "--save-every", "1", "--eval-games", "20", "--final-games", "0",
]  # fmt: skip
EXPERTS = [
    "experts.py", "--own-crib", "--games", "6000", "--seed-deals", "1000", "--value-every", "800",
    "--deals-kept", "256", "--checkpoint-every", "1000", "--eval-games", "20",
]  # fmt: skip
RUNS = {
    "tabular": (TABULAR, "100,000 of 700,000 decisions", "200,000 of 700,000 decisions"),
    "batch_q": (BATCH_Q, "iteration 1 of 7", "iteration 2 of 7"),
    "experts": (EXPERTS, "1,000 of 6,000 games", "2,000 of 6,000 games"),
}
"""Words of each run, and what it says on stderr at its first checkpoint and at its second, and never again."""


def start(words: list[str], folder: Path, *more: str, log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, str(ROOT / "train" / words[0]), *words[1:], "--out", str(folder), *more],
            env=ENVIRONMENT, stderr=file, stdout=subprocess.DEVNULL,
        )  # fmt: skip


def said(log: Path, words: str) -> bool:
    """Whether a run has said it."""
    return re.search(rf"(?<![\d,]){re.escape(words)}", log.read_text()) is not None


def wait_until_said(run: subprocess.Popen[bytes], log: Path, words: str) -> float:
    while not said(log, words):
        assert run.poll() is None, log.read_text()
        time.sleep(0.005)
    return time.monotonic()


def flat(value: object, name: str = "") -> dict[str, object]:
    if isinstance(value, dict):
        return {path: leaf for key, inner in value.items() for path, leaf in flat(inner, f"{name}/{key}").items()}
    return {name: value}


def same_bits(one: Path, other: Path) -> None:
    states = [flat(load_state(folder / "resume.pt")) for folder in (one, other)]
    assert states[0].keys() == states[1].keys()
    for name, value in states[0].items():
        if isinstance(value, torch.Tensor):
            assert torch.equal(value.view(torch.uint8), states[1][name].view(torch.uint8)), name
        else:
            assert value == states[1][name], name
    files = [
        {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".json", ".safetensors", ".npz")}
        for folder in (one, other)
    ]
    assert len(files[0]) >= 2
    assert files[0].keys() == files[1].keys()
    assert [name for name, content in files[0].items() if content != files[1][name]] == []


@pytest.mark.parametrize("script", RUNS)
def test_killed_at_any_moment_and_resumed_it_ends_with_the_same_bits(script, tmp_path):
    words, first, second = RUNS[script]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run = start(words, whole, log=tmp_path / "log")
    began = wait_until_said(run, tmp_path / "log", second)
    assert run.wait() == 0
    lasted = time.monotonic() - began
    run = start(words, killed, log=tmp_path / "log")
    wait_until_said(run, tmp_path / "log", second)
    time.sleep(random.Random().uniform(0, 0.3) * lasted)  # Not seeded: the moment of death is to be any.
    run.send_signal(signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    run = start(words, killed, "--resume", log=tmp_path / "log")
    assert run.wait() == 0
    assert not said(tmp_path / "log", first), "it began anew"
    same_bits(whole, killed)

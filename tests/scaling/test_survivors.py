"""Nothing that a command has started survives it, whenever and however SIGTERM arrives."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from scaling_tasks import take_interrupts

from killing import ROOT

if sys.platform != "linux":
    pytest.skip("processes are found in /proc", allow_module_level=True)

MARK = "CARDGYM_TEST_FAMILY"
_ENGINE = """
import sys
import scaling_tasks
from cardgym.experiments.launch import run_program
from cardgym.scaling import Task, make
if __name__ == "__main__":
    folder = sys.argv[1]
    with make("local", workers=2) as engine:
        tasks = [
            Task("sleep", scaling_tasks.sleep, (folder, 600.0)),
            Task("train", run_program, (["-m", "cardgym", "train", "ppo", "--env-id", "CorellianSpike-v0",
                                         "--total-steps", "100000000", "--out", folder + "/run"], folder + "/run")),
        ]
        list(engine.run(tasks))
"""
_CONFIG = str(ROOT / "examples" / "kuhn_poker" / "configs" / "ppo.toml")


def family(mark: str) -> list[int]:
    """The processes with this mark in their environment, which their children inherit."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:  # It ended meanwhile, or is another user's.
            continue
    return found


def survivors_of_a_signal(
    words: list[str], folder: Path, seconds: float, *, group: bool, number: signal.Signals = signal.SIGTERM
) -> list[int]:
    """Start a command, send it a signal after some seconds, and return what is left of it when it has ended."""
    mark = folder.name
    search_path = os.pathsep.join([str(ROOT / "src"), str(Path(__file__).parent), str(ROOT / "examples")])
    process = subprocess.Popen(
        [sys.executable, *words], start_new_session=True, env={**os.environ, MARK: mark, "PYTHONPATH": search_path},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(folder / "stderr").open("wb"),
        preexec_fn=take_interrupts,
    )  # fmt: skip
    try:
        time.sleep(seconds)
        while number != signal.SIGTERM and not ((folder / "run" / "log.txt").exists() and [*folder.glob("[0-9]*")]):
            time.sleep(0.02)  # Both tasks of `_ENGINE` run.
        (os.killpg if group else os.kill)(process.pid, number)
        process.wait(60)
        # For the last words of multiprocessing's resource tracker; of a process that was killed, the others notice it.
        deadline = time.monotonic() + (30 if number == signal.SIGKILL else 1)
        while (left := family(mark)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert number == signal.SIGINT or "Traceback" not in (folder / "stderr").read_text()
        return left
    finally:
        process.kill()
        for pid in family(mark):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("seconds", "group"), [(0.35, True), (1.2, False)])
def test_signal_while_workers_start_leaves_nothing_behind(tmp_path: Path, seconds: float, group: bool) -> None:
    assert not survivors_of_a_signal(["-c", _ENGINE, str(tmp_path)], tmp_path, seconds, group=group)


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_nothing_keeps_running_after_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    """Two workers with a task each; the process that started them is killed, or gets Ctrl-C."""
    assert not survivors_of_a_signal(["-c", _ENGINE, str(tmp_path)], tmp_path, 0.0, group=False, number=number)


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep the machine busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("group", [False, True])
def test_commands_leave_nothing_behind_on_a_loaded_machine(
    tmp_path_factory: pytest.TempPathFactory, group: bool
) -> None:
    """50 random moments for each way to send the signal."""
    commands = [
        ["exploit", "CorellianSpike-v0", "--player", "initial", "--budget", "50000000", "--workers", "2"],
        ["sweep", _CONFIG, "--seeds", "1-4", "--workers", "2"],
        ["benchmark", "--decisions", "1000000", "--workers", "2"],
        ["tournament", "CorellianSpike-v0", "--players", "heuristic", "ppo", "initial", "--games", "1000000",
         "--workers", "2"],
    ]  # fmt: skip
    chance, left = random.Random(), 0
    with load(2 * (os.cpu_count() or 1)):
        for number in range(50):
            folder = tmp_path_factory.mktemp("signal")
            words = ["-m", "cardgym", *commands[number % 4], "--out", str(folder / "out")]
            left += len(survivors_of_a_signal(words, folder, chance.uniform(0, 25), group=group))
    assert left == 0

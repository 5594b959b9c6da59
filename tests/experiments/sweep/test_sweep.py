import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cardgym.cli import main
from cardgym.experiments.launch import TrainingScript
from cardgym.experiments.sweep import RunResult, run_all, runs_of, sweep_folder
from cardgym.scaling import Engine, Task
from cardgym.scaling.engine import Outcome
from killing import check_same_bits, programs

if os.name != "posix":
    pytest.skip("SIGKILL is POSIX's", allow_module_level=True)


@pytest.mark.slow
def test_sweep_trains_reports_and_resumes(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One variant fails with a message, the others are reported; a second command trains only a seed that it adds."""
    out = tmp_path / "out"
    words = ["sweep", str(config), "--script", "dqn", "--grid", "opponents=random=1,nobody=1", "--out", str(out)]
    assert main([*words, "--seeds", "1", "--workers", "2"]) == 1
    shown = capsys.readouterr()
    failed = [line for line in shown.err.splitlines() if "failed" in line]
    assert len(failed) == 1
    assert "unknown player 'nobody'" in failed[0]
    assert "log.txt" in failed[0]
    assert "opponents=random=1" in shown.out
    assert "curves.png" in shown.out
    assert (out / "curves.png").exists()
    runs = json.loads((out / "report.json").read_text())["runs"]
    assert [run["exit"] for run in runs] == [0, 2]

    made = (out / "opponents=random=1" / "seed1" / "results.json").stat().st_mtime_ns
    words[5] = "opponents=random=1"
    assert main([*words, "--seeds", "1-2", "--workers", "2", "--resume", "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)
    assert [(run["seed"], run["exit"], run["options"]) for run in runs] == [
        (seed, 0, {"opponents": ["random=1"]}) for seed in (1, 2)
    ]
    assert all(0 <= run["results"]["random"]["win_rate"][0] <= 1 for run in runs)
    assert (out / "opponents=random=1" / "seed1" / "results.json").stat().st_mtime_ns == made


@pytest.mark.slow
def test_killed_run_ends_with_the_same_bits(config: Path, tmp_path: Path) -> None:
    """Its process is killed in the middle; the sweep begins it again, and it ends as if nothing had happened."""
    alone, out = tmp_path / "alone", tmp_path / "out"
    assert main(["train", "dqn", "--config", str(config), "--seed", "1", "--out", str(alone)]) == 0
    sweep = subprocess.Popen(
        [sys.executable, "-m", "cardgym", "sweep", str(config), "--script", "dqn", "--seeds", "1", "--out", str(out)],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    killed = False
    while sweep.poll() is None and not killed:
        time.sleep(0.01)
        if (out / "seed1" / "resume.safetensors").exists() and not (out / "seed1" / "results.json").exists():
            for pid in programs(out / "seed1"):
                os.kill(pid, signal.SIGKILL)
                killed = True
    assert sweep.wait(120) == 0
    check_same_bits(alone, out / "seed1", (".safetensors",))


def test_folder_of_another_sweep_is_refused(config: Path, tmp_path: Path, refused: Any) -> None:
    with sweep_folder(tmp_path / "out", TrainingScript(config, "dqn"), resume=False):
        pass
    words = ["sweep", str(config), "--script", "dqn", "--out", str(tmp_path / "out")]
    assert "add --resume" in refused(*words)
    config.write_text(config.read_text() + "gamma = 0.5\n")
    assert "another script or config" in refused(*words, "--resume")


class FailingEngine(Engine):
    """An engine on which every run ends at once with an exit code or an error."""

    name = "failing"

    def __init__(self, code: int | None, error: str | None = None) -> None:
        self._ended = (code, error)
        self._given: list[str] = []
        self.begun = 0

    @property
    def workers(self) -> int:
        return 2

    def _give(self, task: Task) -> None:
        self.begun += 1
        self._given.append(task.key)

    def _collect(self, seconds: float) -> list[Outcome]:
        given, self._given = self._given, []
        return [Outcome(key, self._ended[0], self._ended[1]) for key in given]

    def close(self) -> None:
        self._given.clear()


def test_sweep_whose_first_runs_all_fail_ends(config: Path, tmp_path: Path) -> None:
    trainer, engine = TrainingScript(config, "dqn"), FailingEngine(2)
    ended: list[RunResult] = []
    with (
        sweep_folder(tmp_path / "out", trainer, resume=False) as folder,
        pytest.raises(ValueError, match="runs failed"),
    ):
        run_all(trainer, folder, runs_of(trainer, {}, range(1, 1001)), engine, ended=ended.append)
    assert engine.begun <= 10
    assert all("exit code 2" in (result.problem or "") for result in ended)


def test_folder_that_workers_cannot_see_ends_the_sweep(config: Path, tmp_path: Path) -> None:
    trainer = TrainingScript(config, "dqn")
    engine = FailingEngine(None, "a worker cannot see the sweep's folder: node7 has no /out")
    with sweep_folder(tmp_path / "out", trainer, resume=False) as folder, pytest.raises(ValueError, match="node7"):
        run_all(trainer, folder, runs_of(trainer, {}, [1, 2, 3]), engine)

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import scaling_tasks

from cardgym import CardgymError
from cardgym.experiments.launch import LOG, run_program
from cardgym.scaling import Engine, Outcome, Task, local, make

HERE = Path(__file__).parent
SRC = HERE.parents[1] / "src"

if os.name != "posix":
    pytest.skip("SIGKILL is POSIX's", allow_module_level=True)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with make("local", workers=2) as engine:
        yield engine


def outcomes_of(engine: Engine, tasks: list[Task]) -> dict[str, Outcome]:
    return {outcome.key: outcome for outcome in engine.run(tasks)}


def test_every_task_has_one_outcome(engine: Engine) -> None:
    outcomes = outcomes_of(engine, [Task(str(number), scaling_tasks.square, (number,)) for number in range(20)])
    assert {key: outcome.value for key, outcome in outcomes.items()} == {str(n): n * n for n in range(20)}


def test_error_of_a_task_is_one_line_and_the_rest_go_on(engine: Engine) -> None:
    calls: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "refused": (scaling_tasks.refuse, (7,)),
        "broken": (scaling_tasks.break_down, (7,)),
        "missing": (scaling_tasks.square, ()),
        "not a plain value": (threading.Lock, ()),
        "good": (scaling_tasks.square, (3,)),
    }
    outcomes = outcomes_of(engine, [Task(key, *call) for key, call in calls.items()])
    assert outcomes["refused"].error == "7 is not allowed"
    assert outcomes["broken"].error == "ZeroDivisionError: integer division or modulo by zero"
    assert (outcomes["missing"].error or "").startswith("TypeError: ")
    assert "cannot pickle" in (outcomes["not a plain value"].error or "")
    assert (outcomes["good"].value, outcomes["good"].error) == (9, None)


def test_task_whose_worker_dies_is_begun_again(engine: Engine, tmp_path: Path) -> None:
    tasks = [
        Task("again", scaling_tasks.die_at_first, (str(tmp_path / "marker"),)),
        Task("never", scaling_tasks.die_always, attempts=2),
        Task("good", scaling_tasks.square, (3,)),
    ]
    outcomes = outcomes_of(engine, tasks)
    assert outcomes["again"].value == "done"
    assert outcomes["never"].error == "its worker died 2 times (killed by signal 9)"
    assert outcomes["good"].value == 9


def test_a_stop_during_a_callback_is_no_traceback_and_not_lost(
    engine: Engine, capfd: pytest.CaptureFixture[str]
) -> None:
    outcomes = outcomes_of(engine, [Task("stopped", scaling_tasks.stop_in_a_callback, attempts=1)])
    assert outcomes["stopped"].error == "its worker died 1 times (exit code 143)"
    assert capfd.readouterr().err == ""


def test_a_bot_that_raises_keyboard_interrupt_ends_no_worker(engine: Engine) -> None:
    outcome = outcomes_of(engine, [Task("bot", scaling_tasks.interrupt)])["bot"]
    assert (outcome.error or "").startswith("player bot: KeyboardInterrupt")


def test_next_task_is_taken_when_a_worker_is_free(engine: Engine) -> None:
    outcomes: list[Outcome] = []
    running = []

    def tasks() -> Iterator[Task]:
        for number in range(6):
            running.append(number - len(outcomes))
            yield Task(str(number), scaling_tasks.square, (number,))

    for outcome in engine.run(tasks()):
        outcomes.append(outcome)
    assert len(outcomes) == 6
    assert max(running) < engine.workers


def test_running_tasks_stop_with_the_iteration(engine: Engine, tmp_path: Path) -> None:
    tasks = [Task("quick", scaling_tasks.square, (3,)), Task("slow", scaling_tasks.sleep, (str(tmp_path), 600.0))]
    outcomes = engine.run(tasks)
    assert next(outcomes).key == "quick"
    pids = _started(tmp_path, 1)
    outcomes.close()  # type: ignore[attr-defined]
    assert not any(map(_running, pids))
    assert [outcome.value for outcome in engine.run([Task("next", scaling_tasks.square, (2,))])] == [4]


def test_ctrl_c_while_a_worker_starts_is_not_the_workers() -> None:
    """A terminal sends it to all processes: the worker, which is still importing, goes on without a word."""
    worker = local._Worker()
    assert worker._process.pid is not None
    os.kill(worker._process.pid, signal.SIGINT)
    try:
        worker.pipe.send_bytes(pickle.dumps(Task("a", scaling_tasks.square, (3,))))
        assert pickle.loads(worker.pipe.recv_bytes()) == (9, None)
    finally:
        worker.stop()
        worker.end()


def test_program_has_its_log_and_exit_code(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nprint(sys.argv[1:], __name__)\nsys.exit('no luck')\n")
    assert run_program([str(script), "--seed", "1"], str(tmp_path / "run")) == 1
    assert (tmp_path / "run" / LOG).read_text() == "['--seed', '1', '--follow'] __main__\nno luck\n"


def test_stop_file_asks_a_program_to_end(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import pathlib, signal, sys, time\n"
        "from cardgym.learn.signals import follow_parent\n"
        "follow_parent()\n"
        "def save(number, frame):\n"
        "    print('saved')\n"
        "    sys.exit(128 + number)\n"
        "signal.signal(signal.SIGTERM, save)\n"
        f"pathlib.Path(r'{tmp_path / 'ready'}').touch()\n"
        "time.sleep(600)\n"
    )
    stop = (tmp_path / "ready").exists
    assert run_program([str(script)], str(tmp_path), stop=stop) == 128 + signal.SIGTERM
    assert (tmp_path / LOG).read_text() == "saved\n"


def test_unknown_engine_or_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CardgymError, match="did you mean 'local'"):
        make("locl")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CardgymError, match=r"needs the package ray: in cardgym's clone, pip install '\.\[ray\]'"):
        make("ray")


def _started(folder: Path, count: int) -> list[int]:
    """Wait for this number of processes to report in a folder that they run."""
    deadline = time.monotonic() + 60
    while len(names := [path.name for path in folder.iterdir() if path.name.isdecimal()]) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return list(map(int, names))


def _running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"

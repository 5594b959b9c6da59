"""A Ray cluster of two nodes on this machine, with a worker killed, a node stopped and the head restarted.

Some minutes, so it runs only when it is asked for, where the extra `ray` is installed:

    CARDGYM_SLOW=1 python -m pytest -n 0 tests/scaling/test_cluster.py
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import scaling_tasks
from test_survivors import MARK, family

from killing import SEARCH_PATH, TINY, programs

if not os.environ.get("CARDGYM_SLOW"):
    pytest.skip("some minutes: asked for with CARDGYM_SLOW=1", allow_module_level=True)
pytest.importorskip("ray")

TOKEN = "0123456789abcdef0123456789abcdef01234567"

CONFIG = TINY.replace("2000", "20000", 1).replace("eval_every = 500", "eval_every = 5000")


class Cluster:
    """Two nodes with a CPU each, in separate process groups, with separate cache folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
            try:
                route.connect(("192.0.2.1", 9))
                host = route.getsockname()[0]
            except OSError:
                host = "127.0.0.1"
        self.address = f"{host}:{self.port}"
        self.environment = {
            **os.environ,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": TOKEN,
            "PYTHONPATH": SEARCH_PATH,
        }
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        place = ["--head", f"--port={self.port}"] if name == "head" else [f"--address={self.address}"]
        if name == "head":
            place += [f"--temp-dir={self.folder / 'ray'}", "--include-dashboard=false"]
        with open(self.folder / f"{name}.log", "ab") as log:
            self.nodes[name] = subprocess.Popen(
                [str(Path(sys.executable).parent / "ray"), "start", "--block", "--num-cpus=1", *place],
                env={**self.environment, "CARDGYM_CACHE_DIR": str(self.folder / f"cache-{name}")},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        log_file = self.folder / f"{name}.log"
        begun = log_file.read_text().count("Ray runtime started")
        wait_for(lambda: log_file.read_text().count("Ray runtime started") > begun, 120, log_file.read_text)

    def stop(self, name: str) -> None:
        """Kill a node: all of its processes are in its session."""
        node = self.nodes.pop(name)
        for pid in [node.pid, *in_session(node.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        node.wait()


def wait_for(condition: Any, seconds: float, log_text: Any = lambda: "") -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, log_text()
        time.sleep(0.05)


def in_session(session: int) -> list[int]:
    """The processes of a session, including its programs, which start their own sessions."""
    parents: dict[int, int] = {}
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_text().rpartition(")")[2].split()
            parents[int(entry.parent.name)] = int(fields[1])
            if int(fields[3]) == session:
                found.append(int(entry.parent.name))
    return found + [pid for pid, parent in parents.items() if parent in found and pid not in found]


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = Path(os.path.realpath(tmp_path_factory.mktemp("r")))  # Ray's sockets have short paths.
    cluster = Cluster(folder)
    try:
        cluster.start("head")
        cluster.start("other")
        yield cluster
    finally:
        for name in list(cluster.nodes):
            cluster.stop(name)


def sweep(cluster: Cluster, config: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "cardgym", "sweep", str(config), "--script", "dqn", "--seeds", "1-4", "--json",
         "--out", str(out), *more],
        env=cluster.environment, stdout=subprocess.PIPE, stderr=open(out.with_suffix(".log"), "wb"), text=True,
        preexec_fn=scaling_tasks.take_interrupts,
    )  # fmt: skip


def results(runs: str) -> dict[int, Any]:
    return {run["seed"]: (run["exit"], run["results"]) for run in json.loads(runs)}


def test_sweep_loses_nothing_with_workers_nodes_and_the_head(cluster: Cluster, tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(CONFIG)
    alone = sweep(cluster, config, tmp_path / "local")
    expected, _ = alone.communicate(timeout=600)
    assert alone.returncode == 0

    out = tmp_path / "out"
    run = sweep(cluster, config, out, "--engine", "ray", "--address", cluster.address)
    log_text = out.with_suffix(".log").read_text
    wait_for(lambda: len(programs(out)) == 2 and len(list(out.glob("*/resume.safetensors"))) >= 2, 300, log_text)
    os.kill(programs(out)[0], signal.SIGKILL)  # A training.
    time.sleep(3)
    worker = next(pid for pid in in_session(cluster.nodes["head"].pid) if b"ray::" in title(pid))
    os.kill(worker, signal.SIGKILL)  # A worker.
    time.sleep(5)
    cluster.stop("other")  # A node.
    time.sleep(5)
    cluster.stop("head")
    wait_for(lambda: not programs(out), 60)  # No training outlives its node.
    assert run.wait(120) == 2, log_text()
    assert "lost the Ray cluster" in log_text()
    cluster.start("head")
    cluster.start("other")
    run = sweep(cluster, config, out, "--engine", "ray", "--address", cluster.address, "--resume")
    got, _ = run.communicate(timeout=900)
    assert run.returncode == 0, log_text()
    assert results(got) == results(expected)
    assert not programs(out)


def title(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def test_tournament_loses_nothing(cluster: Cluster) -> None:
    words = [
        sys.executable, "-m", "cardgym", "tournament", "CorellianSpike-v0", "--players", "heuristic", "random",
        "initial", "--games", "60000", "--json",
    ]  # fmt: skip
    local = subprocess.run(words, env=cluster.environment, capture_output=True, text=True, timeout=600, check=True)
    run = subprocess.Popen(
        [*words, "--engine", "ray", "--address", cluster.address],
        env=cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(10)
    for pid in in_session(cluster.nodes["other"].pid):
        if b"ray::" in title(pid):
            os.kill(pid, signal.SIGKILL)
    time.sleep(2)
    cluster.stop("other")
    got, log_text = run.communicate(timeout=600)
    assert run.returncode == 0, log_text
    one, other = (json.loads(text) for text in (local.stdout, got))
    for name in ("seconds", "workers", "engine"):
        one.pop(name), other.pop(name)
    assert one == other


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_leaves_nothing_running(cluster: Cluster, tmp_path: Path, number: signal.Signals) -> None:
    config, out = tmp_path / "tiny.toml", tmp_path / "out"
    config.write_text(CONFIG)
    run = sweep(cluster, config, out, "--engine", "ray", "--address", cluster.address)
    wait_for(lambda: len(programs(out)) == 2, 300, out.with_suffix(".log").read_text)
    run.send_signal(number)
    assert run.wait(60) == 128 + number
    assert "to continue, run the same command with `--resume" in out.with_suffix(".log").read_text()
    wait_for(lambda: not programs(out), 5)


def test_termination_at_any_moment_leaves_nothing_running(cluster: Cluster, tmp_path: Path) -> None:
    """SIGTERM may come before the trainings run, or while the connection to the cluster opens."""
    config = tmp_path / "tiny.toml"
    config.write_text(CONFIG)
    cluster.environment[MARK] = tmp_path.name  # Trainings inherit it; Ray's own workers do not.
    for seconds in (1.0, 3.0, 6.0, 9.0, 12.0, 15.0):
        out = tmp_path / f"after-{seconds:g}"
        run = sweep(cluster, config, out, "--engine", "ray", "--address", cluster.address)
        time.sleep(seconds)
        run.send_signal(signal.SIGTERM)
        assert run.wait(60) in (-signal.SIGTERM, 128 + signal.SIGTERM), out.with_suffix(".log").read_text()
        time.sleep(5)  # What was submitted might still start.
        assert not programs(out), seconds
        assert not family(tmp_path.name), seconds


def test_wrong_token_is_one_line(cluster: Cluster, tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(CONFIG)
    cluster.environment["RAY_AUTH_TOKEN"] = TOKEN[::-1]
    run = sweep(cluster, config, tmp_path / "out", "--engine", "ray", "--address", cluster.address)
    assert run.wait(200) == 2
    lines = (tmp_path / "out.log").read_text().splitlines()
    assert len(lines) == 1
    assert "refuses the token" in lines[0]

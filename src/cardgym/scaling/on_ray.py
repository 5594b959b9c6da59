"""The engine `ray`: tasks run on the nodes of a Ray cluster.

Ray ends any process that loses the head of its cluster. So a separate process keeps the connection.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError, printable, require
from cardgym.scaling.engine import Engine, Outcome, Task, one_line, perform
from cardgym.scaling.local import follow_parent, ignore_interrupts, leave, uninterrupted
from cardgym.scaling.stopping import held

CONNECT_SECONDS = 60.0
"""Time limit for connecting."""
_REACH_SECONDS = 5.0
_STOP_SECONDS = 20.0
_LOST_SECONDS = 10
"""How long Ray looks for a lost head before it gives up the connection."""

HANDED_ON = ("PYTHONPATH", "NUMBA_DISABLE_JIT")
"""Environment variables that are passed to workers, which do not inherit them, in addition to `CARDGYM_*`."""
KEPT_BACK = ("CARDGYM_CACHE_DIR",)
"""Variables of cardgym that are not passed on: compiled code is for one machine."""


class RayEngine(Engine):
    """Tasks of one CPU on a Ray cluster."""

    name = "ray"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        require("the engine ray", "ray")
        self._address = address or os.environ.get("RAY_ADDRESS") or "auto"
        self._max_workers = workers
        self._open: _Connection | None = _Connection(self._address)

    @property
    def _connection(self) -> _Connection:
        """The connection, opened again after `close`."""
        self._open = self._open or _Connection(self._address)
        return self._open

    @property
    def workers(self) -> int:
        """How many tasks run at once. By default it follows the size of the cluster."""
        return max(self._connection.cpus, 1) if self._max_workers is None else self._max_workers

    def _give(self, task: Task) -> None:
        self._connection.send((pickle.dumps(task), task.key))

    def _collect(self, seconds: float) -> Sequence[Outcome]:
        try:
            return self._connection.receive(seconds)
        except (EOFError, OSError):
            raise CardgymError(
                f"lost the Ray cluster {self._address}; when it is back, the same command with --resume continues"
            ) from None

    def close(self) -> None:
        with held():
            if self._open is not None:
                self._open.close()
                self._open = None


class _Connection:
    """The process that keeps the connection, seen from outside."""

    def __init__(self, address: str) -> None:
        _check_reachable(address)
        self.cpus = 0
        self._folder = tempfile.TemporaryDirectory(prefix="cardgym-ray-")
        log = Path(self._folder.name) / "log.txt"
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        # Not a daemon: Ray may start processes, which Python forbids to daemons.
        self._process = context.Process(target=hold, args=(other, address, environment(), str(log)), name="ray")
        try:
            with held(), uninterrupted():
                self._process.start()
                other.close()
            if not self._pipe.poll(CONNECT_SECONDS):
                raise CardgymError(
                    f"the Ray cluster {address} does not answer in {CONNECT_SECONDS:.0f} s{_log_line(log)}"
                )
            message = self._pipe.recv()
        except (EOFError, OSError):
            line = _log_line(log)
            self.close()
            raise CardgymError(f"the Ray cluster {address} refuses the connection{line}") from None
        except BaseException:
            self.close()
            raise
        if isinstance(message, str):
            self.close()
            raise CardgymError(message)
        self.cpus = int(message)

    def send(self, message: tuple[Any, ...]) -> None:
        """Send a message. If the process has died, `receive` raises."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._pipe.send(message)

    def receive(self, seconds: float) -> list[Outcome]:
        """Return the tasks that have ended; waits for one for at most `seconds`."""
        ended: list[Outcome] = []
        while self._pipe.poll(0 if ended else seconds):
            message = self._pipe.recv()
            if isinstance(message, Outcome):
                ended.append(message)
            else:
                self.cpus = int(message)
        return ended

    def close(self) -> None:
        """Stop the running tasks and end the process."""
        if self._process.is_alive():
            self._process.terminate()
        self._process.join(_STOP_SECONDS + 10)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._pipe.close()
        self._folder.cleanup()


def _check_reachable(address: str) -> None:
    """Fail at once if nothing listens at the address; Ray itself tries for a long time."""
    if address in ("auto", "local") or "://" in address:
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise CardgymError(f"address {printable(address)!r}: write HOST:PORT, such as 10.0.0.1:6379")
    try:
        socket.create_connection((host, int(port)), _REACH_SECONDS).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CardgymError(
            f"no Ray cluster answers at {address} ({reason}); start one with `ray start --head`, or name another"
        ) from None


def _log_line(log: Path) -> str:
    """Return the last relevant line of Ray's log."""
    try:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        return ""
    relevant = [line for line in lines if any(word in line.lower() for word in ("token", "auth", "version"))] or lines
    return f" ({printable(relevant[-1], 300)})" if relevant else ""


def environment() -> dict[str, str]:
    """Return the environment variables that are passed to workers."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in HANDED_ON or (name.startswith("CARDGYM_") and name not in KEPT_BACK)
    }


# -- inside the process that keeps the connection ---------------------------------------------------------------------


def hold(pipe: Connection[Any, Any], address: str, variables: Mapping[str, str], log: str) -> None:
    """Connect to a cluster and submit the tasks that arrive through a pipe, until SIGTERM or until the pipe closes."""
    ignore_interrupts()
    threading.Thread(target=follow_parent, daemon=True).start()
    # Ray prints a lot; it goes to the log.
    with open(log, "ab", buffering=0) as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", str(_LOST_SECONDS))
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False, namespace="cardgym")
    except Exception as error:
        pipe.send(_refusal(address, error, Path(log).read_text(errors="replace")))
        return
    signal.signal(signal.SIGTERM, leave)  # Replaces the handler that Ray has set.
    pipe.send(_cpus())
    refs: dict[Any, str] = {}
    try:
        _serve(pipe, refs, variables)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        _cancel(refs)
        ray.shutdown()


def _serve(pipe: Connection[Any, Any], refs: dict[Any, str], variables: Mapping[str, str]) -> None:
    import ray

    # The engine counts attempts, so Ray does not retry. Tasks are spread over the nodes, each with its own cache.
    remote = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(perform_on_node)
    counted = time.monotonic()
    while True:
        while pipe.poll(0 if refs else 0.2):
            payload, key = pipe.recv()
            refs[remote.options(name=key).remote(payload, dict(variables), os.environ.get("PYTHONPATH", ""))] = key
        if refs:
            done, _ = ray.wait(list(refs), num_returns=1, timeout=0.05)
            if done:
                done, _ = ray.wait(list(refs), num_returns=len(refs), timeout=0)
            for ref in done:
                pipe.send(_ended(refs.pop(ref), ref))
        if time.monotonic() - counted > 5:
            counted = time.monotonic()
            pipe.send(_cpus())


def _ended(key: str, ref: Any) -> Outcome:
    import ray
    from ray import exceptions

    try:
        value, error = ray.get(ref)
    except (exceptions.WorkerCrashedError, exceptions.NodeDiedError, exceptions.ObjectLostError) as problem:
        return Outcome(key, died=type(problem).__name__)
    except (exceptions.LocalRayletDiedError, exceptions.RaySystemError, exceptions.RpcError) as problem:
        raise ConnectionResetError from problem  # Only the connection is lost; the task may be running.
    except exceptions.OutOfMemoryError:
        return Outcome(key, died="out of memory")
    except Exception as problem:
        if "No module named" in str(problem):
            return Outcome(key, error="a node of the cluster cannot import cardgym; install it on all of them")
        return Outcome(key, error=one_line(problem))
    return Outcome(key, value, error)


def _cancel(refs: Mapping[Any, str]) -> None:
    """Interrupt the running tasks, and kill those that do not stop."""
    import ray

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for force in (False, True):
        for ref in refs:
            ray.cancel(ref, force=force)
        if refs:
            ray.wait(list(refs), num_returns=len(refs), timeout=_STOP_SECONDS / (1 + force))


def _cpus() -> int:
    import ray

    return int(ray.cluster_resources().get("CPU", 0))


def _refusal(address: str, error: Exception, log: str) -> str:
    """Why connecting failed, in one line. `log` is what Ray has printed."""
    words = " ".join(str(error).split())
    if any("InvalidAuthToken" in text for text in (words, log)):
        return (
            f"the Ray cluster {address} refuses the token: all nodes and this machine need the same (RAY_AUTH_TOKEN, "
            "or `ray get-auth-token`), or RAY_AUTH_MODE=disabled on all of them"
        )
    if isinstance(error, ConnectionError) and address == "auto":
        return (
            "no Ray cluster runs on this machine; start one with `ray start --head`, or name one with --address "
            "(a single machine needs no cluster: --engine local)"
        )
    return f"the Ray cluster {address} refuses the connection ({printable(words, 300)})"


# -- on the cluster's nodes -------------------------------------------------------------------------------------------


def perform_on_node(payload: bytes, variables: Mapping[str, str], search_path: str) -> tuple[Any, str | None]:
    """Perform a pickled task. Returns the value, and the error in one line."""
    os.environ.update(variables)
    sys.path += [folder for folder in search_path.split(os.pathsep) if folder and folder not in sys.path]
    return perform(payload)

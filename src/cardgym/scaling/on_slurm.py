"""The engine `slurm`: each task is a job, submitted through submitit."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError, require
from cardgym.scaling.engine import Ended, Engine, Task, ignoring_interrupts, one_line, perform

MAX_JOBS = 100
"""Default for the number of jobs that are queued at once."""
_POLL_SECONDS = 2.0
_STOP_SECONDS = 30.0


class SlurmEngine(Engine):
    """Tasks as jobs of one CPU. Partition, account, time and memory come from the environment variables of sbatch."""

    name = "slurm"

    def __init__(self, workers: int | None = None, cluster: str = "slurm") -> None:
        """Check that jobs can be submitted.

        Args:
            workers: how many jobs are queued at once; None for `MAX_JOBS`.
            cluster: submitit's executor; `local` runs jobs as processes of this machine, for tests.

        Raises:
            CardgymError: where submitit is missing, or this machine cannot submit jobs.
        """
        require("the engine slurm", "submitit")
        import submitit

        if cluster == "slurm" and shutil.which("sbatch") is None:
            raise CardgymError("sbatch is not found: run the command on a node that can submit jobs to SLURM")
        self._workers = MAX_JOBS if workers is None else workers
        # In the working folder, which all nodes share like the folder of a sweep.
        self._executor = submitit.AutoExecutor(folder=str(Path("runs/slurm").resolve()), cluster=cluster)
        self._executor.update_parameters(name="cardgym", **({"cpus_per_task": 1} if cluster == "slurm" else {}))
        self._jobs: dict[str, Any] = {}

    @property
    def workers(self) -> int:
        """How many tasks run at once."""
        return self._workers

    def _give(self, task: Task) -> None:
        try:
            self._jobs[task.key] = self._executor.submit(perform, task)
        except Exception as error:
            raise CardgymError(f"SLURM refuses the job: {one_line(error)}") from None

    def _collect(self, seconds: float) -> Sequence[Ended]:
        time.sleep(max(seconds, _POLL_SECONDS))
        return [self._ended(key, self._jobs.pop(key)) for key, job in list(self._jobs.items()) if job.done()]

    def _ended(self, key: str, job: Any) -> Ended:
        worker = f"slurm job {job.job_id}"
        try:
            value, error = job.result()
        except Exception:  # The job was killed or lost its node. Errors of the function are in `error`.
            return Ended(key, worker, died=f"{worker}: {job.state.lower()}")
        return Ended(key, worker, value, error)

    def _stop(self) -> None:
        with ignoring_interrupts():
            jobs = list(self._jobs.values())
            self._jobs.clear()
            for job in jobs:
                job.cancel(check=False)
            deadline = time.monotonic() + _STOP_SECONDS
            while not all(job.done(force_check=True) for job in jobs) and time.monotonic() < deadline:
                time.sleep(0.5)

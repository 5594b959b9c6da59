"""The engines by name."""

from __future__ import annotations

from cardgym.errors import CardgymError, unknown
from cardgym.scaling.engine import Engine

ENGINES = {
    "local": "processes of this machine",
    "ray": "a Ray cluster",
    "slurm": "jobs of SLURM",
}


def make(name: str, workers: int | None = None, address: str | None = None) -> Engine:
    """An engine.

    Args:
        name: one of `ENGINES`.
        workers: how many tasks run at once; None for as many as there are cores.
        address: the head of the Ray cluster, `host:port`; None for RAY_ADDRESS or the cluster of this machine.

    Raises:
        CardgymError: for an unknown name, a missing package, or a cluster that cannot be reached.
    """
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    if workers is not None and workers < 1:
        raise CardgymError(f"workers={workers}: allowed are whole numbers from 1 up")
    if address is not None and name != "ray":
        raise CardgymError(f"an address is for the engine ray, not for {name}")
    if name == "local":
        from cardgym.scaling.local import LocalEngine

        return LocalEngine(workers)
    if name == "ray":
        from cardgym.scaling.on_ray import RayEngine

        return RayEngine(workers, address)
    from cardgym.scaling.on_slurm import SlurmEngine

    return SlurmEngine(workers)

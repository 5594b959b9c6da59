"""Running tasks on several processes or machines: local processes or a Ray cluster. See docs/scaling.md."""

from cardgym.errors import CardgymError, unknown
from cardgym.scaling.engine import Engine, Outcome, Task, in_process

__all__ = ["ENGINES", "Engine", "Outcome", "Task", "in_process", "make"]

ENGINES = {
    "local": "processes of this machine",
    "ray": "a Ray cluster",
}
"""The engines by name, with what they run on."""


def make(name: str, workers: int | None = None, address: str | None = None) -> Engine:
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    if workers is not None and workers < 1:
        raise CardgymError(f"workers={workers}: allowed are whole numbers from 1 up")
    if address is not None and name != "ray":
        raise CardgymError(f"an address is for the engine ray, not for {name}")
    if name == "local":
        from cardgym.scaling.local import LocalEngine

        return LocalEngine(workers)
    from cardgym.scaling.on_ray import RayEngine

    return RayEngine(workers, address)

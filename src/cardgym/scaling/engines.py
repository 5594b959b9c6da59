"""The engines by name."""

from __future__ import annotations

from cardgym.errors import CardgymError, unknown, whole_number
from cardgym.scaling.engine import Engine
from cardgym.scaling.local import LocalEngine

ENGINES = {"local": "processes of this machine", "ray": "a Ray cluster"}
"""The engines by name, with what they run on."""


def make(name: str, workers: int | None = None, address: str | None = None) -> Engine:
    """Return an engine by name, with at most that many workers; `address` is the Ray cluster's."""
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    if workers is not None:
        whole_number("workers", workers, 1)
    if address is not None and name != "ray":
        raise CardgymError(f"an address is for the engine ray, not for {name}")
    if name == "local":
        return LocalEngine(workers)
    from cardgym.scaling.on_ray import RayEngine  # Only here, for a faster start.

    return RayEngine(workers, address)

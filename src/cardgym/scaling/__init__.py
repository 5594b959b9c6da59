"""Running tasks on several processes or machines: local processes or a Ray cluster. See docs/scaling.md."""

from cardgym.scaling.engine import Engine, Outcome, Task, in_process
from cardgym.scaling.engines import ENGINES, make

__all__ = ["ENGINES", "Engine", "Outcome", "Task", "in_process", "make"]

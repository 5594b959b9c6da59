"""Running tasks on several processes or machines: local processes or a Ray cluster. See docs/scaling.md."""

from cardgym.scaling.engine import ENGINES, Engine, Outcome, Task, in_process, make

__all__ = ["ENGINES", "Engine", "Outcome", "Task", "in_process", "make"]

"""Work on many processes and machines: tasks go out, outcomes come back as they finish.

An engine is where the work runs: processes of this machine, a Ray cluster, or SLURM. See docs/scaling.md.
"""

from cardgym.scaling.engine import Engine, Outcome, Task
from cardgym.scaling.engines import ENGINES, make

__all__ = ["ENGINES", "Engine", "Outcome", "Task", "make"]

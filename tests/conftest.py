"""Each process of a test run keeps its compiled code in its own folder: Numba's files are not for two writers."""

from __future__ import annotations

import os
from pathlib import Path

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    base = os.environ.get("CARDGYM_CACHE_DIR") or Path(__file__).parent.parent / ".pytest_cache" / "compiled"
    os.environ["CARDGYM_CACHE_DIR"] = str(Path(base) / worker)

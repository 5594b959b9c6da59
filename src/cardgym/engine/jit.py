"""Whether rules are compiled in this process."""

from __future__ import annotations

import os

JIT_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether Numba's JIT is off in this process. Reading Numba's own setting would import it."""

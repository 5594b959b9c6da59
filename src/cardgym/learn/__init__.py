"""What trainings share, and a module for each algorithm."""

from cardgym.errors import require as _require

_require("cardgym.learn", "pydantic", "safetensors", "tensorboard", "torch")

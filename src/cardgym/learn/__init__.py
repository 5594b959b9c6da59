"""What training scripts share: configs, rollouts, opponents, exploration, logging, and states to resume from."""

from cardgym.errors import require

require("cardgym.learn", "pydantic", "safetensors", "tensorboard", "torch")
del require

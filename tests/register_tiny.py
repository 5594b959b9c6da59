"""Importing this registers the tiny game, for scripts: `--env-id register_tiny:Tiny-v0`."""

from cardgym import register, registered
from learning_game import TINY

if TINY.id not in registered():
    register(TINY)

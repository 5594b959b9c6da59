"""Importing this registers the tiny game, for scripts: `--env-id register_tiny:Tiny-v0`."""

from __future__ import annotations

from learning_game import TINY

from cardgym import register, registered

if TINY.id not in registered():
    register(TINY)

"""The command `cardgym`: one module per command, and those of papers."""

from cardgym.cli.dispatch import commands, main

__all__ = ["commands", "main"]

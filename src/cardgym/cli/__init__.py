"""The command `cardgym`: one module per command."""

from cardgym.cli.dispatch import COMMANDS, main

__all__ = ["COMMANDS", "main"]

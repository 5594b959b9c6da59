"""The argument parser of every command and training script: errors are one line, and no traceback is seen."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from cardgym.errors import CardgymError, nearest, unknown

FEW = 16
"""More options than this are not listed in an error."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `CardgymError`, and names the option nearest to an unknown one."""

    def __init__(self, prog: str, description: str | None, **more: Any) -> None:
        super().__init__(
            prog=prog,
            description=description,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **more,
        )

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse. An unknown option is reported before a missing one.

        Raises:
            CardgymError: for anything that cannot be parsed.
        """
        options = [name for name in self._option_string_actions if name.startswith("--")]
        for word in args or ():
            name = word.partition("=")[0]
            if name.startswith("--") and name not in ("--", *options):
                if len(options) <= FEW:
                    raise unknown("option", name, options)
                raise CardgymError(f"unknown option {name!r}: {nearest(name, options)}--help lists all")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise the message, with where to read on."""
        raise CardgymError(f"{message} (see {self.prog} --help)")

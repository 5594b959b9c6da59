"""The argument parser of every command and training script. Errors are one line and never show a traceback."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from cardgym.errors import CardgymError, nearest, unknown

MAX_LISTED = 16
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
        """Parse. An unknown option is reported before a missing one."""
        options = [name for name in self._option_string_actions if name.startswith("--")]
        for word in args or ():
            name = word.partition("=")[0]
            if name.startswith("--") and name not in ("--", *options):
                if len(options) <= MAX_LISTED:
                    raise unknown("option", name, options)
                raise CardgymError(f"unknown option {name!r}: {nearest(name, options, cutoff=0.7)}--help lists all")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise the message, with the command that prints the help."""
        raise CardgymError(f"{message} (see {self.prog} --help)")


def whole(low: int, high: int = 2**63 - 1) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number from `low` to `high`."""

    def parse(word: str) -> int:
        try:
            value = int(word)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            limit = f" to {high:,}" if high < 2**63 - 1 or value > high else " up"
            raise argparse.ArgumentTypeError(f"{word!r}: allowed are whole numbers from {low}{limit}")
        return value

    return parse


def parse_assignments(words: list[str], example: str = "num_players=4") -> dict[str, str]:
    """Names and values from arguments such as those of `--set`; errors name the example."""
    values = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise CardgymError(f"option {word!r}: write it as name=value, such as {example}")
        if name in values:
            raise CardgymError(f"option {word!r}: {name!r} is named twice; name it once")
        values[name] = value
    return values

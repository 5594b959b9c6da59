"""Standard output and standard error: characters that a terminal lacks, and readers that stop early."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys

_SUBSTITUTES = {"♠": "S", "♥": "H", "♦": "D", "♣": "C", "…": "...", "±": "+-", "→": "->"}
"""What is printed for characters that a terminal may lack; any other becomes `?`."""


def adapt_streams() -> None:
    """Make stdout and stderr substitute the characters that their encoding lacks, instead of failing."""
    codecs.register_error("cardgym.plain", _substitute)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().replace("-", "").startswith("utf8"):
            stream.reconfigure(errors="cardgym.plain")


def _substitute(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(_SUBSTITUTES.get(character, "?") for character in characters), error.end


def silence_stdout() -> None:
    """Silence the interpreter's flush error at exit: stdout is closed or its disk is full."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""Standard output and standard error: characters that a terminal lacks, and readers that stop early."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys

_SUBSTITUTES = {
    **{"♠": "S", "♥": "H", "♦": "D", "♣": "C", "…": "...", "±": "+-", "→": "->", "─": "-"},
    **dict(zip("▁▂▃▄▅▆▇█", "_.-=+*#@", strict=True)),
}
"""What is printed for characters that a terminal may lack; any other becomes `?`."""


def adapt_streams() -> None:
    """Make stdout and stderr substitute the characters that their encoding lacks, instead of failing.

    A stream that was closed before Python started is opened on nothing: an empty input, and output that is lost.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    codecs.register_error("cardgym.plain", _substitute)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="cardgym.plain")  # UTF-8 too lacks some: those of paths that are not text.


def _substitute(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(_SUBSTITUTES.get(character, "?") for character in characters), error.end


def silence_stdout() -> None:
    """Silence the interpreter's flush error at exit: stdout is closed or its disk is full."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

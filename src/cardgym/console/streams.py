"""What every command does with its streams: characters that a terminal lacks, one-line errors, and exit codes."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import traceback
from collections.abc import Callable

from cardgym.errors import CardgymError, missing, printable

TRACEBACK = "CARDGYM_TRACEBACK"
"""The environment variable that asks for the traceback of an error, for whoever writes a player or a game."""
BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
"""Exit codes besides 0; the last two are those of a shell for SIGINT and SIGPIPE."""

_SUBSTITUTES = {
    **{"♠": "S", "♥": "H", "♦": "D", "♣": "C", "…": "...", "±": "+-", "→": "->", "─": "-"},
    **dict(zip("▁▂▃▄▅▆▇█", "_.-=+*#@", strict=True)),
}
"""What is printed for characters that a terminal may lack; any other becomes `?`."""


def adapt_streams() -> None:
    """Make stdout and stderr substitute the characters that their encoding lacks, instead of failing.

    A stream that was closed before Python started is opened on the null device.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    codecs.register_error("cardgym.plain", _substitute)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="cardgym.plain")  # UTF-8 lacks some, too: those of paths that cannot be decoded.


def _substitute(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(_SUBSTITUTES.get(character, "?") for character in characters), error.end


def guarded(run: Callable[[], int], prog: str = "cardgym") -> int:
    """Call `run` and return its exit code; an error is printed in one line, after `prog`, and determines the code."""
    adapt_streams()
    try:
        try:
            code = run()
        except SystemExit as stop:  # argparse, after --help
            code = stop.code if isinstance(stop.code, int) else 0
        sys.stdout.flush()  # Not at exit, where Python would print a warning.
        return code
    except CardgymError as error:
        message = str(error)
        if os.environ.get(TRACEBACK):
            traceback.print_exc()
    except ModuleNotFoundError as error:
        if (error.name or "cardgym").startswith("cardgym"):
            raise
        message = str(missing("this", error))
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _silence_stdout()
        where = f" {error.filename}" if error.filename else ""
        message = f"cannot read or write{where}: {error.strerror or error}"
    except KeyboardInterrupt:
        print(f"{prog}: interrupted", file=sys.stderr)
        return INTERRUPTED
    print(f"{prog}: {printable(' '.join(message.split()), 2000)}", file=sys.stderr)
    return BAD_INPUT


def _silence_stdout() -> None:
    """Silence the interpreter's flush error at exit: stdout is closed or its disk is full."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""Errors for users: one line that says what was wrong, what is allowed and what to do; and the check of numbers."""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import operator
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from pathlib import Path
from types import UnionType
from typing import Any


class CardgymError(ValueError):
    """Bad input: an option, a name, a path, a file or an action. The command line prints it and exits 2.

    All functions raise it for bad arguments; their docstrings mention it only where there is more to say.
    """


class IllegalActionError(CardgymError):
    """An illegal action: of an env made with `illegal_action="raise"`, or named in words."""


class UnclearMoveError(CardgymError):
    """Words that name no move, or more than one."""


class EndpointError(CardgymError):
    """A language model's endpoint refuses requests or cannot be reached. The message names its address.

    Attributes:
        in_public: the message for people who did not start the program.
    """

    in_public = "a language model does not answer; the person who started this server can read why in its terminal"


class UnexpectedArgumentError(CardgymError, TypeError):
    """An unknown keyword argument of an env. Also a `TypeError`: libraries that probe arguments expect one."""


def printable(text: str, length: int = 200) -> str:
    """Untrusted text made safe for a terminal: control characters are escaped, and it is cut to `length`."""
    start = text[: length + 1]
    if not start.isprintable():
        start = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in start)
    return start if len(start) <= length else f"{start[: length - 3]}..."


def quoted(value: object) -> str:
    """Return an untrusted value in quotes, for a message; see `printable`."""
    return f"'{printable(shown(value, str), 60)}'"


def brief(value: object) -> str:
    """Return a value of any kind as Python writes it, for a message; see `printable`."""
    return printable(shown(value), 60)


def unknown(kind: str, name: object, known: Iterable[str]) -> CardgymError:
    """Return the error for a name that is not in `known`, with the nearest name as a hint."""
    names = sorted(known)
    return CardgymError(f"unknown {kind} {quoted(name)}: {nearest(name, names)}known: {', '.join(names) or 'none'}")


def nearest(name: object, known: Iterable[str], cutoff: float = 0.5) -> str:
    """Suggest the known name most similar to `name`, as a question; empty if no similarity reaches `cutoff`."""
    near = difflib.get_close_matches(shown(name, str)[:200], sorted(known), n=1, cutoff=cutoff)
    return f"did you mean {near[0]!r}? " if near else ""


MAX_WHOLE = 2**63 - 1
"""The largest seed and the largest count: what a signed integer of 64 bits holds."""


def whole_number(name: str, value: Any, low: int, high: int = MAX_WHOLE) -> int:
    """Return `value` as an int if it is a whole number from `low` to `high`; otherwise raise `CardgymError`.

    The message begins with `name=value`, or with the value alone if the name is empty.
    """
    try:
        number = operator.index(value)
    except Exception:  # Whatever the value's own code raises.
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        shown = f"{name}={brief(value)}".removeprefix("=")
        allowed = "up" if high >= MAX_WHOLE and number <= high else f"to {high:,}"
        raise CardgymError(f"{shown}: allowed are whole numbers from {low:,} {allowed}")
    return number


def real_number(name: str, value: Any, low: float, high: float, allowed: str) -> float:
    """Return `value` as a float if it is a real number from `low` to `high`, which `allowed` says in words.

    Raises:
        CardgymError: if it is none.
    """
    is_real: bool = isinstance(value, Real) and not isinstance(value, bool)
    if not is_real or not low <= value <= high:
        raise CardgymError(f"{name}={brief(value)}: allowed are {allowed}")
    return float(value)


def one_of(kind: str, value: Any, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the `allowed` names; otherwise raise `CardgymError`."""
    names = list(allowed)
    if not isinstance(value, str) or value not in names:
        raise unknown(kind, value, names)
    return value


def of_kind(name: str, value: Any, kinds: type | UnionType | tuple[type, ...], allowed: str) -> None:
    """Raise `CardgymError` unless `value` is of one of the `kinds`, which `allowed` describes in words."""
    if not isinstance(value, kinds):
        raise CardgymError(f"{name}={brief(value)}: allowed are {allowed}")


def path_of(name: str, value: object) -> Path:
    """Return a path, given as one or as text; `CardgymError` for anything else."""
    of_kind(name, value, (str, Path), "paths")
    path = Path(str(value))
    with contextlib.suppress(ValueError):  # Of text that no file system takes.
        if path.name and min(os.fsencode(path)) >= ord(" "):
            return path
    raise CardgymError(f"{name}={brief(value)}: allowed are paths of files, without control characters")


def with_method(name: str, value: Any, method: str, allowed: str) -> None:
    """Raise `CardgymError` unless `value` is None or has this method; `allowed` says in words what has it."""
    if value is not None and not hasattr(value, method):
        raise CardgymError(f"{name}={brief(value)}: allowed are None and {allowed}")


_EXTRAS = {
    "PIL": "pictures",
    "anyio": "web",
    "cuda": "cuda",
    "h5py": "data",
    "h11": "web",
    "minari": "data",
    "moviepy": "video",
    "onnx": "onnx",
    "openai": "llm",
    "pettingzoo": "pettingzoo",
    "pygame": "render",
    "ray": "ray",
    "resvg_py": "pictures",
    "sb3_contrib": "sb3",
    "stable_baselines3": "sb3",
    "starlette": "web",
    "uvicorn": "web",
}
"""The extra that installs each package; packages not listed come with `learn`."""


def missing(what: str, error: ModuleNotFoundError) -> CardgymError:
    """Return the error for a missing package that `what` needs."""
    package = (error.name or "").partition(".")[0]
    extra = _EXTRAS.get(package, "learn")
    return CardgymError(f"{what} needs the package {package}: in cardgym's clone, pip install '.[{extra}]'")


@contextlib.contextmanager
def reporting_missing(what: str) -> Iterator[None]:
    """Within this, a package that is not installed raises the error of `missing`."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "cardgym").partition(".")[0] == "cardgym":
            raise
        raise missing(what, error) from None


def require(what: str, *packages: str) -> None:
    """Raise `CardgymError` unless the packages that `what` needs are installed. Imports none of them."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise missing(what, ModuleNotFoundError(name=package))


# -- players that fail -------------------------------------------------------------------------------------------------


class DecisionError(CardgymError):
    """A player failed at a decision: it raised an error, or gave an answer that is not a legal action.

    The message may show what the player saw; `in_public` does not.

    Attributes:
        row: the row of the decision among those that the player was asked about; None if it is not known.
    """

    def __init__(
        self, name: str, reason: str, row: int | None, failure: str = "no legal action", where: str = "", seen: str = ""
    ) -> None:
        super().__init__(f"player {name}: {where}{reason}{seen and f'; it saw {seen}'}")
        self.row = row
        self._name, self._reason, self._failure, self._seen = name, reason, failure, seen

    @property
    def in_public(self) -> str:
        """The message for people who must not learn what the player saw."""
        return f"player {self._name} failed at its decision: {self._failure}"

    def at(self, row: int | None, where: str = "", seen: str = "") -> DecisionError:
        """Return the same error with where it was made, such as `game 3, seat 1:`, and what the player saw."""
        return DecisionError(self._name, self._reason, row, self._failure, where, seen or self._seen)


_SHORT = 64
"""The most numbers of an observation that a message shows: then the decision can be asked again."""


def in_short(observation: Any) -> str:
    """Return an observation as Python reads it, or its length if it is a long one; the start of one in words."""
    if isinstance(observation, str):
        return f"'{printable(' '.join(observation.split()))}'"
    if observation.size > _SHORT:
        return f"an observation of {observation.size:,} numbers"
    return f"[{', '.join(f'{value:g}' for value in observation)}]"


@contextlib.contextmanager
def reporting_errors(name: str, row: int | None) -> Iterator[None]:
    """Raise whatever the code of a player raises as a `DecisionError`, in one line; `row` as there."""
    try:
        yield
    except DecisionError:
        raise
    except BaseException as error:
        if ends_program(error):
            raise
        raise DecisionError(name, in_one_line(error), row, type(error).__name__) from error


def ends_program(error: BaseException) -> bool:
    """Whether an error comes from a signal, such as Ctrl-C; else from the code that was called."""
    if isinstance(error, KeyboardInterrupt):  # Ctrl-C reaches no other thread, and no process that ignores it.
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        return not ignored and threading.current_thread() is threading.main_thread()
    return isinstance(error, SystemExit) and type(error) is not SystemExit


def shown(value: Any, show: Callable[[Any], str] = repr) -> str:
    """Get what `repr` or `str` says of a value from a user's program; the name of its class if that raises an error."""
    try:
        return show(value)
    except Exception:
        return type(value).__name__


def in_one_line(error: BaseException) -> str:
    """Return an error of a user's program, with the last line that it reached of the user's own code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_users(frame.filename)]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {printable(' '.join(shown(error, str).split()), 300)}{place}"


_OWN, _STANDARD = Path(__file__).parent, Path(traceback.__file__).parent


def _is_users(file: str) -> bool:
    path = Path(file)
    libraries = _OWN in path.parents or _STANDARD in path.parents or "site-packages" in path.parts
    return not libraries and not file.startswith("<")

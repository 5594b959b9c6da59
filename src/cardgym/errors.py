"""The errors a user can meet, each saying in one line what was wrong, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CardgymError(ValueError):
    """Bad input: an option, a name, a path, a checkpoint or an action. The command line prints it and exits 2."""


class IllegalActionError(CardgymError):
    """An action that the rules do not allow now, in an env made with `illegal_action="raise"`."""


def unknown(kind: str, name: object, known: Iterable[str]) -> CardgymError:
    """The error for a name that is not among `known`, naming the nearest."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return CardgymError(f"unknown {kind} {str(name)!r}: {hint}known: {', '.join(names) or 'none'}")

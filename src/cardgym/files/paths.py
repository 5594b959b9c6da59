"""Paths in texts: relative where that is possible, and quoted so that they can be pasted into a shell."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

_WINDOWS = os.name == "nt"


def relative(path: Path, folder: Path) -> Path:
    """Return a path relative to a folder; on Windows an absolute one if that is on another drive."""
    try:
        return Path(os.path.relpath(path, folder))
    except ValueError:
        return path.absolute()


def pasted(*words: object) -> str:
    """Words as the user's shell reads them, each quoted if it has to be."""
    texts = map(str, words)
    if _WINDOWS:
        return " ".join(text if re.fullmatch(r"[\w:\\/.,=+~-]+", text) else f'"{text}"' for text in texts)
    return shlex.join(texts)

"""What a terminal can show: cards with symbols for suits, in colour where it has colours, in lines that fit it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

_SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_LETTERED = re.compile(r"(?<![\w+-])([2-9TJQKA]|10)([SHDC])(?!\w)")
_CARD = re.compile(r"([2-9TJQKA]|10)([♠♥♦♣])")
_RED, _BOLD, _DIM, _RESET = "\x1b[31m", "\x1b[1m", "\x1b[2m", "\x1b[0m"


@dataclass(frozen=True)
class Style:
    """How texts are shown.

    Attributes:
        symbols: whether cards have symbols for their suits.
        colour: whether hearts and diamonds are red, and what comes second is faint.
    """

    symbols: bool = False
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO | None = None) -> Style:
        """What a stream can show, stdout unless another is named; `NO_COLOR` and a dumb terminal are heeded."""
        stream = stream or sys.stdout
        colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") != "dumb"
        return cls(stream.isatty() and can_show("".join(_SYMBOLS.values()), stream), colour)

    def cards(self, text: str) -> str:
        """A text with its cards as this terminal shows them; no wider than it was."""
        if self.symbols:
            text = _LETTERED.sub(lambda card: card[1] + _SYMBOLS[card[2]], text)
        if self.colour:
            text = _CARD.sub(lambda card: f"{_RED}{card[0]}{_RESET}" if card[2] in "♥♦" else card[0], text)
        return text

    def bold(self, text: str) -> str:
        """A text that stands out."""
        return f"{_BOLD}{text}{_RESET}" if self.colour else text

    def dim(self, text: str) -> str:
        """A text that stands back."""
        return f"{_DIM}{text}{_RESET}" if self.colour else text


def can_show(text: str, stream: TextIO = sys.stdout) -> bool:
    """Whether a stream's encoding has the characters of a text."""
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def size() -> tuple[int, int]:
    """Characters a line and lines of the terminal; 80 and 24 where there is none."""
    columns, lines = shutil.get_terminal_size((80, 24))
    return max(columns, 20), max(lines, 8)


def fitted(text: str, width: int) -> list[str]:
    """The lines of a text, those wider than `width` broken between words and indented."""
    lines: list[str] = []
    for line in text.splitlines():
        if len(line) <= width:
            lines.append(line)
        else:
            start = len(line) - len(line.lstrip())
            indent = " " * min(start + 2 if start else 0, width // 2)
            broken = textwrap.wrap(
                line, width, subsequent_indent=indent, replace_whitespace=False, break_on_hyphens=False
            )
            lines += broken
    return lines


def reflowed(text: str, width: int) -> list[str]:
    """A text broken into lines of `width`: lines run on until an empty one, or one that is indented."""
    paragraphs: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith(" ") or not paragraphs or not paragraphs[-1]:
            paragraphs.append(line.rstrip())
        else:
            paragraphs[-1] += f" {line.strip()}"
    return [part for paragraph in paragraphs for part in (fitted(paragraph, width) or [""])]


def in_columns(texts: Sequence[str], width: int, few: int = 12) -> list[str]:
    """Texts one below the other, or in columns where there are more than `few`, no wider than `width`."""
    if len(texts) <= few:
        return [f"  {text}" for text in texts]
    column = max(map(len, texts)) + 3
    columns = max((width - 2 + 3) // column, 1)
    height = -(-len(texts) // columns)
    return ["  " + "".join(text.ljust(column) for text in texts[line::height]).rstrip() for line in range(height)]

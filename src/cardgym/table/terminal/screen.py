"""A person's terminal: texts that fit it, in color if it has color, and questions."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence

_RED_CARD = re.compile(r"([2-9JQKA]|10)[♥♦]")
_CONTINUED = re.compile(r"(?<!\n)\n(?:(?=\S)| {3,}(?=\S))")
"""A line's end inside a paragraph or an item of a list."""
_MAX_TEXT_WIDTH = 100
_RED, _BOLD, _DIM, _RESET = "\x1b[31m", "\x1b[1m", "\x1b[2m", "\x1b[0m"


class Screen:
    def __init__(
        self, ask: Callable[[str], str] = input, write: Callable[[str], None] = print, color: bool | None = None
    ) -> None:
        """Connect to a terminal.

        Args:
            ask: shows a prompt and returns the line that the person types.
            write: shows a text.
            color: whether it shows red hearts and diamonds, bold headings and dim details; None finds out, with respect
                for `NO_COLOR` and dumb terminals.
        """
        self._ask, self._write = ask, write
        able = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") != "dumb"
        self._color = able if color is None else color

    def bold(self, text: str) -> str:
        return f"{_BOLD}{text}{_RESET}" if self._color else text

    def dim(self, text: str) -> str:
        return f"{_DIM}{text}{_RESET}" if self._color else text

    @property
    def width(self) -> int:
        """Characters per line; 80 if unknown."""
        return max(shutil.get_terminal_size((80, 24)).columns, 20)

    @property
    def height(self) -> int:
        """Lines; 24 if unknown."""
        return max(shutil.get_terminal_size((80, 24)).lines, 8)

    def ask(self, prompt: str) -> str:
        """Return the line that the person types.

        Raises:
            EOFError: if the person leaves, with `q` or by ending the input.
        """
        try:
            answer = self._ask(prompt).strip()
        except UnicodeDecodeError:  # Not text, so not a valid answer.
            answer = "\N{REPLACEMENT CHARACTER}"
        if answer.lower() in ("q", "quit", "exit"):
            raise EOFError
        return answer

    def show(self, lines: Sequence[str]) -> None:
        text = "\n".join(lines)
        self._write(_RED_CARD.sub(f"{_RED}\\g<0>{_RESET}", text) if self._color else text)

    def page(self, lines: Sequence[str]) -> None:
        """Show lines one screen at a time, each up to the end of a paragraph if one is near."""
        room, first = self.height - 2, 0
        while len(lines) - first > room:
            ends = (end for end in range(first + room, first + room // 2, -1) if not lines[end])
            last = next(ends, first + room)
            self.show(lines[first:last])
            self.ask("Enter for more ")
            first = last
        self.show(lines[first:])

    def fitted(self, text: str, indent: int = 0) -> list[str]:
        """Return a text in lines that fit, each indented."""
        return [" " * indent + line for line in fitted(text, self.width - indent)]


def fitted(text: str, width: int) -> list[str]:
    """Return the lines of a text; lines wider than `width` are wrapped and indented."""
    lines: list[str] = []
    for line in text.splitlines():
        start = len(line) - len(line.lstrip())
        indent = " " * min(start + 2 if start else 0, width // 2)
        whole = line.replace(" %", "\xa0%")  # A percent sign stays with its number.
        broken = textwrap.wrap(whole, width, subsequent_indent=indent, replace_whitespace=False, break_on_hyphens=False)
        lines += [part.replace("\xa0%", " %") for part in broken] if len(line) > width else [line]
    return lines


def reflowed(text: str, width: int) -> list[str]:
    """Return a text wrapped to `width`, at most 100; an empty line or one indented by one or two starts a paragraph."""
    return fitted(_CONTINUED.sub(" ", text), min(width, _MAX_TEXT_WIDTH))


def in_columns(texts: Sequence[str], width: int) -> list[str]:
    """Texts as lines; more than 12 of them in columns no wider than `width`."""
    if len(texts) <= 12:
        return [f"  {text}" for text in texts]
    column = max(map(len, texts)) + 3
    columns = max((width - 2 + 3) // column, 1)
    height = -(-len(texts) // columns)
    return ["  " + "".join(text.ljust(column) for text in texts[line::height]).rstrip() for line in range(height)]

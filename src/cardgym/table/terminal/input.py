"""Moves as people type them: numbers of the menu, or words that identify one legal move."""

from __future__ import annotations

from collections.abc import Mapping

from cardgym.engine.text import matching, short_forms, words_of
from cardgym.table.terminal.screen import in_columns


class Choices:
    """The legal actions of one decision, by the names that a person can type.

    Attributes:
        texts: the text of each action, in the order of the menu.
        numbered: whether the menu is on the screen, so that its numbers name actions.
    """

    def __init__(self, texts: Mapping[int, str]) -> None:
        self.texts, self.numbered = texts, False

    @property
    def example(self) -> str:
        """Something that the person could type."""
        return f"`{short_forms(self.texts)[next(iter(self.texts))]}`"

    def menu(self, width: int) -> list[str]:
        digits = len(str(len(self.texts)))
        return in_columns([f"{n:>{digits}}  {text}" for n, text in enumerate(self.texts.values(), 1)], width)

    def parse(self, answer: str) -> int | str:
        """The action that an answer names, or a message that says why it names none."""
        if self.numbered and answer.isascii() and answer.isdigit():
            found = list(self.texts)[int(answer) - 1 : int(answer)] if int(answer) else []
        else:
            found = matching(answer, self.texts)
        if len(found) == 1:
            return found[0]
        if found:
            forms = list(short_forms({action: self.texts[action] for action in found}).values())
            some = ", ".join(f"`{form}`" for form in forms[:4])
            return f"{answer!r} may mean {len(found)} moves ({some} ...): type more of it."
        numbers = f"a number from 1 to {len(self.texts)}, or " if self.numbered else ""
        shown = answer if len(answer) <= 30 else f"{answer[:30]}..."
        return f"{shown!r} is not a move here: type {numbers}words such as {self.example}; l lists them."

    def listing(self, wanted: str, width: int) -> list[str]:
        """The moves whose short forms contain all words of `wanted`."""
        words, forms = words_of(wanted), short_forms(self.texts).values()
        chosen = [form for form in forms if all(word in words_of(form) for word in words)]
        return in_columns(chosen, width, few=0) if chosen else [f"No move has {wanted!r}."]

"""Moves as people type them: `5D QD`, `5♥`, `3 W7`, `fold`, or any words that identify one legal move."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from cardgym.table.terminal.screen import in_columns

_SYMBOLS = str.maketrans({"♠": "S", "♥": "H", "♦": "D", "♣": "C", "♤": "S", "♡": "H", "♢": "D", "♧": "C"})
_VARIATION = "\N{VARIATION SELECTOR-16}"
_TEN = re.compile(r"\b10(?=[cdhs]\b)")
_TILE = re.compile(r"\b([BW])(?:lack|hite) (?=\d)", re.IGNORECASE)
"""A numbered tile in words; people type W7."""
_WORD = re.compile(r"[^\s,;]+")
_HEAD_ENDS = re.compile(r"[,(:]")
_FEW = 6
"""Up to this many moves have whole names."""


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


def _typed(text: str) -> str:
    return _TILE.sub(lambda match: match[1].upper(), text.translate(_SYMBOLS))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, with cards as `5h` and `td`."""
    plain = _typed(text.replace(_VARIATION, "")).lower()
    return _WORD.findall(_TEN.sub("t", plain))


def matching(answer: str, texts: Mapping[int, str]) -> list[int]:
    """The moves that an answer may mean: one if it is clear, several if it is ambiguous, none if it fits no move.

    From the strictest reading to the loosest: the answer is a move's name, or starts it, or has some of its words in
    any order, or has beginnings of its words. The name is the text up to the first comma, colon or bracket.

    Args:
        answer: what the person typed.
        texts: the text of every legal action.
    """
    wanted = words_of(answer)
    if not wanted:
        return []
    names = {action: words_of(_HEAD_ENDS.split(text, maxsplit=1)[0]) for action, text in texts.items()}
    for fits in _READINGS:
        found = [action for action, name in names.items() if fits(wanted, name)]
        if found:
            return found
    return []


def _has_shortened(wanted: list[str], name: list[str]) -> bool:
    left = list(name)
    for word in wanted:
        full = next((candidate for candidate in left if candidate.startswith(word) and word.isalpha()), word)
        if full not in left:
            return False
        left.remove(full)
    return True


_READINGS: tuple[Callable[[list[str], list[str]], bool], ...] = (
    lambda wanted, name: wanted == name,
    lambda wanted, name: name[: len(wanted)] == wanted,
    lambda wanted, name: all(wanted.count(word) <= name.count(word) for word in wanted),
    lambda wanted, name: len(wanted) <= len(name) and all(map(str.startswith, name, wanted)),
    _has_shortened,
)
"""How the words of an answer may fit those of a move's name, the strictest first; see `matching`."""


def short_forms(texts: Mapping[int, str]) -> dict[int, str]:
    """Words that name each move.

    A few moves have their whole names, many the words that the others lack, numbers first. Suits are letters, which
    every keyboard has; a numbered tile is one word.
    """
    heads = {action: _HEAD_ENDS.split(text, maxsplit=1)[0] for action, text in texts.items()}
    names = {action: _typed(head).split() for action, head in heads.items()}
    if len(texts) <= _FEW:
        return {action: " ".join(name) for action, name in names.items()}
    common = set.intersection(*(set(name) for name in names.values()))
    groups: dict[str, list[set[str]]] = {}
    for name in names.values():  # Grouped by verb: one different move, such as a pass, must not lengthen the others.
        groups.setdefault(name[0], []).append(set(name))
    forms = {}
    for action, name in names.items():
        group = groups[name[0]]
        shared = common | (set.intersection(*group) if len(group) > 1 else set())
        words = [word for word in name if word not in shared] or name
        forms[action] = " ".join(sorted(words, key=lambda word: not word.isdigit()))
    return forms

"""Moves as people type them: `5D QD`, `5♥`, `3 W7`, `fold`, or any word that tells one move from the others."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SYMBOLS = str.maketrans({"♠": "s", "♥": "h", "♦": "d", "♣": "c", "♤": "s", "♡": "h", "♢": "d", "♧": "c"})
_VARIATION = "\N{VARIATION SELECTOR-16}"
_TEN = re.compile(r"\b10(?=[cdhs]\b)")
_WORD = re.compile(r"[^\s,;]+")
_HEAD_ENDS = re.compile(r"[,(:]")


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, cards as `5h` and `td`."""
    plain = text.replace(_VARIATION, "").translate(_SYMBOLS).lower()
    return _WORD.findall(_TEN.sub("t", plain))


def head_of(text: str) -> list[str]:
    """The words of a move's text that name it: those before a comma, a colon or a bracket."""
    return words_of(_HEAD_ENDS.split(text, maxsplit=1)[0])


def matching(answer: str, texts: Mapping[int, str]) -> list[int]:
    """The moves that an answer may mean: one if it is clear, several if not, none if it means nothing.

    An answer means a move if it is how its text begins, names words of it in any order, or begins such words.

    Args:
        answer: what the person typed.
        texts: the words of every legal action.
    """
    wanted = words_of(answer)
    if not wanted:
        return []
    heads = {action: head_of(text) for action, text in texts.items()}
    for means in (_is, _begins, _names, _begins_shortly, _names_shortly):
        found = [action for action, head in heads.items() if means(wanted, head)]
        if found:
            return found
    return []


def _is(wanted: list[str], head: list[str]) -> bool:
    return wanted == head


def _begins(wanted: list[str], head: list[str]) -> bool:
    return head[: len(wanted)] == wanted


def _names(wanted: list[str], head: list[str]) -> bool:
    return all(wanted.count(word) <= head.count(word) for word in wanted)


def _begins_shortly(wanted: list[str], head: list[str]) -> bool:
    return len(wanted) <= len(head) and all(map(str.startswith, head, wanted))


def _names_shortly(wanted: list[str], head: list[str]) -> bool:
    left = list(head)
    for word in wanted:
        full = next((one for one in left if one.startswith(word) and word.isalpha()), word)
        if full not in left:
            return False
        left.remove(full)
    return True


_FEW = 6
"""Up to so many moves are named by how their texts begin."""


def short_forms(texts: Mapping[int, str]) -> dict[int, str]:
    """The shortest words that name each move among these.

    Few moves are named by how their texts begin, many by what they have and others have not, numbers first.
    """
    heads = {action: _HEAD_ENDS.split(text, maxsplit=1)[0].split() for action, text in texts.items()}
    if len(texts) <= _FEW:
        return {action: _shortest_start(head, texts) for action, head in heads.items()}
    common = set.intersection(*(set(head) for head in heads.values())) if len(heads) > 1 else set()
    groups: dict[str, set[str]] = {}
    for head in heads.values():  # A single odd move out, such as a pass, must not make the others long.
        groups[head[0]] = groups.get(head[0], set(head)) & set(head)
    forms = {}
    for action, head in heads.items():
        shared = common | (groups[head[0]] if sum(other[0] == head[0] for other in heads.values()) > 1 else set())
        words = [word for word in head if word not in shared] or head
        forms[action] = " ".join(sorted(words, key=lambda word: not word.isdigit()))
    return forms


def _shortest_start(head: list[str], texts: Mapping[int, str]) -> str:
    """As few words of a move's beginning as no other move is meant by."""
    for count in range(1, len(head)):
        start = " ".join(head[:count])
        if len(matching(start, texts)) == 1:
            return start
    return " ".join(head)

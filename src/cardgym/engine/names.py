"""What the texts of a game call its seats."""

from __future__ import annotations

import re

YOU = "You"
"""The seat that reads."""


class Names(tuple[str, ...]):
    """The names by seat: `YOU` for the seat that reads, if one does, and a name for each other seat."""

    __slots__ = ()

    def does(self, seat: int, verb: str, third: str = "") -> str:
        """Return a seat with a `verb`: "You raise", "Ann raises"; `third` is a form without -s: "doesn't buy"."""
        return f"{self[seat]} {verb if self[seat] == YOU else third or f'{verb}s'}"

    def whose(self, seat: int) -> str:
        """Return the possessive: "Your" or "Ann's"."""
        return "Your" if self[seat] == YOU else f"{self[seat]}'s"

    def column(self, seat: int, width: int) -> str:
        """Return the name in `width` characters; a seed in brackets is dropped first, a number last."""
        name = self[seat] if len(self[seat]) <= width else self[seat].partition(" (")[0]
        number = "".join(re.findall(r" \d+$", name))
        return f"{name.removesuffix(number)[: width - len(number)]}{number}".ljust(width)


def inside(text: str) -> str:
    """Return a text of `Names` as it stands inside a sentence: "you", "your", "the opponent"."""
    return text[0].lower() + text[1:] if text.split()[0] in (YOU, "Your", "The") else text

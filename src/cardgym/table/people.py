"""The names of the people and players at a table: one each, for the log, the table and the coach."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

YOU = "You"
"""The person who reads."""

_ACRONYMS = {"ppo": "PPO", "dqn": "DQN", "nfsp": "NFSP", "cfr": "CFR", "mccfr": "MCCFR"}
_SEAT = re.compile(r"\b[Ss]eat (\d+)('s)?\b")
_OPPONENT = re.compile(r"\b(?:[Tt]he |[Yy]our )?[Oo]pponent\b|\bopp\.")
_LABEL = re.compile(r"(?:(You)|Opponent|Seat (\d+)) {2,}")
_YOU_DO = re.compile(r"\bYou (don't|[a-z]+)\b")
_IRREGULAR = {"are": "is", "have": "has", "don't": "doesn't", "were": "was", "do": "does", "go": "goes"}
_UNNAMED = ("id", "symbol", "kind")
"""Keys whose values are names for programs."""


def shown_name(name: str) -> str:
    """A player's name for people: `double_dqn_seed2` is "Double DQN (seed 2)", `distill:greedy` "Distill greedy".

    For a path it is the name of the file.
    """
    if Path(name).suffix:
        return Path(name).name
    words = [_ACRONYMS.get(word, word) for word in re.split(r"[-_:\s]+", name.rpartition("/")[2]) if word]
    text = re.sub(r" seed(\d+)$", r" (seed \1)", " ".join(words)) or name
    return text[0].upper() + text[1:]


def with_shown_names(text: str, names: Iterable[str]) -> str:
    """A text about players, such as what one of them wins, with these names as people read them."""
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w-])(?:{pattern})(?![\w-])", lambda match: shown_name(match[0]), text)


def shown_names(names: Sequence[str], person: int | None, about: Mapping[str, Any] | None = None) -> list[str]:
    """The names by seat for people, each different: "You" for the person who reads, "Heuristic", "Heuristic 2".

    `about` is what is saved with the game: the names that people gave.
    """
    out: list[str] = []
    for seat, name in enumerate(names):
        given = (about or {}).get(name_key(seat))
        shown = YOU if seat == person else str(given or shown_name(name))
        head, bracket, seed = shown.partition(" (")
        numbered = (f"{head} {number}{bracket}{seed}" for number in itertools.count(2))
        out.append(shown if shown not in out else next(other for other in numbered if other not in out))
    return out


def name_key(seat: int) -> str:
    """The key in an entry's `about` of the name that a person at `seat` gave."""
    return f"name {seat}"


def people_of(entry: Mapping[str, Any]) -> list[str]:
    """The names by seat of a logged game for its person; see `shown_names`."""
    players = sorted(entry["players"], key=lambda player: int(player["seat"]))
    return shown_names([player["name"] for player in players], entry["person"], entry.get("about"))


def named(text: str, people: Sequence[str], viewer: int) -> str:
    """A text from the view of a seat, with names in place of "Seat 1", "Opponent" and, for another reader, "You".

    `viewer` is the seat that the game speaks to; -1 if it speaks to none.
    """
    if viewer >= 0 and people[viewer] != YOU:  # First: another may be "You".
        text = _YOU_DO.sub(lambda match: f"{people[viewer]} {_third_person(match[1])}", text)
        text = re.sub(r"\b[Yy]our\b(?! [Oo]pponent)", f"{people[viewer]}'s", text)
        text = re.sub(r"\b[Yy]ou\b", people[viewer], text)
    text = _SEAT.sub(lambda match: _by_seat(people, match), text)
    if len(people) == 2 and viewer >= 0:
        text = _OPPONENT.sub(people[1 - viewer], text).replace("You's", "Your")
    return text


def board_with_names(board: str, people: Sequence[str], viewer: int) -> str:
    """A board for the terminal with names at the beginnings of its lines, in the columns that it has for them."""
    lines = []
    for line in board.split("\n"):
        match, label = _LABEL.match(line), ""
        seat = -1 if match is None else viewer if match[1] else int(match[2]) if match[2] else 1 - viewer
        if match is not None and seat < len(people):
            room = match.end() - 1
            name = people[seat] if len(people[seat]) <= room else people[seat].partition(" (")[0]
            number = "".join(re.findall(r" \d+$", name))
            name = name.removesuffix(number)[: room - len(number)]
            label, line = f"{name}{number}".ljust(match.end()), line[match.end() :]
        lines.append(label + named(line, people, viewer))
    return "\n".join(lines)


def with_names(value: T, people: Sequence[str], viewer: int) -> T:
    """Plain values, such as a view or an advice, with all their texts `named`."""
    found: Any = value
    if isinstance(value, str):
        found = named(value, people, viewer)
    elif isinstance(value, dict):
        found = {key: part if key in _UNNAMED else with_names(part, people, viewer) for key, part in value.items()}
    elif isinstance(value, list | tuple):
        found = [with_names(part, people, viewer) for part in value]
    return found  # type: ignore[no-any-return]


def _by_seat(people: Sequence[str], match: re.Match[str]) -> str:
    seat, own = int(match[1]), match[2] or ""
    if seat >= len(people):
        return match[0]
    return ("Your" if own else YOU) if people[seat] == YOU else f"{people[seat]}{own}"


def _third_person(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search("[^aeiou]y$", verb) else f"{verb}s"

"""The names of the people and players at a table: one each, for the log, the table and the coach."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cardgym.engine.names import YOU, Names
from cardgym.errors import printable

_ACRONYMS = {"llm": "LLM", "ppo": "PPO", "dqn": "DQN", "nfsp": "NFSP", "cfr": "CFR", "mccfr": "MCCFR"}


def shown_name(name: str) -> str:
    """Get a player's name for people: `double_dqn_seed2` is "Double DQN (seed 2)", `distill:greedy` "Distill greedy".

    For a path it is the name of the file, but for a training's `model.safetensors` that of its folder.
    """
    file = Path(name)
    if file.suffix and (file.stem != "model" or not file.parent.name):
        return file.name
    last = file.parent.name if file.suffix else name.rpartition("/")[2]
    words = [_ACRONYMS.get(word, word) for word in re.split(r"[-_:\s]+", last) if word]
    text = re.sub(r" seed(\d+)$", r" (seed \1)", " ".join(words)) or name
    return text[0].upper() + text[1:]


def with_shown_names(text: str, names: Iterable[str]) -> str:
    """Return a text about players, such as what one of them wins, with these names as people read them."""
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w-])(?:{pattern})(?![\w-])", lambda match: shown_name(match[0]), text)


def shown_names(names: Sequence[str], person: int | None, about: Mapping[str, Any] | None = None) -> Names:
    """Return the names by seat for people, each different: "You" for the person who reads, "Heuristic", "Heuristic 2".

    `about` is what is saved with the game: the names that people gave.
    """
    out: list[str] = []
    for seat, name in enumerate(names):
        given = (about or {}).get(name_key(seat))
        shown = YOU if seat == person else printable(str(given or shown_name(name)))  # They may come from a file.
        head, bracket, seed = shown.partition(" (")
        numbered = (f"{head} {number}{bracket}{seed}" for number in itertools.count(2))
        out.append(shown if shown not in out else next(other for other in numbered if other not in out))
    return Names(out)


def name_key(seat: int) -> str:
    """Return the key in an entry's `about` of the name that a person at `seat` gave."""
    return f"name {seat}"


def people_of(entry: Mapping[str, Any]) -> Names:
    """Return the names by seat of a logged game for its person; see `shown_names`."""
    players = sorted(entry["players"], key=lambda player: int(player["seat"]))
    return shown_names([player["name"] for player in players], entry["person"], entry["about"])

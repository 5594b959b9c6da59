"""Every model card says how much its player gives away, as the page of all players does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "exploitability.md"
CARDS = sorted((ROOT / "checkpoints").glob("*/*.md"))
LINE = re.compile(r"^Exploitability: at least \*\*(?P<bound>[\d.]+)(?P<interval> \[[^]]+\])?\*\*", re.MULTILINE)


def rows(folder: str) -> dict[str, tuple[str, str]]:
    """By player: its bound, and what the best responder wins; of the first of a folder's games that has it."""
    found: dict[str, tuple[str, str]] = {}
    of_folder = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            of_folder = line.startswith("## " + "".join(word.title() for word in folder.split("_")))
        elif of_folder and line.startswith("| `"):
            player, bound, _, _, wins, *_ = (cell.strip() for cell in line.strip("|").split("|"))
            found.setdefault(player.strip("`"), (bound.removeprefix("at least "), wins))
    return found


@pytest.mark.parametrize("card", CARDS, ids=lambda card: f"{card.parent.name}-{card.stem}")
def test_card_has_the_exploitability_of_the_page(card: Path) -> None:
    text, known = card.read_text(encoding="utf-8"), rows(card.parent.name)
    player = card.stem.partition(".")[0]
    if player not in known:  # Made for other options than the page's.
        assert LINE.search(text) or re.search("^Exploitability: not measured", text, re.MULTILINE)
        return
    bound, wins = known[player]
    line = LINE.search(text)
    assert line, f"{card.name} has no line `Exploitability: at least **...**`"
    assert line["bound"] == bound
    won = wins.partition("]")[0] + "]"
    assert (f"{bound}{line['interval']}" == won) if line["interval"] else won in text


def test_cards_are_found() -> None:
    assert len(CARDS) >= 10
    assert {path.with_suffix(".safetensors") for path in CARDS} == set((ROOT / "checkpoints").glob("*/*.safetensors"))

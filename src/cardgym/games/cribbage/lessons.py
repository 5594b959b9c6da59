"""Cribbage for people who learn it: tips, pictures of what scores, and a first deal."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.cribbage.state import FULL, PLAYING, TOSSING
from cardgym.table.drawings.playing_cards import card_item
from cardgym.table.presentation import Lesson
from cardgym.table.views import Reveal

LESSON = Lesson(
    opponent="greedy",
    seed=2,
    steps=(
        (
            64,
            "Discard two cards to the crib, which counts for you in this deal: the 5 and the 7. You keep a pair of 2s, "
            "and 9 + 4 + 2 = 15.",
        ),
        (29, "The opponent has opened with a 4. A second 4 is a pair, for 2 points: play it."),
        (1, "The count is 14. From 16 no card reaches 31, so the opponent cannot score with it: play the 2 of clubs."),
        (21, "The count is 22, and 9 makes exactly 31, for 2 points: play it."),
    ),
    closing="After the play, hands and crib are counted with the starter: 15s, pairs, runs. A whole game goes to 121.",
)
"""A deal with a pair and a 31 in the play."""


def tip(state: State, seat: int) -> str:
    """What a beginner should know at this decision."""
    if state.phase == TOSSING:
        whose = "yours: what you discard may score for you" if state.dealer == seat else "your opponent's: give little"
        how = "two cards and keep four" if state.pack == FULL else "one card and keep two"
        return f"Discard {how} that go together: pairs, runs, sums of 15. The crib is {whose}."
    if state.phase != PLAYING:
        return ""
    count = int(state.count)
    if count == 0 and state.pack != FULL:
        return "Play a card. The opponent scores if it can make 15 or a pair."
    if count == 0:
        return "Play a card. A 5 or a count of 21 lets the opponent score at once; a card below 5 is a safe start."
    return f"The count is {count}: making it 15 or 31 scores 2, pairing the last card 2, a run its length."


def examples() -> list[Reveal]:
    """What scores, with its points."""
    return [
        _example("Fifteen", "7C 8H", "2 for each sum of 15"),
        _example("Pair", "9D 9S", "2; three of a kind is 6, four is 12"),
        _example("Run", "4H 5C 6D", "a point a card, in any order"),
        _example("Flush", "2H 6H 9H KH", "4 for a hand of one suit, 5 with the starter"),
        _example("Nobs", "JD 3D", "1 for the jack of the starter's suit"),
    ]


def _example(name: str, cards: str, total: str) -> Reveal:
    items = [card_item(f"example:{card}", card) for card in cards.split()]
    return {"name": name, "items": items, "lines": [], "total": total}

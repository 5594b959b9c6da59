"""The table of One Play Poker: its view, reveals, rules text and player strengths."""

from __future__ import annotations

from typing import Any

from cardgym.engine.contract import Game, Names, State, inside
from cardgym.games.one_play_poker import rules
from cardgym.games.one_play_poker.text import RANKS, SUITS, card_text, order_text, outcome_text
from cardgym.table.coach.advice import Adviser
from cardgym.table.drawings.playing_cards import card_item, example, pack
from cardgym.table.presentation import Presentation, lessons, measured
from cardgym.table.views import Counter, Item, Reveal, View, Zone, reveal


def ending(state: State, seat: int, names: Names) -> str:
    if state.phase != rules.OVER:
        return ""
    drawn = rules.result(state) == rules.DRAW
    profit = f": {float(rules.net_profit(state, seat)):+g} for {inside(names[0])}"
    return outcome_text(state, names) + ("" if drawn else profit)


_RANKS = ("jack", "queen", "king", "ace")


def _cards(hand: State, owner: str) -> list[Item]:
    items: list[Item] = []
    for place, card in enumerate(sorted((int(card) for card in hand), reverse=True)):
        id = f"{owner}:{place}"
        slot: Item = {"id": id, "symbol": "card-slot", "label": "not dealt yet"}
        items.append(slot if card == rules.EMPTY else card_item(id, card_text(card)))
    return items


def _combination(hand: State) -> str:
    high = max(int(card) for card in hand)
    if high == rules.EMPTY:
        return "nothing yet"
    if hand[1] != rules.EMPTY and rules.is_pair(hand[0], hand[1]):
        return f"a pair of {_RANKS[high // rules.NUM_SUITS]}s"
    if hand[1] != rules.EMPTY and rules.is_flush(hand[0], hand[1]):
        return f"a flush, {_RANKS[high // rules.NUM_SUITS]} high"
    return f"{_RANKS[high // rules.NUM_SUITS]} high"


def view(state: State, seat: int, names: Names) -> View:
    own = f"{names.whose(0)} hand"
    zones: list[Zone] = [
        {"name": "The house", "seat": None, "kind": "hand", "items": _cards(state.house, "house"), "captions": False},
        {"name": own, "seat": 0, "kind": "hand", "items": _cards(state.player, "hand"), "captions": False},
    ]
    left = int(state.decisions - state.dealt) + int(state.phase == rules.BETTING)
    counters: list[Counter] = [
        {"name": "Pot", "value": rules.pot(state), "seat": None},
        {"name": "Decisions left", "value": 0 if state.phase == rules.OVER else left, "seat": None},
        {"name": "Best to worst", "value": order_text(state), "seat": None},
        {"name": "The house holds", "value": _combination(state.house), "seat": None},
        {"name": names.does(0, "hold"), "value": _combination(state.player), "seat": 0},
    ]
    return {"to_act": -1, "zones": zones, "counters": counters, "actions": {}}


def _deciding_rule(state: State) -> str:
    """Why the better hand won: "a flush, king high, beats a pair of jacks"."""
    hands = [_combination(state.player), _combination(state.house)]
    if rules.result(state) == rules.DRAW:
        return f"both have {hands[0]}, and equal second cards" if hands[0].endswith("high") else f"both have {hands[0]}"
    better, worse = hands if rules.result(state) == rules.WIN else hands[::-1]
    if better == worse:
        return f"both have {better}: the other card decides"
    return f"{better} beats {worse}"


def tip(state: State, seat: int) -> str:
    left = 4 - int(state.dealt)
    more = f"{left} card{'' if left == 1 else 's'} still to come" if left else "no more cards"
    hands = f"You hold {_combination(state.player)}, the house {_combination(state.house)}"
    return f"{hands}; {more}. Bet if you are likely to win."


def examples() -> list[Reveal]:
    return [example("Flush", "AH QH"), example("Pair", "JS JD"), example("High card", "KC JH")]


def reveals(before: State, move: int, after: State, seat: int, names: Names) -> list[Reveal]:
    if after.phase != rules.OVER or before.phase == rules.OVER:
        return []
    return [
        reveal(outcome_text(after, names), [_deciding_rule(after)], banner=True),
        reveal("The house", [_combination(after.house)], _cards(after.house, "house")),
        reveal(f"{names.whose(0)} hand", [_combination(after.player)], _cards(after.player, "hand")),
    ]


def _adviser(game: Game, options: Any) -> Adviser | None:
    from cardgym.games.one_play_poker.adviser import adviser

    return adviser(game, options)


TABLE = Presentation(
    view=view,
    reveals=reveals,
    ending=ending,
    symbols=lambda: pack(RANKS, SUITS),
    examples=examples,
    tip=tip,
    lessons=lessons(__file__),
    adviser=_adviser,
    **measured(__file__),
)

"""Corellian Spike for people who learn it: tips, pictures of what wins, the showdown's reasons, a first hand."""

from __future__ import annotations

from typing import NamedTuple

from cardgym.engine.contract import State
from cardgym.games.corellian_spike import state as s
from cardgym.games.corellian_spike.hand import card_sum, special_hand
from cardgym.games.corellian_spike.rounds import may_raise, owed
from cardgym.games.corellian_spike.text import signed
from cardgym.table.presentation import Lesson
from cardgym.table.views import Item, Reveal, reveal

LESSON = Lesson(
    opponent="initial",
    seed=49,
    options={"hands": 1},
    steps=(
        (
            s.MATCH,
            "Two cards each; the sum nearest to 0 will win the pool. Yours is +9, a third card is to come: match.",
        ),
        (s.BUY, "Your third card, the open spike, is +10: your sum is now +19. Buy a card for 2 to get nearer to 0."),
        (
            s.SWAP_SPIKE,
            "You have drawn -10. In place of the spike it makes your sum -1, almost perfect: swap the spike.",
        ),
        (s.RAISE, "-1 is hard to beat. Raise: the opponent has to pay as much, or fold and leave you the pool."),
        (s.DONT_BUY, "The dice were rolled; doubles would have brought new hands. You are as good as at 0: don't buy."),
        (s.RAISE, "The opponent has matched, but bought nothing. You are ahead of most hands: raise again."),
        (s.DONT_BUY, "No doubles again, and this is the last of three rounds. Keep your cards: don't buy."),
        (s.RAISE, "The last bets before the showdown: raise once more."),
    ),
    closing="-1 is nearer to 0 than -16: the pool is yours. A whole game is ten such hands, or until someone is broke.",
)
"""A hand in which the first card bought decides."""


def tip(state: State, seat: int) -> str:
    total = card_sum(state, seat)
    now = f"Your cards make {signed(total)}"
    if state.phase == s.BUYING:
        if state.stack[seat] < s.BET:
            return f"{now}. A card costs {s.BET} credits, which you do not have."
        return f"{now}; the sum nearest to 0 wins. You may buy a card for {s.BET} and swap it in."
    if state.phase == s.PLACING:
        new = signed(int(state.extra))
        return f"You have drawn {new}. Swap it in if that brings your sum of {signed(total)} nearer to 0."
    if state.phase == s.CHEATING:
        return "Only you know of the card up your sleeve: swap it in if that brings you nearer to 0."
    if state.phase == s.BETTING:
        due = owed(state, seat)
        pay = f"Matching costs {due}, folding gives up the pool." if due else "Matching is free: do not fold."
        third = " The spike, a third card, comes later." if state.cards[seat, s.SPIKE_SLOT] == s.EMPTY else ""
        advice = " Raise if you expect to win." if may_raise(state) else ""
        return f"{now}; the nearest to 0 wins.{third} {pay}{advice}"
    return ""


def deciding_rule(state: State) -> str:
    """Why the last hand's winner won, such as "both +1: the higher sum of positive cards wins, 7 to 5"."""
    winner = int(state.last_winner)
    hands = {
        seat: _strength(state, seat)
        for seat in range(state.num_players)
        if state.showdown_hands[seat, s.SPIKE_SLOT] != s.EMPTY
    }
    if len(hands) < 2:
        return "everyone else has folded"
    best = hands.pop(winner)
    rival = max(hands.values())
    if best.special != rival.special:
        return f"{s.SPECIAL_HANDS[best.special]} beats {s.SPECIAL_HANDS[rival.special] or 'any sum'}"
    if best.nearness != rival.nearness:
        return f"{signed(best.total)} is nearer to 0 than {signed(rival.total)}"
    if best.total != rival.total:
        return f"{signed(best.total)} and {signed(rival.total)} are as near to 0: a sum of 0 or more wins"
    both = f"both {s.SPECIAL_HANDS[best.special] or signed(best.total)}"
    if best.positive != rival.positive:
        return f"{both}: the higher sum of positive cards wins, {best.positive} to {rival.positive}"
    if best.highest != rival.highest:
        return f"{both}: the highest positive card wins, {best.highest} to {rival.highest}"
    return f"{both}, with equal positive cards: drawn by lot"


class _Strength(NamedTuple):
    """What the showdown compares, in its order; see `showdown` in hand.py."""

    special: int
    nearness: int
    total: int
    positive: int
    highest: int


def _strength(state: State, seat: int) -> _Strength:
    cards = [int(card) for card in state.showdown_hands[seat]]
    special = special_hand(*cards) if state.special_hands else 0
    total = sum(cards)
    return _Strength(special, -abs(total), total, sum(max(card, 0) for card in cards), max(*cards, 0))


def examples() -> list[Reveal]:
    return [
        _example("+1 is nearer to 0 than -3", (-2, -1, 4), (-6, 1, 2), "the left hand wins"),
        _example("As near to 0: a positive sum wins", (-4, 1, 5), (-3, -2, 3), "the left hand wins"),
        _example("Both +1: more in positive cards wins", (-8, 2, 7), (-3, 1, 3), "9 beats 4"),
    ]


def _example(name: str, first: tuple[int, ...], second: tuple[int, ...], total: str) -> Reveal:
    items: list[Item] = [
        {"id": f"example:{side}:{place}", "symbol": f"card{card:+d}", "label": signed(card)}
        for side, cards in enumerate((first, second))
        for place, card in enumerate(cards)
    ]
    items[2]["caption"], items[5]["caption"] = f"sum {signed(sum(first))}", f"sum {signed(sum(second))}"
    return reveal(name, items=items, total=total)

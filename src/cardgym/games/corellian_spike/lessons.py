"""Corellian Spike for people who learn it: tips, pictures of what wins, the showdown's reasons, a first hand."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.corellian_spike.hand import card_sum
from cardgym.games.corellian_spike.rounds import owed
from cardgym.games.corellian_spike.state import (
    BET,
    BETTING,
    BUY,
    BUYING,
    CHEATING,
    DONT_BUY,
    EMPTY,
    MATCH,
    PLACING,
    RAISE,
    SPIKE_SLOT,
    SWAP_SPIKE,
)
from cardgym.games.corellian_spike.text import signed, special_name
from cardgym.table.presentation import Lesson
from cardgym.table.views import Item, Reveal, reveal

LESSON = Lesson(
    opponent="initial",
    seed=49,
    options={"hands": 1},
    steps=(
        (MATCH, "Two cards each; the sum nearest to 0 will win the pool. Yours is +9, a third card is to come: match."),
        (BUY, "Your third card, the open spike, is +10: your sum is now +19. Buy a card for 2 to get nearer to 0."),
        (SWAP_SPIKE, "You have drawn -10. In place of the spike it makes your sum -1, almost perfect: swap the spike."),
        (RAISE, "-1 is hard to beat. Raise: the opponent has to pay as much, or fold and leave you the pool."),
        (DONT_BUY, "The dice were rolled; doubles would have brought new hands. You are as good as at 0: don't buy."),
        (RAISE, "The opponent has matched, but bought nothing. You are ahead of most hands: raise again."),
        (DONT_BUY, "No doubles again, and this is the last of three rounds. Keep your cards: don't buy."),
        (RAISE, "The last bets before the showdown: raise once more."),
    ),
    closing="-1 is nearer to 0 than -16: the pool is yours. A whole game is ten such hands, or until someone is broke.",
)
"""A hand in which the first card bought decides."""


def tip(state: State, seat: int) -> str:
    total = card_sum(state, seat)
    now = f"Your cards make {signed(total)}"
    if state.phase == BUYING:
        return f"{now}; the sum nearest to 0 wins. You may buy a card for {BET} and swap it in."
    if state.phase == PLACING:
        new = signed(int(state.extra))
        return f"You have drawn {new}. Swap it in if that brings your sum of {signed(total)} nearer to 0."
    if state.phase == CHEATING:
        return "Only you know of the card up your sleeve: swap it in if that brings you nearer to 0."
    if state.phase == BETTING:
        due = owed(state, seat)
        pay = f"Matching costs {due}, folding gives up the pool." if due else "Matching is free: do not fold."
        third = " The spike, a third card, comes later." if state.cards[seat, SPIKE_SLOT] == EMPTY else ""
        return f"{now}; the nearest to 0 wins.{third} {pay} Raise if you expect to win."
    return ""


def deciding_rule(state: State) -> str:
    """Why the last hand's winner won, such as "both +1: the higher sum of positive cards wins, 7 to 5"."""
    winner = int(state.last_winner)
    shown = {seat: _cards(state, seat) for seat in range(state.num_players) if state.shown[seat, SPIKE_SLOT] != EMPTY}
    if winner not in shown:
        return "everyone else has folded"
    if len(shown) == 1:
        return "nobody else is left"
    if special := special_name(state, winner):
        return f"{special} beats any sum"
    cards = shown.pop(winner)
    rival = max(shown.values(), key=_strength)
    ours, theirs = _strength(cards), _strength(rival)
    mine, other = sum(cards), sum(rival)
    if ours[0] != theirs[0]:
        return f"{signed(mine)} is nearer to 0 than {signed(other)}"
    if ours[1] != theirs[1]:
        return f"{signed(mine)} and {signed(other)} are as near to 0: a sum of 0 or more wins"
    both = f"both {signed(mine)}"
    if ours[2] != theirs[2]:
        return f"{both}: the higher sum of positive cards wins, {ours[2]} to {theirs[2]}"
    if ours[3] != theirs[3]:
        return f"{both}: the highest positive card wins, {ours[3]} to {theirs[3]}"
    return f"{both}, with equal cards: drawn by lot"


def _cards(state: State, seat: int) -> list[int]:
    return [int(card) for card in state.shown[seat]]


def _strength(cards: list[int]) -> tuple[int, bool, int, int]:
    """What the showdown compares, in its order; see `showdown` in hand.py."""
    total = sum(cards)
    return -abs(total), total >= 0, sum(card for card in cards if card > 0), max(*cards, 0)


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

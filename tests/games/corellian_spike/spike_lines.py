"""Hand-played lines of Corellian Spike: cards and dice by what they show."""

from __future__ import annotations

from typing import Any

from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import DICE, CorellianSpikeOptions
from cardgym.testing import Table


def new_table(*, hands: list[tuple[int, int]], **options: Any) -> Table:
    """A table of as many players as `hands`, each dealt those two cards in the first hand."""
    table = Table(GAME, CorellianSpikeOptions(num_players=len(hands), **options))
    deal(table, *(card for hand in hands for card in hand))
    return table


def deal(table: Table, *cards: int) -> None:
    """Deal those cards, one draw each."""
    for card in cards:
        assert table.num_chance_outcomes == table.state.deck_size, "no card is drawn now"
        pile = table.state.deck[: table.state.deck_size].tolist()
        table.apply(pile.index(card))


def roll(table: Table, first: int, second: int) -> None:
    assert table.state.phase == DICE, "no dice are rolled now"
    table.apply((first - 1) * 6 + second - 1)


def cards(table: Table, seat: int) -> list[int]:
    return [int(card) for card in table.state.cards[seat]]


def credits(table: Table) -> list[int]:
    return [int(table.state.stack[seat]) for seat in range(table.options.num_players)]

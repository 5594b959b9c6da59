"""A game of cribbage driven by named cards, and a mark, for the tests."""

from collections.abc import Sequence

import pytest

from cardgym.engine.contract import Game
from cardgym.engine.jit import JIT_DISABLED
from cardgym.games.cribbage.cards import CARDS, RANKS, SUITS, card_name
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.state import DEALER_PEGGING, PONE_PEGGING, TOSSES
from cardgym.testing import StateDriver

_TOSS_BY_PLACES = {tuple(places): CARDS + number for number, places in enumerate(TOSSES.tolist())}

compiled_only = pytest.mark.skipif(JIT_DISABLED, reason="takes minutes where nothing is compiled")
"""Marks tests that score millions of hands, such as those that look up exact statistics."""


def parse_cards(text: str) -> list[int]:
    """The cards named in a text such as "5H TD JC", in order."""
    return [13 * SUITS.index(name[1]) + RANKS.index(name[0]) for name in text.split()]


class CribbageDriver(StateDriver):
    """A game whose cards are chosen by their names or numbers."""

    def __init__(self, game: Game = GAME, **options: int | str) -> None:
        super().__init__(game, options)

    @property
    def scores(self) -> list[int]:
        scores: list[int] = self.state.scores.tolist()
        return scores

    @property
    def playable(self) -> set[str]:
        """The names of the cards that may be played."""
        return {card_name(card) for card in self.legal_actions()}

    def pegged(self, seat: int) -> int:
        """The points that a seat has scored in the play."""
        return int(self.state.tally[seat][[PONE_PEGGING, DEALER_PEGGING]].sum())

    def draw(self, *cards: int | str) -> None:
        """Cut, deal or turn up these cards, one after another."""
        for card in cards:
            number = parse_cards(card)[0] if isinstance(card, str) else card
            self.apply_action(self.state.deck[: self.num_chance_outcomes].tolist().index(number))

    def cut(self, dealer: int) -> None:
        """Let that seat cut the lower card."""
        self.draw(*(("AC", "KC") if dealer == 0 else ("KC", "AC")))

    def deal_cards(
        self, hands: Sequence[Sequence[int | str]] | Sequence[Sequence[int]] | Sequence[Sequence[str]]
    ) -> None:
        """Deal six cards to each seat."""
        pone = 1 - int(self.state.dealer)
        for place in range(6):
            self.draw(hands[pone][place], hands[1 - pone][place])

    def toss_action(self, one: int, other: int) -> int:
        """The action that tosses these two cards."""
        hand = self.state.hand[self.current_player].tolist()
        return int(_TOSS_BY_PLACES[tuple(sorted((hand.index(one), hand.index(other))))])

    def deal_and_toss(self, kept: Sequence[str], tossed: Sequence[str]) -> None:
        """Deal each seat the cards that it is to keep and to toss, and toss."""
        hands = [parse_cards(f"{kept[seat]} {tossed[seat]}") for seat in range(2)]
        self.deal_cards(hands)
        for seat in range(2):
            assert self.current_player == seat
            action = self.toss_action(*hands[seat][4:])
            assert action in self.legal_actions()
            self.apply_action(action)

    def peg(self, line: str) -> list[int]:
        """Play cards, each written as seat:card, and return the points that each scored for its player."""
        points = []
        for word in line.split():
            seat, _, name = word.partition(":")
            assert self.current_player == int(seat), f"seat {self.current_player} is to play, not {word}"
            card = parse_cards(name)[0]
            assert card in self.legal_actions(), word
            before = self.pegged(int(seat))
            self.apply_action(card)
            points.append(self.pegged(int(seat)) - before)
        return points

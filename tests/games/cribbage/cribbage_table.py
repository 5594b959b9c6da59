"""A game of cribbage driven by named cards, for the tests."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from cardgym.games.cribbage.cards import card_name, parse_cards
from cardgym.games.cribbage.game import GAME


class Table:
    """A game whose cards and actions the test chooses; rules are called one by one, as anybody may."""

    def __init__(self, game=GAME, **options):
        self.game = game
        self.batch = game.new_state(game.options.parse({**game.defaults, **options}))
        self.state = self.batch[0]
        self.mask = np.zeros(game.num_actions, np.int8)
        self.told = ""

    def draw(self, card):
        """Chance deals or cuts that card, given as a number or a name."""
        card = parse_cards(card)[0] if isinstance(card, str) else card
        pack = self.state.deck[: GAME.rules.num_chance_outcomes(self.state)]
        self._apply(int(np.flatnonzero(pack == card)[0]))

    def _apply(self, move):
        before = self.batch.copy()[0]
        GAME.rules.apply_action(self.state, move)
        self.told = GAME.words.narrate(before, move, self.state, 0)

    def legal_actions(self):
        """The legal actions."""
        GAME.rules.legal_action_mask(self.state, self.mask)
        return set(np.flatnonzero(self.mask).tolist())

    def playable(self):
        """The names of the cards that may be played."""
        return {card_name(card) for card in self.legal_actions()}

    def scores(self):
        return [int(score) for score in self.state.scores]

    def over(self):
        return GAME.rules.num_chance_outcomes(self.state) == 0 and GAME.rules.current_player(self.state) < 0

    def toss_of(self, one, other):
        """The action that tosses these two cards."""
        hand = self.state.hand[GAME.rules.current_player(self.state)].tolist()
        places = sorted((hand.index(one), hand.index(other)))
        return 52 + list(combinations(range(6), 2)).index(tuple(places))

    def cut(self, dealer):
        """That seat cuts the lower card."""
        self.draw("AC" if dealer == 0 else "KC")
        self.draw("KC" if dealer == 0 else "AC")

    def deal(self, kept, tossed):
        """Deal each seat what it is to keep and toss, and toss it: two texts each."""
        cards = [parse_cards(f"{kept[seat]} {tossed[seat]}") for seat in range(2)]
        pone = 1 - int(self.state.dealer)
        for place in range(6):
            self.draw(cards[pone][place])
            self.draw(cards[1 - pone][place])
        for seat in range(2):
            assert GAME.rules.current_player(self.state) == seat
            action = self.toss_of(*cards[seat][4:])
            assert action in self.legal_actions()
            self._apply(action)

    def play(self, line):
        """Play cards, each written as seat:card; the points each brought its player."""
        points = []
        for word in line.split():
            seat, _, name = word.partition(":")
            card = parse_cards(name)[0]
            assert GAME.rules.current_player(self.state) == int(seat), (
                f"seat {GAME.rules.current_player(self.state)} is to play, not {word}"
            )
            assert card in self.legal_actions(), word
            before = int(self.state.tally[int(seat)][[0, 2]].sum())
            self._apply(card)
            points.append(int(self.state.tally[int(seat)][[0, 2]].sum()) - before)
        return points

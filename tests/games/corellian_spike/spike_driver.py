"""Corellian Spike played by hand: cards and dice by what they show."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import DICE, DONT_BUY, MATCH, CorellianSpikeOptions
from cardgym.testing import StateDriver


class SpikeDriver(StateDriver):
    """A game of Corellian Spike.

    Args:
        *dealt: the two cards that each seat is dealt in the first hand; none to leave the deal to the caller.
        options: the game's options; there are as many players as hands dealt, 2 if none is.
    """

    def __init__(self, *dealt: tuple[int, int], **options: Any) -> None:
        if dealt:
            options["num_players"] = len(dealt)
        super().__init__(GAME, CorellianSpikeOptions(**options))
        self.draw(*(card for hand in dealt for card in hand))

    def draw(self, *cards: int) -> float:
        """Draw these cards, one after another, and return what it paid seat 0."""
        paid = 0.0
        for card in cards:
            assert self.num_chance_outcomes == self.state.deck_size, "no card is drawn now"
            pile = self.state.deck[: self.state.deck_size].tolist()
            paid += self.apply_action(pile.index(card))[0]
        return paid

    def draw_anything(self) -> None:
        """Draw cards, whichever they are, up to the next decision."""
        self.play_chance(lambda outcomes: 0)

    def roll(self, first: int, second: int) -> list[float]:
        """Roll these dice and return what it paid each seat."""
        assert self.state.phase == DICE, "no dice are rolled now"
        return self.paid(self.apply_action((first - 1) * 6 + second - 1))

    def act(self, *actions: int) -> list[float]:
        """Play these actions and return what they paid each seat."""
        return self.paid(self.play(*actions))

    def paid(self, amounts: npt.NDArray[np.float64]) -> list[float]:
        """The amounts of the seats in play."""
        return [float(amount) for amount in amounts[: self.options.num_players]]

    def cards(self, seat: int) -> list[int]:
        """Low hand card, high hand card, spike."""
        return [int(card) for card in self.state.cards[seat]]

    @property
    def discards(self) -> list[int]:
        """The discard pile."""
        return [int(card) for card in self.state.discards[: self.state.discards_size]]

    @property
    def credits(self) -> list[int]:
        """The credits of each seat in play."""
        return [int(self.state.stack[seat]) for seat in range(self.options.num_players)]


def play_to_showdown(game: SpikeDriver) -> None:
    """From the buying of round 1 on: nobody buys, everyone matches, no doubles."""
    players = game.options.num_players
    for _ in range(3):
        game.play(*[DONT_BUY] * players, *[MATCH] * players)
        game.roll(1, 2)

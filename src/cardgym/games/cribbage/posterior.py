"""The posterior over the opponent's hand and discard, given what a seat has seen and how a known player acts.

The opponent was dealt the cards that it has played and others that the seat has not seen. For each such hand, every
discard that keeps the cards played is weighed by its probability, and by that of each card that the opponent has played
since, each with the hand that it then had. Hands are enumerated where there are few, else drawn uniformly.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Game, Int8s, Int64s, Options
from cardgym.experiments.exploit.posterior import MAX_WORLDS, Known, States, Worlds
from cardgym.games.cribbage import state as cribbage
from cardgym.games.cribbage.cards import CARDS, EMPTY, worth
from cardgym.games.cribbage.scoring import score_hand
from cardgym.players import Player

_HANDS = 1024
"""How many hands are drawn where there are more than `MAX_WORLDS`."""


class DiscardPosterior(Worlds):
    """The worlds of the seats of several games at their decisions, listed anew at each."""

    def __init__(
        self, game: Game, options: Options, player: Player, seats: Int64s, generator: np.random.Generator
    ) -> None:
        super().__init__(game, options, player, seats, generator)
        self._made: list[list[tuple[States, int]]] = [[] for _ in seats]  # The opponent's decisions of the deal.

    def start(self, states: States, who: Int64s, deals: Int64s) -> None:
        """Forget the decisions of earlier deals, and list the worlds of the seats that are to decide."""
        for game in np.flatnonzero(self._deals != deals).tolist():
            self._made[game] = []
        self._deals[:] = deals
        for game in np.flatnonzero(who == self._seats).tolist():
            self.known[game] = self._list(states[game : game + 1], int(self._seats[game]), self._made[game])

    def follow(
        self, previous: States, states: States, before: Int64s, actions: Int64s, who: Int64s, deals: Int64s
    ) -> None:
        """Note the opponents' decisions."""
        for game in np.flatnonzero((before >= 0) & (before != self._seats)).tolist():
            self._made[game].append((previous[game : game + 1].copy(), int(actions[game])))

    def _list(self, state: States, seat: int, made: list[tuple[States, int]]) -> Known:
        other = 1 - seat
        pack = int(state["pack"][0])
        hidden = np.concatenate(
            [state["deck"][0, : state["deck_size"][0]], state["hand"][0, other], state["crib"][0, 2 * other :][:2]]
        )
        played = state["played"][0][state["played_by"][0] == other]
        hands, exact = self._hands(np.sort(hidden[hidden != EMPTY]), played, int(cribbage.PACK_DEALT[pack]))
        tosses, weights = np.full(len(hands), -1), np.ones(len(hands))
        if made:
            before = np.repeat(made[0][0], len(hands))
            before["hand"][:, other] = hands
            keeps = ~np.isin(hands[:, cribbage.TOSS_PLACES[pack, :, :2]], played[played != EMPTY]).any(axis=2)
            chances = self._probabilities(before, other)[:, CARDS:] * keeps
            rows, tosses = np.nonzero(chances)
            hands, weights = hands[rows], np.asarray(chances[rows, tosses], np.float64)
        worlds = np.repeat(state, len(hands))
        weights *= _deal(worlds, other, hands, tosses)
        for previous, card in made[1:]:
            before = np.repeat(previous, len(hands))
            _deal(before, other, hands, tosses)
            weights *= self._probabilities(before, other)[:, card]
        if not weights.sum() > 0.0:  # None of the hands drawn is possible, or the player's probabilities vary.
            known = self._list(state, seat, made[:-1]) if len(made) > 1 else self._redraw(state, seat)
            return replace(known, exact=False, lost=True)
        kept = weights > 0.0
        return Known(worlds[kept], weights[kept], exact)

    def _hands(self, hidden: Int8s, played: Int8s, dealt: int) -> tuple[Int8s, bool]:
        """Hands of the cards played and others, (hands, 6), each sorted, and whether they are all."""
        free = dealt - len(played)
        exact = comb(len(hidden), free) <= MAX_WORLDS
        if exact:
            others = np.array(list(combinations(hidden.tolist(), free)), np.int8).reshape(-1, free)
        else:
            others = self._generator.permuted(np.tile(hidden, (_HANDS, 1)), axis=1)[:, :free]
        hands = np.concatenate([np.tile(played, (len(others), 1)), others], axis=1)
        order = np.argsort(hands % 13 * 4 + hands // 13, axis=1)
        none = np.full((len(hands), 6 - dealt), EMPTY, np.int8)
        return np.concatenate([np.take_along_axis(hands, order, axis=1), none], axis=1), exact


@compiled
def _deal(states: Any, other: int, hands: Int8s, tosses: Int64s) -> Any:
    """Give the other seat the hands that it was dealt, and the rest to the pack.

    Args:
        states: games, (rows,); they change.
        hands: the cards dealt, sorted, (rows, 6).
        tosses: the numbers of the discards, (rows,); -1 before it.

    Returns:
        1 where its goes allow the hand, else 0, (rows,).
    """
    allowed = np.ones(states.shape[0])
    held = np.zeros(CARDS, np.bool_)
    for i in range(states.shape[0]):
        state = states[i]
        held[:] = False
        for place in range(state.deck_size):
            held[state.deck[place]] = True
        for place in range(6):
            if state.hand[other, place] != EMPTY:
                held[state.hand[other, place]] = True
        for place in range(2 * other, 2 * other + 2):
            if state.crib[place] != EMPTY:
                held[state.crib[place]] = True
        for place in range(6):
            if hands[i, place] != EMPTY:
                held[hands[i, place]] = False
        size = 0
        for card in range(CARDS):
            if held[card]:
                state.deck[size] = card
                size += 1
        state.hand[other, :] = EMPTY
        if tosses[i] < 0:
            state.hand[other, :] = hands[i]
            continue
        for place in range(2):
            state.crib[2 * other + place] = hands[i, cribbage.TOSS_PLACES[state.pack, tosses[i], place]]
        size = 0
        for place in range(4):
            card = hands[i, cribbage.TOSS_PLACES[state.pack, tosses[i], 2 + place]]
            state.kept[other, place] = card
            gone = card == EMPTY
            for number in range(state.num_played):
                gone = gone or state.played[number] == card
            if not gone:
                state.hand[other, size] = card
                size += 1
                if worth(card) < state.floor[other]:
                    allowed[i] = 0.0
        if state.starter != EMPTY:
            state.shows[other] = score_hand(state.kept[other], state.starter)
    return allowed

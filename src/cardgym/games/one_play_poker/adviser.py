"""The adviser of One Play Poker: the exact value of each bet, and an exact split of results into luck and skill."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import State
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.rules import (
    BET,
    BETTING,
    DEALING,
    DRAW,
    EMPTY,
    LOSS,
    NUM_CARDS,
    NUM_DEALT,
    OVER,
    PASS,
    STATE,
    WIN,
    OnePlayPokerOptions,
    apply_action,
    hand_rank,
    pot,
    result,
)
from cardgym.games.one_play_poker.text import action_text
from cardgym.solvers.backward_induction import backward_induction
from cardgym.solvers.enumeration import enumerate_game
from cardgym.table.advice import ActionAdvice, Advice, Adviser, ranked

_BLUNDER = 0.25
"""Credits. The worst decisions cost one: a bet with no chance to win."""


def adviser(options: OnePlayPokerOptions) -> Adviser:
    """The adviser for these options. The game is solved once, up to renaming the suits."""
    mdp = enumerate_game(GAME, options, symmetric=True)
    values = backward_induction(mdp, 1).values

    def value(state: State) -> Fraction:
        """The expected future pay under optimal play, before a decision or at the end."""
        if state.phase == OVER:
            return Fraction(0)
        return values[int(mdp.find(np.array([state], STATE).view(np.recarray))[0])]

    def ahead(state: State) -> Fraction:
        """The same for any state."""
        if state.phase != DEALING:
            return value(state)
        paid, after = _outcomes(state)
        return Fraction(sum(paid) + sum(map(value, after))) / len(after)

    def advise(state: State, seat: int) -> Advice:
        share = f"your share of the pot is {100 * float(pot_share(state)):.1f} %"
        reasons = {PASS: "costs nothing", BET: f"adds 2 to the pot for 1; {share}"}
        actions = []
        for action in (PASS, BET):
            paid, after = _played(state, action)
            value = float(paid + ahead(after))
            actions.append(ActionAdvice(action, action_text(state, action), value, reasons[action]))
        return Advice("bet", "credits", "exact calculation", ranked(actions, "credits"), _BLUNDER)

    def standing(state: State, seat: int) -> float:
        """The expected net credits of the whole game under optimal play from here on."""
        so_far = -1 - int(state.bets)
        if state.phase == OVER:
            return so_far + pot(state) * result(state) / 2
        return so_far + float(ahead(state))

    def luck(before: State, move: int, after: State, seat: int) -> float:
        if before.phase == BETTING:
            return 0.0
        return standing(after, seat) - standing(before, seat)

    return Adviser(advise, standing, "credits won", luck, "credits")


def pot_share(state: State) -> Fraction:
    """The expected share of the pot, averaged over all cards still to come."""
    player, house = (tuple(int(card) for card in hand if card != EMPTY) for hand in (state.player, state.house))
    return _share(int(state.ranking), player, house)


@cache
def _share(ranking: int, player: tuple[int, ...], house: tuple[int, ...]) -> Fraction:
    left = [card for card in range(NUM_CARDS) if card not in player + house]
    missing = 2 - len(player)
    halves = deals = 0
    for drawn in permutations(left, NUM_DEALT - len(player) - len(house)):
        own = hand_rank(ranking, *sorted(player + drawn[:missing]))
        other = hand_rank(ranking, *sorted(house + drawn[missing:]))
        halves += WIN if own > other else DRAW if own == other else LOSS
        deals += 1
    return Fraction(halves, 2 * deals)


def _played(state: State, move: int) -> tuple[Fraction, State]:
    """The pay of a move, and the state after it."""
    states = np.array([state], STATE)
    _apply(states, move)
    return Fraction(float(states["paid"][0, 0])), states.view(np.recarray)[0]


def _outcomes(state: State) -> tuple[list[Fraction], list[State]]:
    """The pay of each chance outcome, and the states after them."""
    moves = [_played(state, outcome) for outcome in range(NUM_CARDS - int(state.dealt))]
    return [paid for paid, _ in moves], [after for _, after in moves]


@compiled
def _apply(states: Any, move: int) -> None:
    states[0].paid[0] = 0.0
    apply_action(states[0], move)

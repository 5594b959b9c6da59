"""The adviser of One Play Poker: the exact value of each bet, and an exact split of results into luck and skill."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np

from cardgym.engine.contract import Game, State
from cardgym.engine.states import SingleGame
from cardgym.games.one_play_poker import rules
from cardgym.games.one_play_poker.rules import OnePlayPokerOptions
from cardgym.games.one_play_poker.text import action_text
from cardgym.solvers.backward_induction import backward_induction
from cardgym.solvers.tree import enumerate_tree
from cardgym.table.coach.advice import ActionAdvice, Advice, Adviser, percent, ranked

_BLUNDER = 0.25
"""Credits. The worst decisions cost one: a bet with no chance to win."""


def adviser(game: Game, options: OnePlayPokerOptions) -> Adviser:
    """Return the adviser for these options; it solves the game once, up to renaming the suits."""
    tree = enumerate_tree(game, options, whole_state=True)
    values = backward_induction(tree).values

    def play(state: State, move: int) -> tuple[Fraction, State]:
        """Return the pay of a move, and the state after it."""
        single = SingleGame(game, options, np.array([state], rules.STATE))
        return Fraction(float(single.apply_action(move)[0])), single.states.view(np.recarray)[0]

    def ahead(state: State) -> Fraction:
        """Return the expected future pay under optimal play."""
        if state.phase == rules.OVER:
            return Fraction(0)
        if state.phase == rules.BETTING:
            return values[int(tree.find(np.array([state], rules.STATE).view(np.recarray))[0])]
        dealt = [play(state, outcome) for outcome in range(rules.NUM_CARDS - int(state.dealt))]
        return Fraction(sum(paid + ahead(after) for paid, after in dealt)) / len(dealt)

    def advise(state: State, seat: int) -> Advice:
        share = f"your share of the pot is {percent(100 * float(pot_share(state)), 1)}"
        reasons = {rules.PASS: "costs nothing", rules.BET: f"adds 2 to the pot for 1; {share}"}
        actions = []
        for action in (rules.PASS, rules.BET):
            paid, after = play(state, action)
            value = float(paid + ahead(after))
            actions.append(ActionAdvice(action, action_text(state, action), value, reasons[action]))
        return Advice("bet", "credits", "exact calculation", ranked(actions, "credits"), _BLUNDER)

    def standing(state: State, seat: int) -> float:
        """Return the expected net credits of the whole game under optimal play from here on."""
        so_far = -1 - int(state.bets)
        if state.phase == rules.OVER:
            return so_far + rules.pot(state) * rules.result(state) / 2
        return so_far + float(ahead(state))

    def luck(before: State, move: int, after: State, seat: int) -> float:
        if before.phase == rules.BETTING:
            return 0.0
        return standing(after, seat) - standing(before, seat)

    return Adviser(advise, standing, "credits won", luck, "credits")


def pot_share(state: State) -> Fraction:
    """Return the expected share of the pot, averaged over all cards still to come."""
    player, house = (tuple(int(card) for card in hand if card != rules.EMPTY) for hand in (state.player, state.house))
    return _share(int(state.ranking), player, house)


@cache
def _share(ranking: int, player: tuple[int, ...], house: tuple[int, ...]) -> Fraction:
    left = [card for card in range(rules.NUM_CARDS) if card not in player + house]
    missing = 2 - len(player)
    shares = []
    for drawn in permutations(left, rules.NUM_DEALT - len(player) - len(house)):
        own = rules.hand_rank(ranking, *sorted(player + drawn[:missing]))
        other = rules.hand_rank(ranking, *sorted(house + drawn[missing:]))
        shares.append(rules.WIN if own > other else rules.DRAW if own == other else rules.LOSS)
    return Fraction(sum(shares), 2 * len(shares))

"""The rules of cribbage for two players, card by card.

Source: the American Cribbage Congress rules, as Lang, "Machine Learning Strategies in Cribbage" (2017), section 1.1.1
and appendix A, sums them up.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import State, rule
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.dealing import clear_deal, cut, deal_card, draw, toss_cards
from cardgym.games.cribbage.play import play_card, turn_starter
from cardgym.games.cribbage.ranks import EMPTY, worth
from cardgym.games.cribbage.state import CUTTING, DEALING, NUM_ACTIONS, OVER, PLAYING, POINTS, STARTER, TOSSING


@rule
def setup(state: State) -> None:
    """Nobody has a point, and both seats are to cut for the deal."""
    state.deal_number = 0
    state.dealer = EMPTY
    for seat in range(2):
        state.scores[seat] = 0
        state.cuts[seat] = EMPTY
        state.reward[seat] = 0.0
        for kind in range(6):
            state.tally[seat, kind] = 0
    clear_deal(state)
    state.phase = CUTTING
    state.turn = 0


@rule
def num_chance_outcomes(state: State) -> int:
    """How many cards can be cut or dealt; 0 at a decision or at the end."""
    phase = state.phase
    if phase == TOSSING or phase == PLAYING or phase == OVER:
        return 0
    return int(state.deck_size)


@rule
def current_player(state: State) -> int:
    """The seat to decide; -1 at the end."""
    return -1 if state.phase == OVER else int(state.turn)


@rule
def legal_action_mask(state: State, mask: npt.NDArray[np.int8]) -> None:
    """Allow any two of six cards to be tossed, or any card in hand that the count has room for."""
    for action in range(CARDS):
        mask[action] = 0
    tossing = 1 if state.phase == TOSSING else 0
    for action in range(CARDS, NUM_ACTIONS):
        mask[action] = tossing
    if state.phase == PLAYING:
        seat = int(state.turn)
        room = 31 - int(state.count)
        for place in range(4):
            card = int(state.hand[seat, place])
            # An empty place writes to the first toss, which it leaves illegal: EMPTY never fits the count.
            mask[card & 63 if card != EMPTY else CARDS] = 1 if worth(card) <= room else 0


@rule
def apply_action(state: State, move: int) -> None:
    """Play an action, or a chance outcome: the place of a card in the pack."""
    state.reward[0] = 0.0
    state.reward[1] = 0.0
    phase = state.phase
    if phase == PLAYING:
        play_card(state, move)
    elif phase == DEALING:
        deal_card(state, draw(state, move))
    elif phase == TOSSING:
        toss_cards(state, move - CARDS)
    elif phase == STARTER:
        turn_starter(state, draw(state, move))
    elif phase == CUTTING:
        cut(state, draw(state, move))


@rule
def deal(state: State) -> int:
    """The number of the deal; the cut for the first deal belongs to it."""
    return int(state.deal_number)


@rule
def forfeit(state: State, seat: int) -> float:
    """-1; where points are the reward, minus all the points that the opponent lacks to the target."""
    if state.reward_model == POINTS:
        return -float(state.target - state.scores[1 - seat])
    return -1.0


@rule
def score(state: State, seat: int) -> float:
    """1 for the player with more points at the end, 0 for the other; a half each if they are level."""
    if state.scores[seat] == state.scores[1 - seat]:
        return 0.5
    return 1.0 if state.scores[seat] > state.scores[1 - seat] else 0.0

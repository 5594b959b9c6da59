"""The rules of Leduc poker.

Source: Southey et al., "Bayes' bluff: opponent modeling in poker", UAI 2005. Six cards, two players, an
ante of 1, two rounds of betting with raises of 2 and 4, at most two raises a round, a public card between the rounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, State, rule, uniform

FOLD, CALL, RAISE = range(3)  # To call with nothing to call is to check.
NUM_ACTIONS = 3
JACK, QUEEN, KING = range(3)
NUM_RANKS = 3
NUM_CARDS = 6  # Two of each rank: card c has rank c // 2.
HIDDEN = -1  # In a place for a card: not dealt yet.
ANTE = 1
MAX_RAISES = 2  # In a round.
MOST = ANTE + 2 * 2 + 2 * 4  # What a seat can put in.

STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("cards", np.int32, (2,)),
        ("public", np.int32),
        ("paid_in", np.int32, (2,)),  # What each seat has put in, the ante included.
        ("betting_round", np.int32),  # 0 before the public card, 1 after it.
        ("turn", np.int32),
        ("raises", np.int32),  # In this round, as is `actions`.
        ("actions", np.int32),
        ("history", np.int32),  # All actions as digits of base 4 after a leading 1; 3 ends a round.
        ("winner", np.int32),  # -1 until the end; 2 for a pot that is split.
        ("paid", np.float32, (2,)),
    ],
    align=True,
)
SPLIT = 2


@rule
def setup(state: State) -> None:
    """The antes are paid, no card is dealt."""
    for seat in range(2):
        state.cards[seat] = HIDDEN
        state.paid_in[seat] = ANTE
    state.public = HIDDEN
    state.betting_round = 0
    state.turn = 0
    state.raises = 0
    state.actions = 0
    state.history = 1
    state.winner = -1


@rule
def num_chance_outcomes(state: State) -> int:
    """A card for each seat, and the public card when the first round is over: each of the cards that are left."""
    if state.cards[0] == HIDDEN:
        return NUM_CARDS
    if state.cards[1] == HIDDEN:
        return NUM_CARDS - 1
    return NUM_CARDS - 2 if state.betting_round == 1 and state.public == HIDDEN else 0


@rule
def current_player(state: State) -> int:
    """The seats take turns, seat 0 first in each round; -1 at the end."""
    return -1 if state.winner >= 0 else int(state.turn)


@rule
def legal_action_mask(state: State, mask: npt.NDArray[np.int8]) -> None:
    """Fold only what was raised; raise at most twice a round."""
    mask[FOLD] = 1 if state.paid_in[1 - state.turn] > state.paid_in[state.turn] else 0
    mask[CALL] = 1
    mask[RAISE] = 1 if state.raises < MAX_RAISES else 0


@rule
def apply_action(state: State, move: int) -> None:
    """Deal a card, or play an action."""
    if state.cards[0] == HIDDEN:
        state.cards[0] = move
    elif state.cards[1] == HIDDEN:
        state.cards[1] = _left(move, state.cards[0], NUM_CARDS)
    elif state.betting_round == 1 and state.public == HIDDEN:
        low, high = min(state.cards[0], state.cards[1]), max(state.cards[0], state.cards[1])
        state.public = _left(move, low, high)
    else:
        _act(state, state.turn, move)


@rule
def _left(number: int, low: int, high: int) -> int:
    """Card `number` of those that remain without the cards `low` and, above it, `high`."""
    card = number + 1 if number >= low else number
    return card + 1 if card >= high else card


@rule
def _act(state: State, seat: int, action: int) -> None:
    other = 1 - seat
    state.history = state.history * 4 + action
    state.actions += 1
    state.turn = other
    if action == FOLD:
        _end(state, other)
        return
    state.paid_in[seat] = state.paid_in[other]
    if action == RAISE:
        state.paid_in[seat] += 2 if state.betting_round == 0 else 4
        state.raises += 1
    elif state.actions >= 2:
        if state.betting_round == 0:
            state.betting_round = 1
            state.turn = 0
            state.raises = 0
            state.actions = 0
            state.history = state.history * 4 + 3
        else:
            _end(state, showdown(state))


@rule
def showdown(state: State) -> int:
    """The seat whose card pairs the public one, else that of the higher rank; SPLIT for equal ranks."""
    first, second, public = state.cards[0] // 2, state.cards[1] // 2, state.public // 2
    if first == second:
        return SPLIT
    if first == public:
        return 0
    if second == public:
        return 1
    return 0 if first > second else 1


@rule
def _end(state: State, winner: int) -> None:
    state.winner = winner
    if winner != SPLIT:
        loser = 1 - winner
        state.paid[winner] = state.paid_in[loser]
        state.paid[loser] = -state.paid_in[loser]


@rule
def forfeit(state: State, seat: int) -> float:
    """A seat that forfeits loses what it has put in."""
    return -float(state.paid_in[seat])


@rule
def score(state: State, seat: int) -> float:
    """1 for the seat that takes the pot, 1/2 for each if it is split, 0 for the other."""
    if state.winner == SPLIT:
        return 0.5
    return 1.0 if state.winner == seat else 0.0


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Deal the other seat one of the cards that `seat` does not see."""
    other = 1 - seat
    if state.cards[other] == HIDDEN:
        return
    own, public = state.cards[seat], state.public
    low, high = min(own, public), max(own, public)  # Either may be HIDDEN, -1, which takes no card away.
    seen = (1 if own != HIDDEN else 0) + (1 if public != HIDDEN else 0)
    card = uniform(generator, NUM_CARDS - seen)
    if low != HIDDEN and card >= low:
        card += 1
    if high != HIDDEN and card >= high:
        card += 1
    state.cards[other] = card


def invariants(state: State) -> tuple[int, ...]:
    """Cards dealt twice; seats that have put in too much; the sum of the rewards. All stay 0."""
    dealt = [int(card) for card in (*state.cards, state.public) if card != HIDDEN]
    return len(dealt) - len(set(dealt)), int(state.paid_in.max() > MOST), int(state.paid.sum())

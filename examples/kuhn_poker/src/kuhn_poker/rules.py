"""The rules of Kuhn poker.

Source: H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1 (1950), 97-103. Three
cards, two players, an ante of 1 and one bet of 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, Options, State, choice, rule, uniform

PASS, BET = range(2)  # To pass is to check or to fold; to bet is to bet or to call.
NUM_ACTIONS = 2
JACK, QUEEN, KING = range(3)
NUM_CARDS = 3
HIDDEN = -1  # In a place for a card: not dealt yet.

STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("ante", np.int32),  # The option: 0 is `one`, 1 is `two`.
        ("cards", np.int32, (2,)),
        ("bets", np.int32, (2,)),  # What each seat has put in besides the ante.
        ("moves", np.int32),  # Actions played so far.
        ("history", np.int32),  # Those actions as binary digits after a leading 1.
        ("winner", np.int32),  # -1 until the end.
        ("reward", np.float32, (2,)),
    ],
    align=True,
)


@dataclass(frozen=True)
class KuhnOptions(Options):
    """The options of Kuhn poker."""

    ante: str = choice("one", "two", help="what each player pays before the deal; Kuhn's is one")


@rule
def setup(state: State) -> None:
    """No card is dealt, nothing is bet."""
    for seat in range(2):
        state.cards[seat] = HIDDEN
        state.bets[seat] = 0
        state.reward[seat] = 0.0
    state.moves = 0
    state.history = 1
    state.winner = -1


@rule
def num_chance_outcomes(state: State) -> int:
    """Three cards for seat 0, then the two that are left for seat 1."""
    if state.cards[0] == HIDDEN:
        return NUM_CARDS
    return NUM_CARDS - 1 if state.cards[1] == HIDDEN else 0


@rule
def current_player(state: State) -> int:
    """The seats take turns; -1 at the end."""
    return -1 if state.winner >= 0 else int(state.moves % 2)


@rule
def legal_action_mask(state: State, mask: npt.NDArray[np.int8]) -> None:
    """Both actions are always legal."""
    mask[PASS] = 1
    mask[BET] = 1


@rule
def apply_action(state: State, move: int) -> None:
    """Deal a card, or play an action."""
    state.reward[0] = 0.0
    state.reward[1] = 0.0
    if state.cards[0] == HIDDEN:
        state.cards[0] = move
    elif state.cards[1] == HIDDEN:
        state.cards[1] = move if move < state.cards[0] else move + 1
    else:
        _act(state, state.moves % 2, move)


@rule
def _act(state: State, seat: int, action: int) -> None:
    other = 1 - seat
    state.history = state.history * 2 + action
    state.moves += 1
    if action == BET:
        state.bets[seat] = 1
    if action == PASS and state.bets[other] == 1:
        state.winner = other
    elif state.moves >= 2 and state.bets[0] == state.bets[1]:
        state.winner = 0 if state.cards[0] > state.cards[1] else 1
    if state.winner >= 0:
        loser = 1 - state.winner
        amount = state.ante + 1 + state.bets[loser]
        state.reward[state.winner] = amount
        state.reward[loser] = -amount


@rule
def forfeit(state: State, seat: int) -> float:
    """A seat that forfeits loses its ante and its bet."""
    return -float(state.ante + 1 + state.bets[seat])


@rule
def score(state: State, seat: int) -> float:
    """1 for the seat that takes the pot, 0 for the other."""
    return 1.0 if state.winner == seat else 0.0


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Deal the other seat one of the two cards that `seat` does not hold."""
    other = 1 - seat
    if state.cards[other] == HIDDEN:
        return
    if state.cards[seat] == HIDDEN:
        state.cards[other] = uniform(generator, NUM_CARDS)
        return
    card = uniform(generator, NUM_CARDS - 1)
    state.cards[other] = card if card < state.cards[seat] else card + 1


def invariants(state: State) -> tuple[int, ...]:
    """Both seats hold the same card; a seat has bet more than once; the sum of the rewards. All stay 0."""
    twice = state.cards[0] == state.cards[1] and state.cards[0] != HIDDEN
    return int(twice), int(state.bets.max() > 1), int(state.reward.sum())

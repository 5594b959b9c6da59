"""Kuhn poker: three cards, two players, one bet.

Each player antes 1 and is dealt one of three cards, jack, queen and king. In turn a player checks or bets 1; after a
bet the other folds or calls. The higher card takes the pot unless somebody folded.

## Rewards
At the end the winner is paid what the loser put in, the ante included, and the loser pays it.

## References
H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1 (1950), 97-103.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym import register
from cardgym.engine.contract import Feature, Game, Observation, Options, Rules, State, StateIndex, rule

PASS, BET = range(2)  # To pass is to check or to fold; to bet is to bet or to call.
JACK, QUEEN, KING = range(3)
HIDDEN = -1  # A card that is not dealt yet.

STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("cards", np.int32, (2,)),
        ("bets", np.int32, (2,)),  # What each seat has put in besides the ante.
        ("moves", np.int32),  # Actions played so far.
        ("paid", np.float32, (2,)),  # What the last move paid each seat.
    ],
    align=True,
)


@rule
def setup(state: State) -> None:
    for seat in range(2):
        state.cards[seat] = HIDDEN
        state.bets[seat] = 0
    state.moves = 0


@rule
def num_chance_outcomes(state: State) -> int:
    """Three cards for seat 0, then the two that are left for seat 1."""
    if state.cards[0] == HIDDEN:
        return 3
    return 2 if state.cards[1] == HIDDEN else 0


@rule
def current_player(state: State) -> int:
    """Two actions end the game, unless seat 0 has to answer a bet of seat 1."""
    is_over = state.moves - (state.bets[1] > state.bets[0]) >= 2
    return -1 if is_over else int(state.moves % 2)


@rule
def apply_action(state: State, move: int) -> None:
    """Deal a card, or play an action."""
    if state.cards[0] == HIDDEN:
        state.cards[0] = move
    elif state.cards[1] == HIDDEN:
        state.cards[1] = move if move < state.cards[0] else move + 1
    else:
        state.bets[state.moves % 2] = move
        state.moves += 1
        if current_player(state) < 0:
            ahead = state.cards if state.bets[0] == state.bets[1] else state.bets
            winner = 0 if ahead[0] > ahead[1] else 1
            state.paid[winner] = 1 + min(state.bets[0], state.bets[1])
            state.paid[1 - winner] = -state.paid[winner]


def features(options: Options) -> tuple[Feature, ...]:
    return (
        Feature("card", "one-hot: own card, jack, queen, king", 3),
        Feature("seat", "own seat"),
        Feature("bets", "own bet, the other's bet", 2),
        Feature("moves", "actions played / 3"),
    )


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    for card in range(3):
        out[card] = 1.0 if state.cards[seat] == card else 0.0
    out[3] = seat
    out[4] = state.bets[seat]
    out[5] = state.bets[1 - seat]
    out[6] = state.moves / 3.0


@rule
def info_state_index(state: State, seat: int) -> int:
    """The information set of the seat to decide, from its card and the actions played; 0 at the end."""
    is_over = current_player(state) < 0
    return 0 if is_over else int(1 + 4 * max(state.cards[seat], 0) + state.moves + 2 * state.bets[0])


GAME = register(
    Game(
        id="KuhnPoker-v0",
        doc=__doc__ or "",
        state=STATE,
        num_actions=2,
        action_names=("pass", "bet"),
        rules=Rules(setup, num_chance_outcomes, current_player, apply_action),
        observations={"full": Observation(observe, features)},
        state_index=StateIndex(info_state_index=info_state_index, num_info_states=lambda options: 13),
        words="kuhn_poker_table:WORDS",  # The second step: words, players and drawings, in the file beside this one.
        players="kuhn_poker_table:PLAYERS",
        opponent="honest",
        unit="chips",
    ),
    table="kuhn_poker_table:TABLE",
)

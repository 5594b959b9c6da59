"""Kuhn poker: three cards, two players, one bet.

Each player pays the ante and is dealt one of three cards, jack, queen and king. In turn a player checks or bets 1;
after a bet the other folds or calls. The higher card takes the pot unless somebody folded.

## Rewards
At the end the winner is paid what the loser put in, the ante included, and the loser pays it.

## References
H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1 (1950), 97-103.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym import register
from cardgym.engine.contract import (
    Feature,
    Game,
    Generator,
    Observation,
    Options,
    Rules,
    State,
    StateIndex,
    Words,
    choice,
    rule,
    uniform,
)

PASS, BET = range(2)  # To pass is to check or to fold; to bet is to bet or to call.
JACK, QUEEN, KING = range(3)
CARD_NAMES = ("jack", "queen", "king")
HIDDEN = -1  # A card that is not dealt yet.


@dataclass(frozen=True)
class KuhnOptions(Options):
    ante: str = choice("one", "two", help="what each player pays before the deal; Kuhn's is one")


STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("ante", np.int32),  # The option: 0 is `one`, 1 is `two`.
        ("cards", np.int32, (2,)),
        ("bets", np.int32, (2,)),  # What each seat has put in besides the ante.
        ("moves", np.int32),  # Actions played so far.
        ("history", np.int32),  # Those actions as binary digits after a leading 1.
        ("winner", np.int32),  # -1 until the end.
        ("paid", np.float32, (2,)),  # What the last move paid each seat.
    ],
    align=True,
)


# -- the rules --------------------------------------------------------------------------------------------------------


@rule
def setup(state: State) -> None:
    for seat in range(2):
        state.cards[seat] = HIDDEN
        state.bets[seat] = 0
    state.moves = 0
    state.history = 1
    state.winner = -1


@rule
def num_chance_outcomes(state: State) -> int:
    """Three cards for seat 0, then the two that are left for seat 1."""
    if state.cards[0] == HIDDEN:
        return 3
    return 2 if state.cards[1] == HIDDEN else 0


@rule
def current_player(state: State) -> int:
    return -1 if state.winner >= 0 else int(state.moves % 2)


@rule
def apply_action(state: State, move: int) -> None:
    """Deal a card, or play an action."""
    seat = state.moves % 2
    if state.cards[0] == HIDDEN:
        state.cards[0] = move
    elif state.cards[1] == HIDDEN:
        state.cards[1] = move if move < state.cards[0] else move + 1
    else:
        state.history = state.history * 2 + move
        state.moves += 1
        state.bets[seat] = max(state.bets[seat], move)
        if move == PASS and state.bets[1 - seat] == 1:
            state.winner = 1 - seat
        elif state.moves >= 2 and state.bets[0] == state.bets[1]:
            state.winner = 0 if state.cards[0] > state.cards[1] else 1
        if state.winner >= 0:
            loser = 1 - state.winner
            state.paid[state.winner] = state.ante + 1 + state.bets[loser]
            state.paid[loser] = -state.paid[state.winner]


@rule
def forfeit(state: State, seat: int) -> float:
    return -float(state.ante + 1 + state.bets[seat])


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Deal the other seat one of the cards that `seat` does not hold."""
    other = 1 - seat
    if state.cards[other] != HIDDEN:
        card = uniform(generator, 3 if state.cards[seat] == HIDDEN else 2)
        state.cards[other] = card + 1 if HIDDEN < state.cards[seat] <= card else card


# -- what a seat knows ------------------------------------------------------------------------------------------------


def features(options: KuhnOptions) -> tuple[Feature, ...]:
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
    """The information set, from the card and the actions played; 0 at the end. Decisions are at 12 of the 25."""
    return 0 if state.winner >= 0 else int(1 + max(state.cards[seat], 0) * 8 + min(state.history, 7))


# -- words and players ------------------------------------------------------------------------------------------------


def describe(state: State, seat: int) -> str:
    card = CARD_NAMES[state.cards[seat]] if state.cards[seat] != HIDDEN else "no card yet"
    end = ["", f"\n{'You take' if state.winner == seat else 'The other takes'} the pot"][int(state.winner >= 0)]
    return f"Your card: {card}\nBets: yours {state.bets[seat]}, the other's {state.bets[1 - seat]}{end}"


def action_text(state: State, action: int) -> str:
    facing_bet = state.bets[1 - state.moves % 2] == 1
    return (("check", "fold"), ("bet", "call"))[action][int(facing_bet)]


def narrate(before: State, move: int, after: State, seat: int) -> str:
    if before.cards[1] == HIDDEN:
        return f"You are dealt the {CARD_NAMES[after.cards[seat]]}" if before.cards[seat] != after.cards[seat] else ""
    return f"{'You' if before.moves % 2 == seat else 'The other'}: {action_text(before, move)}"


@rule
def honest(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Bet the king, pass the jack; with the queen call, but never bet."""
    return BET if state.cards[seat] == KING or (state.cards[seat] == QUEEN and state.bets[1 - seat] == 1) else PASS


@rule
def equilibrium(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Kuhn's equilibrium with the largest alpha, 1/3 for an ante of one: no player can win more against it.

    The mixed actions make the other seat indifferent. With the pot P that a bet of 1 is made into, the jack bluffs once
    in P + 1; the queen calls often enough that bluffing with the jack gains nothing.
    """
    shares = 2 * (state.ante + 1) + 1  # P + 1.
    bets = 0  # With how many of these shares the seat bets.
    if state.cards[seat] == KING:
        bets = shares
    elif state.bets[1 - seat] == 1:
        bets = shares - 1 - seat if state.cards[seat] == QUEEN else 0
    elif state.cards[seat] == JACK:
        bets = 1
    return BET if uniform(generator, shares) < bets else PASS


GAME = register(
    Game(
        id="KuhnPoker-v0",
        doc=__doc__ or "",
        state=STATE,
        options=KuhnOptions,
        num_actions=2,
        action_names=("pass (check or fold)", "bet (bet or call)"),
        rules=Rules(setup, num_chance_outcomes, current_player, apply_action, resample=resample, forfeit=forfeit),
        observations={"full": Observation(observe, features)},
        words=Words(describe, action_text, narrate),
        state_index=StateIndex(info_state_index=info_state_index, num_info_states=lambda options: 25),
        players={"honest": honest, "equilibrium": equilibrium},
        opponent="honest",
        unit="chips",
    )
)

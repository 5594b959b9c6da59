"""A game of two deals: in each a card is dealt, and the seat may have lots drawn before the deal ends."""

import dataclasses
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Game, Observation, Rules, State, StateIndex, Words, hides_nothing, rule
from kuhn_poker import GAME as KUHN

STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("number", np.int32),  # Of the deal.
        ("card", np.int32),  # -1: to be dealt.
        ("lots", np.int32),  # Lots still to be drawn, because the seat asked for them.
        ("used", np.int32),  # Lots drawn in the game.
        ("paid", np.float32, (2,)),
    ],
    align=True,
)


@rule
def setup(state: State) -> None:
    state.number = 0
    state.card = -1
    state.lots = 0
    state.used = 0


@rule
def num_chance_outcomes(state: State) -> int:
    if state.lots > 0:
        return 6
    return 1000 if state.card < 0 and state.number < 2 else 0


@rule
def current_player(state: State) -> int:
    return 0 if state.number < 2 else -1


@rule
def apply_action(state: State, move: int) -> None:
    """Action 1 has some lots drawn before the deal ends; they change nothing, but draw from the generator."""
    if state.lots > 0:
        state.lots -= 1
        state.used += 1
        if state.lots == 0:
            state.number += 1
            state.card = -1
    elif state.card < 0:
        state.card = move
    elif move == 1:
        state.lots = 3
    else:
        state.number += 1
        state.card = -1


@rule
def apply_with_leftovers(state: State, move: int) -> None:
    """The second card depends on the lots drawn in the first deal."""
    dealing = state.lots == 0 and state.card < 0
    apply_action(state, move)
    if dealing:
        state.card += state.used


@rule
def deal(state: State) -> int:
    return int(state.number)


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    out[0] = max(state.card, 0) / 1000.0


def game(game_id: str, apply: Callable[[State, int], None]) -> Game:
    """The game, with one of the two ways to play a move."""
    return dataclasses.replace(
        KUHN,
        id=game_id,
        state=STATE,
        rules=Rules(setup, num_chance_outcomes, current_player, apply, resample=hides_nothing, deal=deal),
        observations={"full": Observation(observe, lambda options: (Feature("card", "the card", scale=1000),))},
        words=Words(),
        state_index=StateIndex(),
        players={},
    )


GAME = game("TwoDeals-v0", apply_action)
BROKEN = game("BrokenLeftover-v0", apply_with_leftovers)

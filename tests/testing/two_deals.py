"""A game of two deals: in each a card is dealt, and the seat may have lots drawn before the deal ends."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import (
    Feature,
    Game,
    Generator,
    Names,
    Observation,
    Options,
    Rules,
    State,
    StateIndex,
    Words,
    rule,
)
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
def legal_action_mask(state: State, mask: npt.NDArray[np.int8]) -> None:
    mask[0] = 1
    mask[1] = 1


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
def nothing(state: State, seat: int) -> float:
    return 0.0


@rule
def none(state: State) -> float:
    return 0.0


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    out[0] = max(state.card, 0) / 1000.0


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    pass


def features(options: Options) -> tuple[Feature, ...]:
    return (Feature("card", "the card / 1000"),)


def narrate(before: State, move: int, after: State, seat: int, names: Names) -> str:
    return f"Card {after.card}"


def game(game_id: str, apply: Callable[[State, int], None]) -> Game:
    """The game, with one of the two ways to play a move."""
    return dataclasses.replace(
        KUHN,
        id=game_id,
        state=STATE,
        rules=Rules(
            setup=setup,
            num_chance_outcomes=num_chance_outcomes,
            current_player=current_player,
            legal_action_mask=legal_action_mask,
            apply_action=apply,
            deal=deal,
            score=nothing,
            max_score=none,
            forfeit=nothing,
            resample=resample,
            invariants=lambda state: (int(state.num_players),),
        ),
        observations={"full": Observation(observe, features)},
        words=Words(describe=lambda state, seat: "Two deals", action_text=lambda state, action: "on", narrate=narrate),
        state_index=StateIndex(),
        players={},
    )


GAME = game("TwoDeals-v0", apply_action)
BROKEN = game("BrokenLeftover-v0", apply_with_leftovers)

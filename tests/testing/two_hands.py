"""A game of two deals, for the check of deals: in each a card is dealt and the seat may have lots drawn, no more."""

from __future__ import annotations

import dataclasses

import kuhn_poker
import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Game, Generator, Observation, Record, no_code, rule

STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("ante", np.int32),
        ("hand", np.int32),
        ("card", np.int32),  # -1: to be dealt.
        ("lots", np.int32),  # Lots still to be drawn, because the seat asked for them.
        ("used", np.int32),  # Lots drawn in the game.
        ("reward", np.float32, (2,)),
    ],
    align=True,
)


@rule
def setup(state: Record) -> None:
    state.hand = 0
    state.card = -1
    state.lots = 0
    state.used = 0


@rule
def num_chance_outcomes(state: Record) -> int:
    if state.lots > 0:
        return 6
    return 1000 if state.card < 0 and state.hand < 2 else 0


@rule
def current_player(state: Record) -> int:
    return 0 if state.hand < 2 else -1


@rule
def legal_action_mask(state: Record, mask: npt.NDArray[np.int8]) -> None:
    mask[0] = 1
    mask[1] = 1


@rule
def apply_action(state: Record, move: int) -> None:
    """Action 1 has some lots drawn before the hand ends; they change nothing, but draw from the generator."""
    if state.lots > 0:
        state.lots -= 1
        state.used += 1
        if state.lots == 0:
            state.hand += 1
            state.card = -1
    elif state.card < 0:
        state.card = move
    elif move == 1:
        state.lots = 3
    else:
        state.hand += 1
        state.card = -1


@rule
def apply_with_leftovers(state: Record, move: int) -> None:
    """The second card depends on how the first hand left the pile."""
    dealing = state.lots == 0 and state.card < 0
    apply_action(state, move)
    if dealing:
        state.card += state.used


@rule
def deal(state: Record) -> int:
    return int(state.hand)


@rule
def nothing(state: Record, seat: int) -> float:
    return 0.0


@rule
def none(state: Record) -> float:
    return 0.0


@rule
def observe(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    out[0] = max(state.card, 0) / 1000.0


@rule
def resample(state: Record, seat: int, generator: Generator) -> None:
    pass


def table(options: kuhn_poker.KuhnOptions) -> tuple[Feature, ...]:
    return (Feature("card", "the card / 1000"),)


def narrate(before: Record, move: int, after: Record, seat: int) -> str:
    return f"Card {after.card}"


GAME: Game = dataclasses.replace(
    kuhn_poker.GAME,
    id="TwoHands-v0",
    state=STATE,
    setup=setup,
    outcomes=outcomes,
    current_player=current_player,
    legal=legal,
    apply=apply,
    deal=deal,
    won=nothing,
    contests=none,
    forfeit=nothing,
    code=no_code,
    index=no_code,
    num_info_states=None,
    observations={"full": Observation(observe, table)},
    narrate=narrate,
    resample=resample,
    players={},
)

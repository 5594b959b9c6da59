"""Kuhn poker broken in one place each, to see that the contract suite notices."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import kuhn_poker
import numpy as np
import numpy.typing as npt
from kuhn_poker import HIDDEN, STATE

from cardgym import register
from cardgym.engine.contract import Feature, Game, Generator, Observation, Record, rule, uniform


def broken(name: str, players: Mapping[str, Any] | None = None, **changes: Any) -> Game:
    """Kuhn poker with some of its rules replaced, registered as `Broken<name>-v0`."""
    return register(dataclasses.replace(kuhn_poker.GAME, id=f"Broken{name}-v0", players=players or {}, **changes))


@rule
def observe_both_cards(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    kuhn_poker.observe(state, seat, out)
    out[3] = 1.0 if state.cards[1 - seat] == 2 else 0.0


@rule
def observe_too_much(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    kuhn_poker.observe(state, seat, out)
    out[6] = state.moves


@rule
def observe_too_little(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    for place in range(6):
        out[place] = 0.0


@rule
def observe_beyond(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    for place in range(out.shape[0] + 1):
        out[place] = 0.0


@rule
def observe_and_change(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    kuhn_poker.observe(state, seat, out)
    state.history += 1


def table_of_twins(options: Any) -> tuple[Feature, ...]:
    return (Feature("card", "own card", 3), Feature("card", "once more", 4))


@rule
def legal_nothing(state: Record, mask: npt.NDArray[np.int8]) -> None:
    mask[0] = 1 if state.moves < 2 else 0
    mask[1] = mask[0]


@rule
def legal_half_written(state: Record, mask: npt.NDArray[np.int8]) -> None:
    mask[1] = 1


@rule
def apply_and_deal_twice(state: Record, move: int) -> None:
    dealing = state.cards[0] != HIDDEN and state.cards[1] == HIDDEN
    kuhn_poker.apply(state, move)
    if dealing:
        state.cards[1] = move  # May be the card of seat 0.


@rule
def apply_without_end(state: Record, move: int) -> None:
    kuhn_poker.apply(state, move)
    state.winner = -1


@rule
def apply_nothing(state: Record, move: int) -> None:
    if state.cards[1] == HIDDEN or move == 1:
        kuhn_poker.apply(state, move)


@rule
def setup_forgetful(state: Record) -> None:
    kept = state.moves
    kuhn_poker.setup(state)
    state.moves = kept % 2


@rule
def resample_nothing(state: Record, seat: int, generator: Generator) -> None:
    pass


@rule
def resample_own_card(state: Record, seat: int, generator: Generator) -> None:
    if state.cards[1] != HIDDEN:
        state.cards[0] = uniform(generator, 3)
        state.cards[1] = (state.cards[0] + 1) % 3


@rule
def peek(state: Record, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    return 1 if state.cards[seat] > state.cards[1 - seat] else 0


@rule
def play_the_impossible(state: Record, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    return 2


@rule
def forfeit_for_gain(state: Record, seat: int) -> float:
    return 1.0


@rule
def won_by_both(state: Record, seat: int) -> float:
    return 1.0


@rule
def index_beyond(state: Record, seat: int) -> int:
    return int(kuhn_poker.index(state, seat) + 20)


@rule
def index_zero(state: Record, seat: int) -> int:
    return 0


@rule
def deal_that_counts_moves(state: Record) -> int:
    return int(state.moves)


@rule
def setup_small(state: Record) -> None:
    kuhn_poker.setup(state)
    state.small = 100


@rule
def observe_small(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Compiled, the product of two int8 is an int64; NumPy's scalars overflow, or raise."""
    kuhn_poker.observe(state, seat, out)
    out[6] = state.moves / 3.0 if state.small * state.small == 10_000 else 0.0


def describe_both_cards(state: Record, seat: int) -> str:
    return f"Cards: {state.cards[0]} and {state.cards[1]}"


def narrate_both_cards(before: Record, move: int, after: Record, seat: int) -> str:
    return f"{move}, with {before.cards[0]} and {before.cards[1]} on the table"


def same_words(state: Record, action: int) -> str:
    return "do something"


def observation_name(write: Any, table: Any = kuhn_poker.table) -> dict[str, Observation]:
    return {"full": Observation(write, table)}


SMALL = np.dtype([("small", np.int8), *((name, STATE.fields[name][0]) for name in STATE.names)], align=True)  # type: ignore[index, union-attr]
ATTRIBUTE = np.dtype([*((name, STATE.fields[name][0]) for name in STATE.names), ("round", np.int8)], align=True)  # type: ignore[index, union-attr]

"""Kuhn poker broken in one place each, to see that the contract suite notices."""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

import kuhn_poker
from cardgym import register
from cardgym.engine import registry
from cardgym.engine.contract import Feature, Game, Generator, Names, Observation, Options, State, offsets, rule, uniform
from cardgym.table.presentation import Presentation
from cardgym.table.views import Item, Reveal, View, Zone
from kuhn_poker import BET, GAME, HIDDEN, KING, STATE

PARTS = {"rules": GAME.rules, "words": GAME.words, "state_index": GAME.state_index}


def broken(name: str, **changes: Any) -> Game:
    """Kuhn poker with some functions of its parts, or fields of its own, replaced; registered as `Broken<name>-v0`.

    It has no players unless `players` gives some.
    """
    game_changes: dict[str, Any] = {"id": f"Broken{name}-v0", "players": {}}
    if callable(changes.get("observations")):
        changes["observations"] = observed_by(changes["observations"])
    for part_name, part in PARTS.items():
        own = {spec.name for spec in dataclasses.fields(part)} & set(changes)
        game_changes[part_name] = dataclasses.replace(part, **{field: changes.pop(field) for field in own})
    shown = {name: changes.pop(name) for name in ("reveals", "view") if name in changes}
    return register(dataclasses.replace(GAME, table=Presentation(**shown), **(game_changes | changes)))


def with_seeds(check: Callable[..., None], *arguments: Any) -> None:
    """Call a check with a few seeds, its last argument: a small game shows a defect in some of its games only."""
    for seed in range(8):
        check(*arguments, seed)


@contextmanager
def forgotten_afterwards() -> Iterator[None]:
    """Games registered in the block are forgotten after it, so that tests over all registered games do not see them."""
    kept = [(known, dict(known)) for known in (registry._IDS, registry._GAMES)]
    yield
    for known, before in kept:
        known.clear()
        known.update(before)  # type: ignore[arg-type]


# -- observations -----------------------------------------------------------------------------------------------------

CARD, SEAT, BETS, MOVES = offsets(kuhn_poker.features(Options())).values()
SIZE = MOVES + 1


@rule
def observe_both_cards(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    kuhn_poker.observe(state, seat, out)
    out[SEAT] = 1.0 if state.cards[1 - seat] == KING else 0.0


@rule
def observe_too_much(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    kuhn_poker.observe(state, seat, out)
    out[MOVES] = state.moves


@rule
def observe_too_little(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    for place in range(MOVES):
        out[place] = 0.0


@rule
def observe_beyond(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    for place in range(out.shape[0] + 1):
        out[place] = 0.0


@rule
def observe_and_change(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    kuhn_poker.observe(state, seat, out)
    state.moves += 1


def twin_features(options: Options) -> tuple[Feature, ...]:
    return (Feature("card", "own card", 3), Feature("card", "once more", SIZE - 3))


def observed_by(write: Any, features: Any = kuhn_poker.features) -> dict[str, Observation]:
    return {"full": Observation(write, features)}


# -- rules ------------------------------------------------------------------------------------------------------------


@rule
def legal_nothing(state: State, mask: npt.NDArray[np.int8]) -> None:
    mask[0] = 1 if state.moves < 2 else 0
    mask[1] = mask[0]


@rule
def legal_half_written(state: State, mask: npt.NDArray[np.int8]) -> None:
    mask[1] = 1


@rule
def apply_and_deal_twice(state: State, move: int) -> None:
    dealing = state.cards[0] != HIDDEN and state.cards[1] == HIDDEN
    kuhn_poker.apply_action(state, move)
    if dealing:
        state.cards[1] = move  # May be the card of seat 0.


def cards_dealt_twice(state: State) -> tuple[int, ...]:
    return (int(state.cards[0] == state.cards[1] != HIDDEN),)


@rule
def apply_without_end(state: State, move: int) -> None:
    kuhn_poker.apply_action(state, move)
    if kuhn_poker.current_player(state) < 0:
        kuhn_poker.setup(state)


@rule
def apply_nothing(state: State, move: int) -> None:
    if state.cards[1] == HIDDEN or move == BET:
        kuhn_poker.apply_action(state, move)


@rule
def setup_forgetful(state: State) -> None:
    kept = state.moves
    kuhn_poker.setup(state)
    state.moves = kept % 2


@rule
def resample_nothing(state: State, seat: int, generator: Generator) -> None:
    pass


@rule
def resample_own_card(state: State, seat: int, generator: Generator) -> None:
    if state.cards[1] != HIDDEN:
        state.cards[0] = uniform(generator, 3)
        state.cards[1] = (state.cards[0] + 1) % 3


@rule
def forfeit_for_gain(state: State, seat: int) -> float:
    return 1.0


@rule
def score_for_both(state: State, seat: int) -> float:
    return 1.0


@rule
def index_beyond(state: State, seat: int) -> int:
    return int(kuhn_poker.info_state_index(state, seat) + 20)


@rule
def index_zero(state: State, seat: int) -> int:
    return 0


# -- players ----------------------------------------------------------------------------------------------------------


@rule
def peek(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    return 1 if state.cards[seat] > state.cards[1 - seat] else 0


@rule
def play_an_illegal_action(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    return 2


PEEK = {"peek": peek}
ILLEGAL = {"wild": play_an_illegal_action}


# -- small integers ---------------------------------------------------------------------------------------------------


@rule
def setup_small(state: State) -> None:
    kuhn_poker.setup(state)
    state.small = 100


@rule
def observe_small(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Compiled, the product of two int8 is an int64; NumPy's scalars overflow, or raise."""
    kuhn_poker.observe(state, seat, out)
    out[MOVES] = state.moves / 3.0 if state.small * state.small == 10_000 else 0.0


def with_field(name: str) -> np.dtype[Any]:
    """Kuhn poker's record with a further int8 field."""
    return np.dtype([(name, np.int8), *((field, STATE.fields[field][0]) for field in STATE.names)], align=True)  # type: ignore[index, union-attr]


# -- words ------------------------------------------------------------------------------------------------------------


def describe_both_cards(state: State, seat: int) -> str:
    return f"Cards: {state.cards[0]} and {state.cards[1]}"


def narrate_both_cards(before: State, move: int, after: State, seat: int, names: Names) -> str:
    return f"{move}, with {before.cards[0]} and {before.cards[1]} on the table"


def same_words(state: State, action: int) -> str:
    return "do something"


# -- views ------------------------------------------------------------------------------------------------------------


def view_of(*ids: str, symbol: str = "", secret: int = 0, actions: dict[int, list[str]] | None = None) -> View:
    items: list[Item] = [{"id": id, "symbol": symbol, "label": f"item {secret}"} for id in ids]
    zones: list[Zone] = [{"name": "Items", "seat": None, "kind": "row", "items": items}]
    return {"to_act": -1, "zones": zones, "counters": [], "actions": actions or {}}


def view_both_cards(state: State, seat: int, names: Names) -> View:
    return view_of("a", secret=int(state.cards.sum()))


def view_twins(state: State, seat: int, names: Names) -> View:
    return view_of("a", "a")


def view_undrawn(state: State, seat: int, names: Names) -> View:
    return view_of("a", symbol="card")


def view_elsewhere(state: State, seat: int, names: Names) -> View:
    return view_of("a", actions={0: ["b"]})


def view_ambiguous(state: State, seat: int, names: Names) -> View:
    return view_of("a", actions={0: ["a"], 1: ["a"]})


def show_both_cards(before: State, move: int, after: State, seat: int, names: Names) -> list[Reveal]:
    return [{"name": "Cards", "items": [], "lines": [f"{before.cards[0]} and {before.cards[1]}"], "total": ""}]

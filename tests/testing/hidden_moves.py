"""Small games of hidden moves, right and wrong: a discard, and a tile put down, both face down.

Seat 0 makes a move that seat 1 cannot see before it has called it low or high; it may wait once.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

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
    Words,
    rule,
    uniform,
)
from cardgym.engine.registry import register
from cardgym.table.coach.advice import ActionAdvice, Advice, Adviser
from cardgym.table.presentation import Presentation
from cardgym.table.views import View

CARDS, WAIT, ALL = 4, 2, 15
PAIRS = (3, 5, 9, 6, 10, 12)
STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("hand", np.int32),  # The cards of seat 0, as bits; 0 is not dealt yet.
        ("down", np.int32),  # The card that it put face down; -1 before.
        ("place", np.int32),  # Where everyone saw it put.
        ("waited", np.int32),
        ("call", np.int32),  # What seat 1 says of it; -1 before.
        ("paid", np.float32, (2,)),
    ],
    align=True,
)


@rule
def setup(state: State) -> None:
    state.hand = 0
    state.down = -1
    state.place = 0
    state.waited = 0
    state.call = -1


@rule
def setup_with_all_tiles(state: State) -> None:
    setup(state)
    state.hand = ALL


@rule
def num_chance_outcomes(state: State) -> int:
    return 6 if state.hand == 0 else 0


@rule
def current_player(state: State) -> int:
    if state.call >= 0:
        return -1
    return 0 if state.down < 0 else 1


@rule
def legal_action_mask(state: State, mask: npt.NDArray[np.int8]) -> None:
    """Card `action % 4` at place `action // 4`, of which only a tile has two; or a call."""
    for action in range(2 * CARDS):
        if state.down < 0:
            mask[action] = (state.hand >> (action % CARDS)) & 1 if action < CARDS or state.hand == ALL else 0
        else:
            mask[action] = 1 if action < WAIT or (action == WAIT and state.waited == 0) else 0


@rule
def legal_unless_low(state: State, mask: npt.NDArray[np.int8]) -> None:
    """Wrong: one may not wait for a low card."""
    legal_action_mask(state, mask)
    if state.down == 0 or state.down == 1:
        mask[WAIT] = 0


@rule
def apply_action(state: State, move: int) -> None:
    if state.hand == 0:
        state.hand = PAIRS[move]
    elif state.down < 0:
        state.down = move % CARDS
        state.place = move // CARDS
    elif move == WAIT:
        state.waited = 1
    else:
        state.call = move
        state.paid[1] = 1.0 if move == state.down // 2 else -1.0
        state.paid[0] = -state.paid[1]


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    if seat == 0 or state.call >= 0 or state.hand == 0:
        return
    if state.hand != ALL:
        state.hand = PAIRS[uniform(generator, 6)]
    if state.down >= 0:
        held = uniform(generator, 4 if state.hand == ALL else 2)
        for card in range(CARDS):
            if (state.hand >> card) & 1:
                if held == 0:
                    state.down = card
                held -= 1


def features(options: Options) -> tuple[Feature, ...]:
    return (
        Feature("hand", "one-hot: own cards, ace, two, three, four", CARDS),
        Feature("down", "one-hot: face down, ace, two, three, four", CARDS),
        Feature("table", "a card is down, its place, waited, own seat", 4),
    )


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    sees = seat == 0 or state.call >= 0
    for card in range(CARDS):
        out[card] = (state.hand >> card) & 1 if seat == 0 else 0.0
        out[CARDS + card] = 1.0 if sees and state.down == card else 0.0
    out[2 * CARDS] = 1.0 if state.down >= 0 else 0.0
    out[2 * CARDS + 1] = state.place
    out[2 * CARDS + 2] = state.waited
    out[2 * CARDS + 3] = seat


def action_text(state: State, action: int) -> str:
    if state.down >= 0:
        return ("low", "high", "wait")[min(action, WAIT)]
    return f"card {action % CARDS} at place {action // CARDS}"


@rule
def legal_lowest(state: State, mask: npt.NDArray[np.int8]) -> None:
    """Seat 0 must discard its lowest card: what it does, its hand decides."""
    legal_action_mask(state, mask)
    for action in range(2 * CARDS if state.down < 0 else 0):
        mask[action] = 1 if state.hand & -state.hand == 1 << action else 0


DISCARD = register(
    Game(
        id="Discard-v0",
        doc="A card of two is discarded face down.",
        state=STATE,
        num_actions=2 * CARDS,
        rules=Rules(
            setup, num_chance_outcomes, current_player, apply_action, resample, legal_action_mask=legal_action_mask
        ),
        observations={"full": Observation(observe, features)},
        words=Words(action_text=action_text),
    )
)
PLACEMENT = dataclasses.replace(
    DISCARD, id="Placement-v0", rules=dataclasses.replace(DISCARD.rules, setup=setup_with_all_tiles)
)
FORCED = dataclasses.replace(
    DISCARD, id="Forced-v0", rules=dataclasses.replace(DISCARD.rules, legal_action_mask=legal_lowest)
)

# -- wrong in one place each ------------------------------------------------------------------------------------------


def narrate_all(before: State, move: int, after: State, seat: int, names: Names) -> str:
    return f"{move}"


def narrate_later(before: State, move: int, after: State, seat: int, names: Names) -> str:
    return f"{names.does(1, 'wait')} for {after.down}" if after.waited > before.waited else ""


def view_face_up(state: State, seat: int, names: Names) -> View:
    item: Any = {"id": "down", "symbol": "", "label": f"card {state.down}"}
    zones: Any = [{"name": "Down", "seat": None, "kind": "row", "items": [item]}]
    return {"to_act": -1, "zones": zones, "counters": [], "actions": {}}


def narrate_to_all(before: State, move: int, after: State, seat: int, names: Names) -> str:
    """Wrong where people watch: they read of a call what seat 0 reads, its own hand included."""
    return f"{names[1]}, while you hold {after.hand}" if before.down >= 0 and seat == 0 else ""


def view_with_notes(state: State, seat: int, names: Names) -> View:
    """Wrong where people watch: they see the zone of seat 1 as seat 0 sees it, with the notes of seat 0."""
    note: Any = {"id": "note", "symbol": "", "label": f"none of {state.hand}" if seat == 0 else "notes"}
    zones: Any = [{"name": "Calls", "seat": 1, "kind": "row", "items": [note]}]
    return {"to_act": -1, "zones": zones, "counters": [], "actions": {}}


def board_with_hand(state: State, seat: int, names: Names) -> str:
    return f"{state.hand}"


def tip_of_the_cards(state: State, seat: int) -> str:
    return f"It is {state.down}"


def peeking_adviser(game: Game, options: Options) -> Adviser:
    def advise(state: State, seat: int) -> Advice:
        mask = np.zeros(game.num_actions, np.int8)
        game.rules.legal_action_mask(state, mask)
        best = int(state.down // 2) if seat == 1 else 0
        values = {action: float(action == best) for action in np.flatnonzero(mask).tolist()}
        ranked = sorted(values, key=lambda action: -values[action])
        actions = [ActionAdvice(action, f"{action}", values[action], f"{values[action]}") for action in ranked]
        return Advice("call", "points", "peeking", tuple(actions), 1.0)

    return Adviser(advise)


def wrong(game: Game, **changes: Any) -> Game:
    """One of the games with a rule, its `narrate`, or a part of its presentation replaced."""
    if "narrate" in changes:
        return dataclasses.replace(game, words=dataclasses.replace(game.words, **changes))
    if "legal_action_mask" in changes:
        return dataclasses.replace(game, rules=dataclasses.replace(game.rules, **changes))
    return dataclasses.replace(game, table=Presentation(**changes))


FAULTS: dict[str, tuple[Callable[[], Game], str]] = {
    "narration of a deal": (lambda: wrong(DISCARD, narrate=narrate_all), "narrate"),
    "narration one move later": (lambda: wrong(PLACEMENT, narrate=narrate_later), "narrate"),
    "view": (lambda: wrong(DISCARD, view=view_face_up), "view"),
    "narration to those who watch": (lambda: wrong(DISCARD, narrate=narrate_to_all), "narrate"),
    "view of those who watch": (lambda: wrong(DISCARD, view=view_with_notes), "view"),
    "board": (lambda: wrong(DISCARD, board=board_with_hand), "board"),
    "tip": (lambda: wrong(PLACEMENT, tip=tip_of_the_cards), "tip"),
    "mask": (lambda: wrong(PLACEMENT, legal_action_mask=legal_unless_low), "the mask"),
    "advice": (lambda: wrong(DISCARD, adviser=peeking_adviser), "advice"),
}
"""What tells the hidden move: the game, and the word for it in the error."""

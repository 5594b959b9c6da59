"""Odds and evens: a card game for tests of learning, small enough to work out by hand.

One or two seats take turns. Before each turn one of four cards is dealt, face up. In a seat's even turns (the first is
turn 0) actions 0 and 1 are legal, in its odd turns actions 2 and 3; action 4 never is. An action of the card's parity
pays the seat 1, the other action costs it 1; either way the other seat, if there is one, is paid 0.25. So the best
return of a game with r turns for each seat is r, and r + r/4 with an opponent.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.cli.train import league
from cardgym.engine.contract import (
    Feature,
    Game,
    Generator,
    Observation,
    Options,
    Rules,
    State,
    Words,
    choice,
    number,
    offsets,
    rule,
)
from cardgym.experiments.trainers import TRAINERS, Trainer

ROOT = Path(__file__).parents[1]


def trainer(name: str) -> Trainer:
    """The training of that name, as `cardgym train` finds it."""
    return {**TRAINERS, "league": league}[name]()


NUM_ACTIONS = 5

STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("turns", np.int32),
        ("played", np.int32),  # Turns taken, of all seats.
        ("card", np.int32),  # -1 if not dealt.
        ("right", np.int32, (2,)),
        ("paid", np.float32, (2,)),
    ],
    align=True,
)


@dataclass(frozen=True)
class TinyOptions(Options):
    num_players: int = number(2, 1, 2, help="seats")  # type: ignore[misc]
    turns: int = number(4, 1, 20, help="turns of each seat")
    reward: str = choice("plain", "other", help="what is paid; here it changes nothing")

    def write(self, state: State) -> None:
        """Write the options but `reward`, which no rule reads."""
        state.num_players, state.turns = self.num_players, self.turns


@rule
def setup(state: State) -> None:
    state.played = 0
    state.card = -1
    for seat in range(2):
        state.right[seat] = 0


@rule
def num_chance_outcomes(state: State) -> int:
    return 4 if state.card < 0 and state.played < state.turns * state.num_players else 0


@rule
def current_player(state: State) -> int:
    return -1 if state.played == state.turns * state.num_players else int(state.played % state.num_players)


@rule
def legal_action_mask(state: State, mask: npt.NDArray[np.int8]) -> None:
    parity = state.played // state.num_players % 2
    for action in range(NUM_ACTIONS):
        mask[action] = 1 if action // 2 == parity else 0


@rule
def apply_action(state: State, move: int) -> None:
    if state.card < 0:
        state.card = move
        return
    seat = state.played % state.num_players
    correct = move % 2 == state.card % 2
    state.right[seat] += 1 if correct else 0
    state.paid[seat] = 1.0 if correct else -1.0
    if state.num_players == 2:
        state.paid[1 - seat] = 0.25
    state.played += 1
    state.card = -1


FEATURES = (
    Feature("card", "one-hot", 4),
    Feature("parity", "one-hot: even or odd turn", 2),
    Feature("seat", "own seat"),
    Feature("left", "share of turns left"),
)
_OFFSETS = offsets(FEATURES)
CARD, PARITY, SEAT, LEFT = (_OFFSETS[name] for name in ("card", "parity", "seat", "left"))
SIZE = LEFT + 1


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    for place in range(SIZE):
        out[place] = 0.0
    if state.card >= 0:
        out[CARD + state.card] = 1.0
    out[PARITY + state.played // state.num_players % 2] = 1.0
    out[SEAT] = seat
    out[LEFT] = 1.0 - state.played / (state.turns * state.num_players)


@rule
def observe_card(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    out[0] = state.card + 1


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    pass


@rule
def score(state: State, seat: int) -> float:
    return float(state.right[seat])


@rule
def max_score(state: State) -> float:
    return float(state.turns * state.num_players)


@rule
def perfect(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    return int(2 * (state.played // state.num_players % 2) + state.card % 2)


TINY = Game(
    id="Tiny-v0",
    doc="",
    state=STATE,
    options=TinyOptions,
    num_actions=NUM_ACTIONS,
    rules=Rules(
        setup=setup,
        num_chance_outcomes=num_chance_outcomes,
        current_player=current_player,
        legal_action_mask=legal_action_mask,
        apply_action=apply_action,
        score=score,
        max_score=max_score,
        resample=resample,
        invariants=lambda state: (),
    ),
    observations={
        "plain": Observation(observe, lambda options: FEATURES),
        "card": Observation(observe_card, lambda options: (Feature("card", "its number", 1, 0, 4),), lambda options: 5),
    },
    words=Words(
        describe=lambda state, seat: f"card {state.card}",
        action_text=lambda state, action: f"say {action} (free)",
        narrate=lambda before, move, after, seat, names: "",
    ),
    players={"perfect": perfect},
)

"""Corellian Spike with observations only for research, as `spike_knowledge:SpikeKnowledge-v0`.

`cards_up` shows the opponents' hidden hand cards, to measure what perfect knowledge would be worth. No seat can know
them, so no env of cardgym has this observation. `code` and `three_cards` are the paper's state and its state with the
cards in place of their sum, scaled for networks. Two players, no cheat.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Observation, State, rule
from cardgym.engine.registry import register
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.hand import card_sum
from cardgym.games.corellian_spike.observations import full_features, observe_full
from cardgym.games.corellian_spike.state import EMPTY, CorellianSpikeOptions
from cardgym.games.corellian_spike.state_index import info_state_key, key_digits


def code_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """The paper's state: round, decision, cut sum, bought card, tens of credits and of the pool."""
    return (
        Feature("round", "one-hot: round 0, 1, 2, 3", 4),
        Feature("decision", "one-hot: betting, buying, placing", 3),
        Feature("sum", "sum of the cards held, cut to -9 .. 9, / 9", low=-1),
        Feature("extra", "own bought card / 10, 0 if none", low=-1),
        Feature("credits", "tens of credits / 9"),
        Feature("pool", "tens of credits in the pool / 9"),
    )


@rule
def observe_code(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation `code`."""
    digits = key_digits(info_state_key(state, seat))
    for number in range(4):
        out[number] = digits.round == number
    for number in range(3):
        out[4 + number] = digits.decision == number + 1
    out[7] = min(max(card_sum(state, seat), -9), 9) / 9.0
    out[8] = 0.0 if state.extra == EMPTY or state.turn != seat else state.extra / 10.0
    out[9] = digits.credits / 9.0
    out[10] = digits.pool / 9.0


def three_cards_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """The paper's state with each card in place of their sum."""
    cards = tuple(Feature(name, f"own {name} card / 10, 0 if none", low=-1) for name in ("low", "high", "spike"))
    return tuple(feature for feature in code_features(options) if feature.name != "sum") + cards


@rule
def observe_three_cards(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation `three_cards`."""
    observe_code(state, seat, out)
    for number in range(7, 10):
        out[number] = out[number + 1]
    for slot in range(3):
        card = state.cards[seat, slot]
        out[10 + slot] = 0.0 if card == EMPTY else card / 10.0


def cards_up_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """`full` plus the opponent's hand."""
    hidden = (
        Feature("opponent_low", "the opponent's lower hand card / 10, 0 if none", low=-1),
        Feature("opponent_high", "the opponent's higher hand card / 10, 0 if none", low=-1),
        Feature("opponent_sum", "the sum of the opponent's cards / 30", low=-1),
        Feature("opponent_size", "|sum| of the opponent's cards / 30"),
    )
    return full_features(options) + hidden


_FULL_SIZE = sum(feature.size for feature in full_features(CorellianSpikeOptions()))


@rule
def observe_cards_up(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation `cards_up`."""
    observe_full(state, seat, out)
    other = 1 - seat
    for slot in range(2):
        card = state.cards[other, slot]
        out[_FULL_SIZE + slot] = 0.0 if card == EMPTY else card / 10.0
    total = card_sum(state, other)
    out[_FULL_SIZE + 2] = total / 30.0
    out[_FULL_SIZE + 3] = abs(total) / 30.0


KNOWLEDGE = register(
    dataclasses.replace(
        GAME,
        id="SpikeKnowledge-v0",
        doc=__doc__,
        observations={
            "full": GAME.observation("full"),
            "belief": GAME.observation("belief"),
            "code": Observation(observe_code, code_features),
            "three_cards": Observation(observe_three_cards, three_cards_features),
            "cards_up": Observation(observe_cards_up, cards_up_features),
        },
    )
)

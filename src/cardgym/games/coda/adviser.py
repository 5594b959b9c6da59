"""The adviser of Coda: guesses by their exact probability, tile placements by rollouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import State
from cardgym.engine.numba.compilation import compiled
from cardgym.games.coda.arrangements import Table, weigh_arrangements, weigh_guesses
from cardgym.games.coda.game import GAME
from cardgym.games.coda.players import STOP_BELOW
from cardgym.games.coda.rules import legal_action_mask
from cardgym.games.coda.state import (
    GUESSING,
    MAX_LINE,
    MAX_TILES,
    REVEALING,
    STATE,
    CodaOptions,
    place_action,
    stop_action,
)
from cardgym.games.coda.text import action_text, tile_name
from cardgym.table.advice import ActionAdvice, Advice, Adviser
from cardgym.table.rollouts import Rollouts

_BLUNDER = 0.2
_WORLDS = 400
_PROBABILITY = "probability of a hit"


def adviser(options: CodaOptions) -> Adviser:
    """The adviser for these options."""
    rollouts: list[Rollouts] = []

    def advise(state: State, seat: int) -> Advice:
        if state.phase == GUESSING:
            return _advise_guess(state, seat)
        if state.phase == REVEALING:
            return _advise_reveal(state, seat)
        if not rollouts:
            rollouts.append(_rollouts(options))
        return rollouts[0].advise(state, seat, "place")

    def luck(before: State, move: int, after: State, seat: int) -> float:
        """The result of a guess (1 for a hit, else 0) minus its probability; negated for the opponent."""
        if before.phase != GUESSING or move >= stop_action(before):
            return 0.0
        turn = int(before.turn)
        place, tile = divmod(move, int(before.n))
        hit = int(before.line[1 - turn, place]) == tile
        gain = float(hit) - float(guess_probabilities(before, turn)[place, tile])
        return gain if seat == turn else -gain

    return Adviser(advise, luck=luck, luck_unit="hits")


def _rollouts(options: CodaOptions) -> Rollouts:
    unit = "share of games won"
    return Rollouts(GAME, options, "bayes", unit=unit, blunder=_BLUNDER, worth=GAME.rules.score, worlds=_WORLDS)


def guess_probabilities(state: State, seat: int) -> Table:
    """The probability of each tile at each place of the opponent's line, (13, 26) float64.

    Exact given everything the seat knows: its own tiles, the colours, face-up tiles and every past guess.
    """
    weights = _no_weights()
    total = _weigh(_array(state), seat, weights)
    return weights / total if total else weights


def _advise_guess(state: State, seat: int) -> Advice:
    chances = guess_probabilities(state, seat)
    n, stop = int(state.n), stop_action(state)
    actions = []
    for action in _legal(state):
        text = action_text(state, action)
        if action == stop:
            reason = f"a rule of thumb, not calculated: stop where no guess reaches {100 * STOP_BELOW:.0f} %"
            actions.append(ActionAdvice(action, text, STOP_BELOW, reason))
            continue
        place, tile = divmod(action, n)
        chance = float(chances[place, tile])
        candidates = int((chances[place] > 0).sum())
        reason = f"{100 * chance:.1f} %: {candidates} tile{'s' if candidates > 1 else ''} possible at place {place}"
        if chance == 0.0:
            reason = f"{tile_name(state, tile)} is impossible at place {place}"
        elif chance == 1.0:
            reason = "certain"
        actions.append(ActionAdvice(action, text, chance, reason, possible=chance > 0.0))
    actions.sort(key=lambda one: -one.value)
    return Advice("guess", _PROBABILITY, "exact calculation", tuple(actions), _BLUNDER)


def _advise_reveal(state: State, seat: int) -> Advice:
    """The tile to turn up: the easiest to guess without seeing either hand."""
    weights = _no_weights()
    total = _weigh_own(_array(state), seat, weights)
    actions = []
    for action in _legal(state):
        place = action - place_action(state, 0)
        chance = float(weights[place, int(state.line[seat, place])] / total)
        reason = f"an observer who sees neither hand gives it {100 * chance:.1f} %"
        actions.append(ActionAdvice(action, action_text(state, action), chance, reason))
    actions.sort(key=lambda one: -one.value)
    return Advice("turn up", "probability that it is guessed anyway", "exact calculation", tuple(actions), _BLUNDER)


def _no_weights() -> Table:
    return np.zeros((MAX_LINE, MAX_TILES), np.float64)


def _array(state: State) -> npt.NDArray[Any]:
    states = np.zeros(1, STATE)
    states[:1] = state
    return states


def _legal(state: State) -> list[int]:
    size = int(state.n) ** 2 + 1 + int(state.n) // 2
    mask = np.zeros(size, np.int8)
    _fill_mask(_array(state), mask)
    return [int(action) for action in np.flatnonzero(mask)]


# -- compiled ---------------------------------------------------------------------------------------------------------


@compiled
def _weigh(states: Any, seat: int, weights: Table) -> float:
    return weigh_guesses(states[0], seat, weights)


@compiled
def _weigh_own(states: Any, seat: int, weights: Table) -> float:
    state = states[0]
    shown = int(state.up[seat]) | int(state.up[1 - seat])
    return weigh_arrangements(state, seat, ((1 << int(state.n)) - 1) & ~shown, weights)


@compiled
def _fill_mask(states: Any, mask: npt.NDArray[np.int8]) -> None:
    legal_action_mask(states[0], mask)

"""The player `search` where each seat is dealt one tile: the first hit wins, and guesses tell something.

A seat never names its own tile: a guess takes that number from what its own hidden tile may be. And a player that chose
among its guesses by that tile would tell it to whoever knows its code. So this one prefers numbers that its own tile
cannot be anyway, and draws among them; its own tile counts only in so far as it is no possible guess. It doubts what
the opponent's guesses seem to say, which may be meant to mislead it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Int8s, State, rule
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import new_weights, weigh_own
from cardgym.games.coda.evidence import NUM_POLICIES
from cardgym.games.coda.knowledge import OTHER, OWN
from cardgym.games.coda.observations import TURN
from cardgym.games.coda.search import ROOT, WORLDS, SearchPlayer, sample_worlds
from cardgym.players import Masks, Observations, Player

_GUESSING = int(TURN.guessing)

_PRIOR = np.array([0.01, 0.01, 0.03, 0.0, 0.025, 0.31, 0.31, 0.305])
"""How likely an unknown opponent is to have each policy of `evidence`.

Whoever believes that an opponent guesses as `bayes` does is misled by one that guesses as if it held another tile. So
this is less likely here than to `search` in other games.
"""

_TELLING = 0.14
"""What a guess counts that could be the own hidden tile to whoever does not see it."""


class DrawingPlayer(SearchPlayer):
    """Draws its guesses, likely ones that tell little more often; else decides by search."""

    samples = True
    act = Player.act

    def probabilities(
        self, observations: Observations, masks: Masks, temperature: float = 0.0
    ) -> npt.NDArray[np.floating[Any]]:
        """Return the probability of each action, (rows, actions), float64; see `Player.probabilities`."""
        shares: Float64s = np.zeros(masks.shape)
        draw_guesses(self._sampler.records, observations, masks, _PRIOR, shares)
        for row in np.flatnonzero(observations[:, _GUESSING] < 0.5):
            shares[row, self._choose(observations[row], masks[row])] = 1.0
        shares /= shares.sum(axis=1, keepdims=True)
        return shares


@compiled
def draw_guesses(records: Any, observations: Float32s, masks: Int8s, prior: Float64s, shares: Float64s) -> None:
    """Write how often to make each guess, up to a factor, (rows, actions); rows of other decisions stay 0."""
    weights, policies = np.zeros(records.shape[0] - WORLDS), np.zeros(NUM_POLICIES)
    root = records[ROOT]
    for row in range(observations.shape[0]):
        if observations[row, _GUESSING] < 0.5:
            continue
        chances = new_weights()
        sample_worlds(records, observations[row], prior, weights, policies, chances)
        own = new_weights()
        weigh_own(root, OWN, own)
        for place in range(root.length[OTHER]):
            less = 0.0
            for tile in range(root.n):
                chance, action = chances[place, tile], place * root.n + tile
                if masks[row, action]:
                    shares[row, action] = weigh_draw(chance, less, _tells(root, tile, own))
                less += chance


@rule
def _tells(state: State, tile: int, own: Float64s) -> bool:
    """Whether the own hidden tile could be this one, to an observer, once the drawn tile lies beside it.

    `own` has the tiles that it could be before, as `weigh_own` writes them.
    """
    drawn = int(state.drawn)
    for place in range(state.length[OWN]):
        if own[place, tile] > 0.0 and (drawn == coda.NONE or (tile < drawn) == (state.line[OWN, place] < drawn)):
            return True
    return False


@rule
def weigh_draw(chance: float, less: float, tells: bool) -> float:
    """Return how often to guess a tile at a place, up to a factor, given its chance and that of a smaller tile.

    A miss in the middle narrows most. The eighth power of the chance leaves little but the likeliest guess where one
    is clearly likelier, and draws where none is.
    """
    lower = less + chance / 2.0
    middle = 1.0 + 2.0 * min(lower, 1.0 - lower)
    square = chance * chance
    root = square * square * middle * (_TELLING if tells else 1.0)
    return root * root  # A power might differ in the last bit in a page.

"""The player `search` where each seat is dealt one tile: the first hit wins, and no guess is much better than another.

A search would choose among them by its own hidden tile, which it knows, so that a player that knows its code could tell
the tile from its guesses. This one draws: its own tile counts only in so far as it is no possible guess.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Int8s, rule
from cardgym.games.coda.arrangements import new_weights
from cardgym.games.coda.evidence import NUM_POLICIES
from cardgym.games.coda.knowledge import OTHER
from cardgym.games.coda.observations import TURN
from cardgym.games.coda.search import ROOT, STRANGER, WORLDS, SearchPlayer, sample_worlds
from cardgym.players import Masks, Observations, Player

_GUESSING = int(TURN.guessing)


class DrawingPlayer(SearchPlayer):
    """Draws its guesses, likely ones and those in the middle of what is possible more often; else decides by search."""

    samples = True
    act = Player.act

    def probabilities(
        self, observations: Observations, masks: Masks, temperature: float = 0.0
    ) -> npt.NDArray[np.floating[Any]]:
        """Return the probability of each action, (rows, actions), float64; see `Player.probabilities`."""
        shares: Float64s = np.zeros(masks.shape)
        draw_guesses(self._sampler.records, observations, masks, STRANGER, shares)
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
        for place in range(root.length[OTHER]):
            less = 0.0
            for tile in range(root.n):
                chance, action = chances[place, tile], place * root.n + tile
                if masks[row, action]:
                    shares[row, action] = weigh_draw(chance, less)
                less += chance


@rule
def weigh_draw(chance: float, less: float) -> float:
    """Return how often to guess a tile at a place, up to a factor, given its chance and that of a smaller tile.

    A miss in the middle tells most. The fourth power is about as strong as the likeliest guess alone, and tells less.
    """
    lower = less + chance / 2.0
    middle = 1.0 + 2.0 * min(lower, 1.0 - lower)
    square = (chance * middle) * (chance * middle)
    return square * square  # A power might differ in the last bit in a page.

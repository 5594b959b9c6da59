"""The player `search` where each seat is dealt one tile: the first hit wins, and no guess is much better than another.

A search would choose among them by its own hidden tile, which it knows, so that a player that knows its code could tell
the tile from its guesses. This one draws: its own tile counts only in so far as it is no possible guess.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float32s, Float64s, Int8s
from cardgym.games.coda import state as coda
from cardgym.games.coda.search import OTHER, STRANGER, SearchPlayer
from cardgym.players import Masks, Observations, Player


class DrawingPlayer(SearchPlayer):
    """Draws its guesses, likely ones and those in the middle of what is possible more often; else decides by search."""

    samples = True
    act = Player.act

    def probabilities(
        self, observations: Observations, masks: Masks, temperature: float = 0.0
    ) -> npt.NDArray[np.floating[Any]]:
        """Return the probability of each action, (rows, actions), float64; see `Player.probabilities`."""
        shares = [self._shares(*row) for row in zip(observations, masks, strict=True)]
        return np.reshape(shares, masks.shape).astype(np.float64)

    def _shares(self, observation: Float32s, mask: Int8s) -> Float64s:
        shares = np.zeros(len(mask))
        if mask.sum() > 1:
            chances, root = self._sampler.believe(observation, STRANGER).chances, self._sampler.root
            if root.phase == coda.GUESSING:
                weights = weigh_draws(chances[: int(root.length[OTHER]), : int(root.n)]).ravel()
                shares[: len(weights)] = weights  # In the order of the actions.
                shares *= mask
                shares /= shares.sum()
                return shares
        shares[self._choose(observation, mask)] = 1.0
        return shares


def weigh_draws(chances: Float64s) -> Float64s:
    """Return how often to guess each tile at each place, up to a factor, given its chance; both are (places, tiles).

    A miss in the middle tells most. The fourth power is about as strong as the likeliest guess alone, and tells less.
    """
    lower = chances.cumsum(axis=1) - chances / 2.0
    middle = 1.0 + 2.0 * np.minimum(lower, 1.0 - lower)
    weights: Float64s = np.square(np.square(chances * middle))  # A power might differ in the last bit in a page.
    return weights

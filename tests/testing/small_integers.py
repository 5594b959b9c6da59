"""A game whose rules overflow interpreted and not compiled; a module of its own, for another process to import."""

from __future__ import annotations

import broken_games

GAME = broken_games.broken(
    "Small",
    state=broken_games.SMALL,
    setup=broken_games.setup_small,
    observations=broken_games.observation(broken_games.observe_small),
)

"""A game whose rules overflow when interpreted, not when compiled; another process imports it."""

import broken_games

GAME = broken_games.broken(
    "Small",
    state=broken_games.with_field("small"),
    setup=broken_games.setup_small,
    observations=broken_games.observe_small,
)

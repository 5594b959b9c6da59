"""One Play Poker."""

from cardgym.engine.registry import GamePackage

PACKAGE = GamePackage(
    name="one_play_poker",
    games={"OnePlayPoker-v0": "cardgym.games.one_play_poker.game:GAME"},
    table="cardgym.games.one_play_poker.view:TABLE",
)

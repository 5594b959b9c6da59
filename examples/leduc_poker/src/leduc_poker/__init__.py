"""Leduc poker for cardgym."""

from cardgym import GamePackage

PACKAGE = GamePackage(
    name="leduc_poker", games={"LeducPoker-v0": "leduc_poker.game:GAME"}, table="leduc_poker.view:TABLE"
)

"""Kuhn poker for cardgym."""

from cardgym import GamePackage

PACKAGE = GamePackage(name="kuhn_poker", games={"KuhnPoker-v0": "kuhn_poker.game:GAME"})

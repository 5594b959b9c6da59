"""One Play Poker keeps the contract."""

from env_suite import EnvSuite


class TestOnePlayPoker(EnvSuite):
    game = "OnePlayPoker-v0"
    hides = False  # All cards lie face up.

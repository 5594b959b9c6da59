"""The paper on One Play Poker, reproduced."""

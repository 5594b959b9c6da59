""" "One Play Poker", its table filled."""

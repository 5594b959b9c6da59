"""The paper on One Play Poker, made anew."""

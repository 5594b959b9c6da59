"""Cribbage: its cards and scoring, the exact statistics of every discard, and the game."""

"""Imitating a player, for `train/distill.py`."""

"""Proximal policy optimisation in self-play, for `train/ppo.py`."""

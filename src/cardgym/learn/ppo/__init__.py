"""Proximal policy optimization in self-play, for `train/ppo.py`."""

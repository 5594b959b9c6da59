"""Adapters between cardgym and other libraries: Stable-Baselines3 and OpenSpiel."""

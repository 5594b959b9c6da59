"""Adapters between cardgym and other libraries: Stable-Baselines3, OpenSpiel, trl, OpenEnv and verifiers."""

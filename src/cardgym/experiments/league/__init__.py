"""Populations of learners: each generation answers the equilibrium of those before it; see train/league.py."""

"""Exact solvers and search over the rules."""

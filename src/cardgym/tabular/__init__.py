"""Exact solvers and tabular methods, for any game of one player whose states can be enumerated."""
